/* SPDX-License-Identifier: Apache-2.0 */
/* env_list - every Python environment that a user could mean, each once, with the TensorFlow that it would import. */
#include <stdlib.h>
#include <string.h>
#include "base/i18n.h"
#include "formats/distname.h"
#include "formats/metadata.h"
#include "knowledge/pydata.h"
#include "probe/conda.h"
#include "probe/interp.h"
#include "probe/kernels.h"
#include "probe/probe.h"
#include "probe/syspath.h"
#include "probe/which.h"

enum { DIR_MAX = 20000, MAX_ENVS = 1000 };

struct list {
    struct probe *p;
    struct pyvars vars;
    const char **ids;      /* canonical prefix and version, one per f->environments */
    size_t n_ids;
};

const char *probe_tensorflow_on(struct probe *p, struct syspath *s)
{
    for (size_t i = 0; i < s->n_dirs; i++) {
        struct sysdir *d = &s->dirs[i];
        if (strcmp(d->origin, "script-dir") == 0 || strcmp(d->origin, "stdlib") == 0 || strcmp(d->origin, "dynload") == 0 ||
            !syspath_list(p->root, p->a, d) || !syspath_has(d, "tensorflow"))
            continue;
        for (size_t k = 0; k < d->n_ents; k++) {
            struct distname n;
            if (distname_parse(d->ents[k].name, &n) == DIST_INFO && n.version.n &&
                pydata_tf_dist(metadata_normal_name(p->a, n.name.p, n.name.n)))
                return arena_strndup(p->a, n.version.p, n.version.n);
        }
        return NULL;
    }
    return NULL;
}

static const char *tensorflow_of(struct list *l, const struct interp *in)
{
    struct syspath s;
    syspath_build(l->p->root, l->p->a, in, &l->vars, &s);
    return probe_tensorflow_on(l->p, &s);
}

/* Two interpreters of one prefix are the same environment when their version is (/usr may have several). */
static const char *identity(struct list *l, const char *prefix, uint32_t major, uint32_t minor)
{
    const char *real;
    if (root_realpath(l->p->root, prefix, l->p->a, &real) < 0)
        real = prefix;
    return arena_printf(l->p->a, "%u.%u %s", major, minor, real);
}

/* name: what --env takes; NULL: the prefix */
static void add(struct list *l, const char *exe, const char *name, const char *why)
{
    struct facts *f = l->p->f;
    struct interp in;
    if (!exe || f->n_environments >= MAX_ENVS)
        return;
    interp_base(l->p->root, l->p->a, exe, &l->vars, &in);
    const char *id = identity(l, in.prefix, in.major, in.minor);
    for (size_t i = 0; i < l->n_ids; i++)
        if (strcmp(l->ids[i], id) == 0)
            return;
    const char **slot = ARENA_PUSH(l->p->a, l->ids, l->n_ids);
    *slot = id;
    interp_inspect(l->p->root, l->p->a, exe, &l->vars, &in);
    struct fact_env_entry *e = ARENA_PUSH(l->p->a, f->environments, f->n_environments);
    e->state = in.state;
    e->source = in.cfg_path ? in.cfg_path : in.exe;
    e->name = name ? name : in.prefix;
    e->kind = in.kind;
    e->prefix = in.prefix;
    e->python = in.exe;
    e->version = in.version || !in.major ? in.version : arena_printf(l->p->a, "%u.%u", in.major, in.minor);
    e->tensorflow = in.state == FACT_PRESENT ? tensorflow_of(l, &in) : NULL;
    e->selected = f->python.prefix && strcmp(id, identity(l, f->python.prefix, f->python.major, f->python.minor)) == 0;
    e->why = e->selected && f->selected_by ? f->selected_by : why;
}

static void add_folder(struct list *l, const char *dir, const char *name, const char *why)
{
    if (dir)
        add(l, interp_of_folder(l->p->root, l->p->a, dir), name, why);
}

static int cmp_version(const void *x, const void *y)
{
    const char *a = ((const struct root_dirent *)x)->name, *b = ((const struct root_dirent *)y)->name;
    int c = ver_cmp(a, b);
    return c ? c : strcmp(a, b);
}

/* Every folder in `dir` that is an environment. */
static void add_all_in(struct list *l, const char *dir, bool by_name, const char *why)
{
    struct root_dirent *ents;
    size_t n;
    if (!dir || root_readdir(l->p->root, dir, DIR_MAX, l->p->a, &ents, &n) < 0)
        return;
    if (n)
        qsort(ents, n, sizeof *ents, cmp_version);
    for (size_t i = 0; i < n; i++)
        if (ents[i].name[0] != '.' && ents[i].type != ROOT_FILE)
            add_folder(l, path_join(l->p->a, dir, ents[i].name), by_name ? ents[i].name : NULL, why);
}

