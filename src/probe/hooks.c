/* SPDX-License-Identifier: Apache-2.0 */
/* hooks - LD_LIBRARY_PATH of the judged process. */
#include "probe/hooks.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "probe/kernels.h"
#include "probe/rcfiles.h"

enum { HOOK_MAX = 1 << 20, DIR_MAX = 1000 };

static const char name_ld[] = "LD_LIBRARY_PATH";

bool hooks_env_is_active(struct probe *p)
{
    static const char *const names[] = {"VIRTUAL_ENV", "CONDA_PREFIX"};
    const char *own, *other;
    if (!p->f->python.prefix || root_realpath(p->root, p->f->python.prefix, p->a, &own) < 0)
        return false;
    for (size_t i = 0; i < TG_COUNT(names); i++) {
        const char *v = root_getenv(p->root, names[i]);
        if (v && *v && root_realpath(p->root, v, p->a, &other) == 0 && strcmp(own, other) == 0)
            return true;
    }
    return false;
}

struct script { const char *file, *text; size_t len; };
struct scripts { struct script *list; size_t n; bool any_name; };

/* One more activation script, in the order of the shell. */
static void add_script(struct probe *p, struct scripts *s, const char *file)
{
    const char *text;
    size_t len;
    if (root_read(p->root, file, HOOK_MAX, p->a, &text, &len) < 0)
        return;
    *ARENA_PUSH(p->a, s->list, s->n) = (struct script){file, text, len};
    s->any_name |= memmem(text, len, name_ld, sizeof name_ld - 1) != NULL;
}

/* Follow one script; what it assigns is kept in `v` for the next one. */
static void run_script(struct probe *p, struct rc_vars *v, const struct script *s)
{
    const char *file = s->file;
    size_t n;
    struct shellrc_item *items;
    const struct shell_vars sv = {rc_get, rc_command, v};
    shellrc_parse(s->text, s->len, p->a, &items, &n);
    for (size_t i = 0; i < n; i++) {
        if (items[i].kind != SHELLRC_ASSIGN)
            continue;
        bool complete = true;
        const char *name = arena_strndup(p->a, items[i].name.p, items[i].name.n);
        const char *value = shell_expand(p->a, items[i].value, &sv, &complete);
        bool is_ld = strcmp(name, name_ld) == 0;
        if (is_ld && complete) {
            p->f->ld_library_path = value;
            p->f->ld_library_path_from = arena_printf(p->a, "%s:%u", file, items[i].line);
        } else if (is_ld) {
            p->f->ld_library_path_unknown = arena_printf(p->a, "%s:%u", file, items[i].line);
        }
        if (complete)
            rc_set(v, name, value);
    }
}

static int cmp_name(const void *x, const void *y)
{
    return strcmp(((const struct root_dirent *)x)->name, ((const struct root_dirent *)y)->name);
}

/* `conda env config vars set NAME=value` keeps them in conda-meta/state; "***unset***" marks a removed one. */
static void conda_stored(struct probe *p, struct rc_vars *v)
{
    const char *file = path_join(p->a, p->f->python.prefix, "conda-meta/state"), *text;
    size_t len;
    if (root_read(p->root, file, HOOK_MAX, p->a, &text, &len) < 0)
        return;
    json_t *doc = json_loadb(text, len, 0, NULL);
    const char *value = json_string_value(json_object_get(json_object_get(doc, "env_vars"), name_ld));
    if (value && strcmp(value, "***unset***") != 0) {
        p->f->ld_library_path = arena_strdup(p->a, value);
        p->f->ld_library_path_from = file;
        rc_set(v, name_ld, p->f->ld_library_path);
    }
    json_decref(doc);
}

static void conda_hooks(struct probe *p, struct scripts *ret)
{
    const char *dir = path_join(p->a, p->f->python.prefix, "etc/conda/activate.d");
    struct root_dirent *ents;
    size_t n;
    if (root_readdir(p->root, dir, DIR_MAX, p->a, &ents, &n) < 0 || n == 0)
        return;
    qsort(ents, n, sizeof *ents, cmp_name);
    for (size_t i = 0; i < n; i++)
        if (str_ends(ents[i].name, ".sh"))
            add_script(p, ret, path_join(p->a, dir, ents[i].name));
}

static bool from_kernel(struct probe *p)
{
    const char *value = p->kernel ? kernelspec_getenv(&p->kernel->spec, name_ld) : NULL;
    if (!value)
        return p->kernel;
    p->f->ld_library_path = kernel_expand(p->root, p->a, value);
    p->f->ld_library_path_from = p->kernel->file;
    return true;
}

void hooks_ld_library_path(struct probe *p)
{
    const struct fact_python *py = &p->f->python;
    p->f->ld_library_path = root_getenv(p->root, name_ld);
    p->f->ld_library_path_from = p->f->ld_library_path ? "caller" : NULL;
    if (from_kernel(p) || !py->prefix || p->f->env_active)
        return;
    const struct root_env fixed[] = {{"CONDA_PREFIX", py->prefix}, {"VIRTUAL_ENV", py->prefix}};
    struct rc_vars v = {.p = p, .fixed = fixed, .n_fixed = TG_COUNT(fixed)};
    struct scripts s = {0};
    if (py->kind == FACT_ENV_KIND_CONDA) {
        conda_stored(p, &v);
        conda_hooks(p, &s);
    } else if (py->home) { /* pyvenv.cfg: a virtual environment */
        add_script(p, &s, path_join(p->a, py->prefix, "bin/activate"));
        add_script(p, &s, path_join(p->a, py->prefix, "bin/postactivate"));
    }
    for (size_t i = 0; s.any_name && i < s.n; i++) /* where none has the name, as in most, there is nothing to follow */
        run_script(p, &v, &s.list[i]);
}
