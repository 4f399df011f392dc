/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_use - where kernels lead. */
#include "probe/kernel_use.h"
#include <string.h>
#include <strings.h>
#include "base/util.h"
#include "probe/interp.h"
#include "probe/syspath.h"

static const char *const ids[] = {
    [KERNEL_FINE] = "fine", [KERNEL_UNREADABLE] = "unreadable", [KERNEL_GONE] = "gone", [KERNEL_BROKEN] = "broken",
    [KERNEL_OTHER] = "other", [KERNEL_MIXED] = "mixed", [KERNEL_NO_IPYKERNEL] = "no-ipykernel",
};

const char *kernel_fault_id(enum kernel_fault f)
{
    return ids[f];
}

static bool is_python_name(const char *path)
{
    return str_starts(path_base(path), "python") || str_starts(path_base(path), "pypy");
}

static bool is_there(struct probe *p, const char *exe)
{
    struct root_stat st;
    return exe && root_stat(p->root, exe, &st) == 0 && st.type == ROOT_FILE;
}

static bool same_folder(struct probe *p, const char *x, const char *y)
{
    const char *rx, *ry;
    if (!x || !y)
        return false;
    if (root_realpath(p->root, x, p->a, &rx) < 0 || root_realpath(p->root, y, p->a, &ry) < 0)
        return str_eq(path_clean(p->a, x), path_clean(p->a, y));
    return str_eq(rx, ry);
}

/* The interpreter of the environment `dir`, if it is one that still works. */
static const char *living(struct probe *p, const char *dir)
{
    const char *exe = dir && *dir == '/' ? interp_of_folder(p->root, p->a, dir) : NULL;
    return is_there(p, exe) ? exe : NULL;
}

/* An environment, not a system: its folder is its own, and who puts a kernel there means it. */
static bool is_environment(struct probe *p, const char *dir)
{
    struct root_stat st;
    return root_stat(p->root, path_join(p->a, dir, "pyvenv.cfg"), &st) == 0 || root_stat(p->root, path_join(p->a, dir, "conda-meta"), &st) == 0;
}

/* The environment in whose share/jupyter the kernel lies as that environment's own, or NULL. Others may be put there on purpose
 * (`ipykernel install --prefix`). */
static const char *home_of(struct probe *p, const struct kernel *k)
{
    static const char native[] = "/share/jupyter/kernels/python3";
    size_t n = strlen(k->folder), m = sizeof native - 1;
    if (n <= m || strcmp(k->folder + n - m, native) != 0)
        return NULL;
    const char *dir = arena_strndup(p->a, k->folder, n - m);
    return is_environment(p, dir) ? dir : NULL;
}

static bool names_ipykernel(const struct kernelspec *k)
{
    for (size_t i = 0; i < k->n_argv; i++)
        if (str_starts(k->argv[i], "ipykernel"))
            return true;
    return false;
}

static bool has_ipykernel(struct probe *p, struct syspath *s)
{
    for (size_t i = 0; i < s->n_dirs; i++) {
        struct sysdir *d = &s->dirs[i];
        if (strcmp(d->origin, "script-dir") != 0 && strcmp(d->origin, "stdlib") != 0 && strcmp(d->origin, "dynload") != 0 &&
            syspath_list(p->root, p->a, d) && syspath_has(d, "ipykernel"))
            return true;
    }
    return s->unknown_code != NULL;
}

bool kernel_can_run(struct probe *p, const char *exe)
{
    const struct pyvars vars = pyvars_load(p->root);
    struct interp in;
    struct syspath s;
    interp_inspect(p->root, p->a, exe, &vars, &in);
    if (in.state != FACT_PRESENT)
        return false;
    syspath_build(p->root, p->a, &in, &vars, &s);
    return has_ipykernel(p, &s);
}

/* Its program is gone: the same environment by another name of its interpreter, the one that it names, the one that it lies in. */
static const char *instead(struct probe *p, const struct kernel_use *u)
{
    const char *at = u->program[0] == '/' ? path_dir(p->a, path_dir(p->a, u->program)) : NULL;
    const char *const places[] = {at && is_environment(p, at) ? at : NULL, u->virtual_env, home_of(p, &u->k)};
    for (size_t i = 0; i < TG_COUNT(places); i++) {
        const char *exe = living(p, places[i]);
        if (exe)
            return exe;
    }
    return NULL;
}

static enum kernel_fault interpreter(struct probe *p, struct kernel_use *u)
{
    const struct pyvars vars = pyvars_load(p->root);
    struct interp in;
    struct syspath s;
    interp_inspect(p->root, p->a, u->k.python, &vars, &in);
    u->version = in.version || !in.major ? in.version : arena_printf(p->a, "%u.%u", in.major, in.minor);
    u->prefix = in.prefix;
    if (in.state != FACT_PRESENT)
        return in.state == FACT_ABSENT ? KERNEL_GONE : KERNEL_BROKEN;
    syspath_build(p->root, p->a, &in, &vars, &s);
    u->tensorflow = probe_tensorflow_on(p, &s);
    const char *home = home_of(p, &u->k);
    if (home && !same_folder(p, home, in.prefix) && (u->should = living(p, home)))
        return KERNEL_OTHER;
    if (u->virtual_env && !same_folder(p, u->virtual_env, in.prefix)) {
        const char *meant = living(p, u->virtual_env);
        u->should = meant ? meant : u->k.python;
        return KERNEL_MIXED;
    }
    return names_ipykernel(&u->k.spec) && !has_ipykernel(p, &s) ? KERNEL_NO_IPYKERNEL : KERNEL_FINE;
}

static enum kernel_fault look(struct probe *p, struct kernel_use *u)
{
    const struct kernelspec *spec = &u->k.spec;
    if (u->k.state != FACT_PRESENT)
        return KERNEL_UNREADABLE;
    const char *set = kernelspec_getenv(spec, "VIRTUAL_ENV");
    set = set ? kernel_expand(p->root, p->a, set) : NULL;
    u->virtual_env = set && *set == '/' ? path_clean(p->a, set) : NULL;
    u->program = spec->argv[kernel_program(spec)];
    u->is_python = (spec->language && strcasecmp(spec->language, "python") == 0) || is_python_name(u->program);
    if (!u->k.python && !strchr(u->program, '/'))
        return KERNEL_FINE; /* what it leads to depends on the Jupyter that starts it */
    enum kernel_fault fault = !u->k.python ? KERNEL_GONE : u->is_python && is_python_name(u->k.python) ? interpreter(p, u) : KERNEL_FINE;
    if (fault == KERNEL_GONE)
        u->should = instead(p, u);
    return fault;
}

/* Jupyter leaves out others. Source: jupyter_client, kernelspec._is_valid_kernel_name; names are in lower case here. */
static bool is_name(const char *s)
{
    return *s && s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789._-")] == '\0';
}

void kernel_uses(struct probe *p, struct kernel_use **ret, size_t *ret_n)
{
    struct kernel *k;
    size_t n;
    kernels_list(p->root, p->a, p->f->python.prefix, NULL, &k, &n);
    *ret = NULL;
    *ret_n = 0;
    for (size_t i = 0; i < n; i++) {
        if (!is_name(k[i].name))
            continue;
        struct kernel_use *u = ARENA_PUSH(p->a, *ret, *ret_n);
        *u = (struct kernel_use){.k = k[i]};
        u->fault = look(p, u);
        for (const struct kernel_use *x = *ret; x < u; x++)
            u->is_hidden = u->is_hidden || str_eq(x->k.name, u->k.name);
    }
}