static void add_active(struct list *l)
{
    static const char *const variables[] = {"VIRTUAL_ENV", "CONDA_PREFIX"};
    static const char *const here[] = {".venv", "venv", "env", ".env"};
    for (size_t i = 0; i < TG_COUNT(variables); i++) {
        const char *dir = root_getenv(l->p->root, variables[i]);
        add_folder(l, dir && *dir ? dir : NULL, NULL, variables[i]);
    }
    for (size_t i = 0; i < TG_COUNT(here); i++)
        add_folder(l, path_join(l->p->a, root_cwd(l->p->root), here[i]), arena_printf(l->p->a, "./%s", here[i]), _("in the working folder"));
}

/* "python", "python3", "python3.12"; not "python3-config", "pythonw". */
static bool is_python_name(const char *name)
{
    static const char head[] = "python";
    return str_starts(name, head) && strspn(name + sizeof head - 1, "0123456789.") == strlen(name + sizeof head - 1);
}

static void add_on_path(struct list *l)
{
    struct arena *a = l->p->a;
    for (const char *s = root_getenv(l->p->root, "PATH"); s && *s; s = s[strcspn(s, ":")] ? s + strcspn(s, ":") + 1 : NULL) {
        const char *dir = arena_strndup(a, s, strcspn(s, ":"));
        struct root_dirent *ents;
        size_t n;
        if (*dir != '/' || root_readdir(l->p->root, dir, DIR_MAX, a, &ents, &n) < 0)
            continue;
        for (size_t i = 0; i < n; i++) {
            struct which w;
            const char *path = path_join(a, dir, ents[i].name);
            if (!is_python_name(ents[i].name) || root_access(l->p->root, path, 1) < 0)
                continue;
            which_path(WHICH_AT(l->p->root, a), path, &w);
            if (w.kind == FACT_CMD_KIND_PROGRAM)
                add(l, path, path, _("on PATH"));
            else if (w.kind == FACT_CMD_KIND_PYENV_SHIM && w.program)
                add(l, w.program, NULL, arena_printf(a, _("on PATH through the pyenv shim %s"), path));
        }
    }
}

static const char *below(struct list *l, const char *variable, const char *in_home)
{
    const char *v = variable ? root_getenv(l->p->root, variable) : NULL, *home = root_home(l->p->root);
    if (v && *v)
        return v;
    return home ? path_join(l->p->a, home, in_home) : NULL;
}

static void add_managed(struct list *l)
{
    struct conda_env *c;
    size_t n;
    const char *pyenv = below(l, "PYENV_ROOT", ".pyenv"), *data = below(l, "XDG_DATA_HOME", ".local/share");
    conda_list(l->p->root, l->p->a, NULL, &c, &n);
    for (size_t i = 0; i < n; i++)
        add_folder(l, c[i].prefix, c[i].name, arena_printf(l->p->a, _("conda environment (%s)"), c[i].why));
    add_all_in(l, below(l, "WORKON_HOME", ".virtualenvs"), true, _("virtualenv of virtualenvwrapper"));
    add_all_in(l, pyenv ? path_join(l->p->a, pyenv, "versions") : NULL, false, _("pyenv version"));
    add_all_in(l, below(l, "UV_PYTHON_INSTALL_DIR", ".local/share/uv/python"), false, _("Python installed by uv"));
    add_all_in(l, below(l, "UV_TOOL_DIR", ".local/share/uv/tools"), false, _("uv tool"));
    add_all_in(l, data ? path_join(l->p->a, data, "pipx/venvs") : NULL, false, _("pipx tool"));
    add_all_in(l, data ? path_join(l->p->a, data, "virtualenvs") : NULL, false, _("virtualenv of pipenv"));
    add_all_in(l, below(l, NULL, ".cache/pypoetry/virtualenvs"), false, _("virtualenv of poetry"));
}

static void add_kernels(struct list *l)
{
    struct kernel *k;
    size_t n;
    kernels_list(l->p->root, l->p->a, l->p->f->python.prefix, NULL, &k, &n);
    for (size_t i = 0; i < n; i++)
        if (k[i].python && str_starts(path_base(k[i].python), "python"))
            add(l, k[i].python, k[i].name, arena_printf(l->p->a, _("Jupyter kernel (%s)"), k[i].file));
}

void probe_list_envs(struct probe *p)
{
    struct list l = {.p = p, .vars = pyvars_load(p->root)};
    if (p->f->python.exe)
        add(&l, p->f->python.exe, p->env_arg, p->f->selected_by);
    add_active(&l);
    add_on_path(&l);
    add_managed(&l);
    add_kernels(&l);
}
