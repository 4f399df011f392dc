/* SPDX-License-Identifier: Apache-2.0 */
/* environments - which Python environment is judged, and why. The order is docs/environments.md's. */
#include <errno.h>
#include <string.h>
#include "base/i18n.h"
#include "probe/conda.h"
#include "probe/interp.h"
#include "probe/kernels.h"
#include "probe/probe.h"
#include "probe/which.h"

enum { MAX_ANCESTORS = 8, PROC_MAX = 64 << 10 };

struct hits { const char **exe, **shown; size_t n; const struct kernel *kernel; };

static void hit(struct probe *p, struct hits *h, const char *exe, const char *shown)
{
    const char *real, *other;
    if (root_realpath(p->root, exe, p->a, &real) < 0)
        real = exe;
    /* one environment by two names is one hit; an environment is its folder, for `python` itself is often a shared link */
    const char *dir = path_dir(p->a, exe);
    for (size_t i = 0; i < h->n; i++) {
        bool same_dir = root_realpath(p->root, dir, p->a, &real) == 0 &&
                        root_realpath(p->root, path_dir(p->a, h->exe[i]), p->a, &other) == 0 && strcmp(real, other) == 0;
        if (same_dir || strcmp(h->exe[i], exe) == 0)
            return;
    }
    h->exe = arena_grow(p->a, h->exe, h->n, sizeof *h->exe);
    h->shown = arena_grow(p->a, h->shown, h->n, sizeof *h->shown);
    h->exe[h->n] = exe;
    h->shown[h->n++] = shown;
}

static void choose(struct probe *p, const char *exe, const struct kernel *k, const char *why)
{
    p->f->python.exe = exe;
    p->f->python.kernel = k ? k->name : NULL;
    p->kernel = k;
    p->f->selected_by = why;
}

static bool looks_like_python(const char *path)
{
    return str_starts(path_base(path), "python") || str_starts(path_base(path), "pypy");
}

/* --env with a path: a folder or an interpreter. */
static int select_path(struct probe *p, const char *arg, const struct root_stat *st, struct err *e)
{
    const char *exe = arg, *why = arena_printf(p->a, _("chosen by --env %s"), arg);
    if (st->type == ROOT_DIR) {
        exe = interp_of_folder(p->root, p->a, interp_abspath(p->root, p->a, arg));
        if (!exe)
            return err_set(e, -ENOENT, _("--env %s: this folder is no Python environment (it has no bin/python)"), arg);
    } else {
        struct which w;
        which_path(WHICH_AT(p->root, p->a), interp_abspath(p->root, p->a, arg), &w);
        const char *real = w.program;
        if (w.kind == FACT_CMD_KIND_PYENV_SHIM && !w.program)
            return err_set(e, -ENOENT, _("--env %s: pyenv has no such program in version %s"), arg, w.pyenv_version);
        if (st->type != ROOT_FILE || w.kind == FACT_CMD_KIND_SCRIPT || (!looks_like_python(arg) &&
            (root_realpath(p->root, w.program, p->a, &real) < 0 || !looks_like_python(real))))
            return err_set(e, -ENOENT, _("--env %s: not a Python interpreter"), arg);
        exe = w.program;
    }
    choose(p, exe, NULL, why);
    return 0;
}

static int choose_hit(struct probe *p, const struct hits *h, const char *what, struct err *e)
{
    if (h->n == 1) {
        choose(p, h->exe[0], h->kernel, arena_printf(p->a, "%s %s", what, p->env_arg));
        return 0;
    }
    const char *list = h->shown[0];
    for (size_t i = 1; i < h->n; i++)
        list = arena_printf(p->a, "%s, %s", list, h->shown[i]);
    return err_set(e, -EEXIST, _("--env %s is ambiguous: %s; give the path"), p->env_arg, list);
}

static void kernel_hits(struct probe *p, struct hits *h)
{
    struct kernel *k;
    size_t n;
    kernels_list(p->root, p->a, NULL, NULL, &k, &n);
    for (size_t i = 0; i < n; i++) {
        const char *name = p->env_arg;
        if (strcasecmp(k[i].name, name) != 0 || k[i].state != FACT_PRESENT)
            continue;
        const char *exe = k[i].python ? k[i].python : interp_abspath(p->root, p->a, k[i].spec.argv[0]);
        h->kernel = h->kernel ? h->kernel : &k[i];
        hit(p, h, exe, k[i].file);
    }
}

static void conda_hits(struct probe *p, struct hits *h)
{
    struct conda_env *v;
    size_t n;
    conda_list(p->root, p->a, p->env_arg, &v, &n);
    for (size_t i = 0; i < n; i++) {
        const char *exe = interp_of_folder(p->root, p->a, v[i].prefix);
        if (exe)
            hit(p, h, exe, v[i].prefix);
    }
}

static void virtualenv_hits(struct probe *p, struct hits *h)
{
    const char *work = root_getenv(p->root, "WORKON_HOME"), *home = root_home(p->root);
    const char *const dirs[] = {work && *work ? work : NULL, home ? path_join(p->a, home, ".virtualenvs") : NULL};
    for (size_t i = 0; i < TG_COUNT(dirs); i++) {
        const char *dir = dirs[i] ? path_join(p->a, dirs[i], p->env_arg) : NULL;
        const char *exe = dir ? interp_of_folder(p->root, p->a, dir) : NULL;
        if (exe)
            hit(p, h, exe, dir);
    }
}

static int select_arg(struct probe *p, struct err *e)
{
    static const struct {
        void (*find)(struct probe *p, struct hits *h);
        const char *what;
    } kinds[] = {{kernel_hits, N_("Jupyter kernel")}, {conda_hits, N_("conda environment")}, {virtualenv_hits, N_("virtualenv")}};
    struct root_stat st;
    int rc = root_stat(p->root, p->env_arg, &st);
    if (rc == 0)
        return select_path(p, p->env_arg, &st, e);
    if (strchr(p->env_arg, '/')) {
        if (rc == -EACCES)
            return err_set(e, -EACCES, _("--env %s: permission denied"), p->env_arg);
        return err_set(e, -ENOENT, _("--env %s: no such file or folder"), p->env_arg);
    }
    for (size_t i = 0; i < TG_COUNT(kinds); i++) {
        struct hits h = {0};
        kinds[i].find(p, &h);
        if (h.n)
            return choose_hit(p, &h, _(kinds[i].what), e);
    }
    return err_set(e, -ENOENT, _("--env %s: no path, Jupyter kernel, conda environment or virtualenv of this name; 'tfgpu env list' shows what there is"),
                   p->env_arg);
}

/* Parent's process id from /proc/PID/stat: behind the name in parentheses come the state and the parent. */
static const char *parent_of(struct probe *p, const char *pid)
{
    const char *text, *end;
    size_t len;
    if (root_read(p->root, arena_printf(p->a, "/proc/%s/stat", pid), PROC_MAX, p->a, &text, &len) < 0)
        return NULL;
    end = memrchr(text, ')', len);
    if (!end || (size_t)(end - text) + 5 > len)
        return NULL;
    end += strlen(") S ");
    size_t n = strspn(end, "0123456789");
    return n ? arena_strndup(p->a, end, n) : NULL;
}

/* `python -m ipykernel_launcher -f FILE.json`, or another kernel in Python, which gets its connection in the same way. The words of a shell that
 * was told to run something with "ipykernel" in it are no kernel. */
static bool is_kernel(const char *args, size_t len)
{
    const char *end = args + len, *before = "";
    if (len == 0 || !looks_like_python(args))
        return false;
    for (const char *s = args; s < end; before = s, s += strlen(s) + 1) { /* root_read puts a NUL behind the last one */
        size_t n = strlen(s);
        bool is_file = n > 5 && strcmp(s + n - 5, ".json") == 0;
        if ((strcmp(before, "-m") == 0 && str_starts(s, "ipykernel")) || (is_file && (strcmp(before, "-f") == 0 || str_starts(s, "--f="))))
            return true;
    }
    return false;
}

/* Inside a notebook (jupyter_client sets JPY_PARENT_PID, ipykernel MPLBACKEND): the nearest ancestor whose command line is a kernel's tells its
 * interpreter. Its argv[0] is used, for /proc/PID/exe is the base interpreter's file and would lose a virtual environment. */
static bool select_notebook(struct probe *p)
{
    const char *jpy = root_getenv(p->root, "JPY_PARENT_PID"), *backend = root_getenv(p->root, "MPLBACKEND"), *pid = "self";
    if (!(jpy && *jpy) && !(backend && str_starts(backend, "module://")))
        return false;
    for (size_t i = 0; i < MAX_ANCESTORS && (pid = parent_of(p, pid)); i++) {
        const char *args;
        size_t len;
        if (root_read(p->root, arena_printf(p->a, "/proc/%s/cmdline", pid), PROC_MAX, p->a, &args, &len) < 0)
            return false;
        if (!is_kernel(args, len))
            continue;
        struct which w = {.program = args};
        if (*args != '/')
            which_find(WHICH_AT(p->root, p->a), args, &w); /* we have the kernel's PATH */
        if (!w.program)
            return false;
        choose(p, arena_strdup(p->a, w.program), NULL, _("the kernel of this notebook"));
        return true;
    }
    return false;
}

static bool select_variable(struct probe *p, const char *name)
{
    const char *dir = root_getenv(p->root, name), *exe = dir && *dir ? interp_of_folder(p->root, p->a, dir) : NULL;
    if (exe)
        choose(p, exe, NULL, arena_printf(p->a, _("because %s is set"), name));
    return exe;
}

static bool select_dot_venv(struct probe *p)
{
    const char *exe = interp_of_folder(p->root, p->a, path_join(p->a, root_cwd(p->root), ".venv"));
    if (exe)
        choose(p, exe, NULL, _("because the working folder has a .venv"));
    return exe;
}

static bool select_on_path(struct probe *p, const char *name)
{
    struct which w;
    which_find(WHICH_AT(p->root, p->a), name, &w);
    if (!w.path)
        return false;
    const char *why = arena_printf(p->a, _("%s on PATH"), name);
    if (w.kind == FACT_CMD_KIND_PYENV_SHIM && w.program)
        why = w.pyenv_origin ? arena_printf(p->a, _("%s on PATH is a pyenv shim: version %s, set by %s"), name, w.pyenv_version, w.pyenv_origin)
                             : arena_printf(p->a, _("%s on PATH is a pyenv shim: version %s"), name, w.pyenv_version);
    else if (w.kind == FACT_CMD_KIND_SCRIPT)
        why = arena_printf(p->a, _("%s on PATH, which is a script"), name);
    if (!w.program)
        return false;
    choose(p, w.program, NULL, why);
    return true;
}

int probe_select(struct probe *p, struct err *e)
{
    if (p->env_arg)
        return select_arg(p, e);
    bool found = select_notebook(p) || select_variable(p, "VIRTUAL_ENV") || select_variable(p, "CONDA_PREFIX") ||
                 select_dot_venv(p) || select_on_path(p, "python3") || select_on_path(p, "python");
    if (!found)
        p->f->python.state = FACT_ABSENT;
    return 0;
}
