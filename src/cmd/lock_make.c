/* SPDX-License-Identifier: Apache-2.0 */
/* lock_make - the lock of an environment that is there. */
#include <errno.h>
#include <string.h>
#include "act/engine_get.h"
#include "act/hashes.h"
#include "base/i18n.h"
#include "base/util.h"
#include "cmd/lock.h"
#include "formats/pyvenv.h"
#include "probe/learn.h"
#include "probe/which.h"
#include "solve/floor.h"

enum { CFG_MAX = 64 << 10, DIR_MAX = 5000 };

struct making { struct cmd_ctx *c; struct probe *p; const char *uv, *prefix; struct lockfile *l; };

static bool has_package(const struct lockfile *l, const char *name)
{
    for (size_t i = 0; i < l->n_packages; i++)
        if (str_eq(l->packages[i].name, name))
            return true;
    return false;
}

/* Those of the environment itself, which an index can give again. */
static int packages(const struct making *m)
{
    struct arena *a = m->c->a;
    const struct facts *f = m->p->f;
    for (size_t i = 0; i < f->n_packages; i++) {
        const struct fact_package *k = &f->packages[i];
        struct root_stat st;
        if (!path_is_below(k->dir, m->prefix) || k->shadowed_by || str_eq(k->installer, "conda"))
            continue;
        bool wheel = k->info && str_ends(k->info, ".dist-info");
        if (!wheel || root_stat(m->p->root, path_join(a, k->info, "direct_url.json"), &st) == 0)
            return cmd_fail(m->c, EXIT_BROKEN, _("%s was not installed from the package index, so a lock cannot name it: remove it, or install a release of it"), k->name);
        if (!lock_is_name(k->name) || !k->version || !lock_is_version(k->version))
            return cmd_fail(m->c, EXIT_BROKEN, _("%s: the version of this package makes no sense: install it again"), k->info);
        *ARENA_PUSH(a, m->l->packages, m->l->n_packages) = (struct lock_package){.name = k->name, .version = k->version};
    }
    if (m->l->n_packages == 0)
        return cmd_fail(m->c, EXIT_USAGE, _("no packages are installed in %s"), m->prefix);
    return m->l->n_packages <= LOCK_MAX_PACKAGES ? EXIT_GOOD : cmd_fail(m->c, EXIT_UNDETERMINED, _("more than %d packages"), (int)LOCK_MAX_PACKAGES);
}

/* From the folder of the first path up to the top of the environment, and down to the other one. */
static const char *from_top(struct arena *a, const char *path, const char *other)
{
    for (; (path = strchr(path, '/')); path++)
        other = arena_printf(a, "../%s", other);
    return other;
}

/* Links in a folder of libraries: wheels hold none, so somebody made them so that the loader finds what it needs. */
static void links_in(const struct making *m, const char *dir)
{
    struct arena *a = m->c->a;
    struct root_dirent *ents;
    size_t n;
    if (root_readdir(m->p->root, dir, DIR_MAX, a, &ents, &n) < 0)
        return;
    for (size_t i = 0; i < n && m->l->n_repairs < LOCK_MAX_REPAIRS; i++) {
        const char *path = path_join(a, dir, ents[i].name), *target, *within = path + strlen(m->prefix) + 1;
        if (ents[i].type != ROOT_LINK || root_readlink(m->p->root, path, a, &target) < 0 || target[0] == '/' || !lock_is_inside(within))
            continue;
        const char *leads = path_clean(a, path_join(a, dir, target));
        if (!path_is_below(leads, m->prefix))
            continue;
        if (!lock_is_target(target)) /* "./libx.so": by another way, the same */
            target = from_top(a, within, leads + strlen(m->prefix) + 1);
        if (lock_is_target(target))
            *ARENA_PUSH(a, m->l->repairs, m->l->n_repairs) = (struct lock_repair){within, target};
    }
}

static void repairs(const struct making *m)
{
    struct arena *a = m->c->a;
    struct root_dirent *ents;
    size_t n;
    const char *last = NULL;
    for (size_t i = 0; i < m->p->f->n_packages; i++) {
        const char *site = m->p->f->packages[i].dir;
        if (!path_is_below(site, m->prefix) || str_eq(site, last))
            continue;
        last = site;
        links_in(m, path_join(a, site, "tensorflow"));
        const char *nvidia = path_join(a, site, "nvidia");
        if (root_readdir(m->p->root, nvidia, DIR_MAX, a, &ents, &n) < 0)
            continue;
        for (size_t k = 0; k < n; k++)
            links_in(m, path_join(a, path_join(a, nvidia, ents[k].name), "lib"));
    }
}

/* Who made the environment: it says so itself. */
static void engine(const struct making *m)
{
    struct arena *a = m->c->a;
    struct pyvenv_cfg cfg = {0};
    const char *text;
    size_t n;
    if (root_read(m->p->root, path_join(a, m->prefix, "pyvenv.cfg"), CFG_MAX, a, &text, &n) == 0)
        pyvenv_parse(text, n, a, &cfg);
    m->l->engine = m->p->f->python.kind == FACT_ENV_KIND_CONDA ? "conda" : cfg.uv ? "uv" : "venv";
    m->l->engine_version = cfg.uv && lock_is_number(cfg.uv) ? cfg.uv : NULL;
    for (size_t i = 0; i < m->l->n_packages && str_eq(m->l->engine, "venv"); i++)
        if (str_eq(m->l->packages[i].name, "pip") && lock_is_number(m->l->packages[i].version))
            m->l->engine_version = m->l->packages[i].version;
}

const char *lock_uv(struct cmd_ctx *c, struct root *root)
{
    struct which uv;
    which_find(WHICH_AT(root, c->a), "uv", &uv);
    for (const char *const *own = engine_own_programs(c->a, ENGINE_UV); !uv.program && own && *own; own++)
        if (root_access(root, *own, 1) == 0)
            uv.program = *own;
    return uv.program;
}

static int checksums(const struct making *m)
{
    struct err e = {0};
    struct hashes_ask ask = {.uv = m->uv, .python = m->p->f->python.exe, .packages = m->l->packages, .n = m->l->n_packages};
    if (!ask.uv && !has_package(m->l, "pip"))
        return cmd_fail(m->c, EXIT_BROKEN, _("neither uv is on PATH nor pip in the environment: one of them has to tell the checksums of the packages"));
    int rc = hashes_get(m->c->a, &ask, &e);
    return rc < 0 ? cmd_fail(m->c, EXIT_ACTION, "%s", *e.msg ? e.msg : strerror(-rc)) : EXIT_GOOD;
}

int lock_make(struct cmd_ctx *c, struct probe *p, const char *uv, struct lockfile *ret)
{
    struct making m = {c, p, uv, p->f->python.prefix, ret};
    struct fact_wheel w;
    struct err e = {0};
    *ret = (struct lockfile){0};
    if (!m.prefix || !p->f->python.exe || p->f->python.major != 3 || !root_is_live(p->root))
        return cmd_fail(c, EXIT_USAGE, _("there is no Python environment to lock; name one with --env"));
    if (p->f->python.kind == FACT_ENV_KIND_SYSTEM)
        return cmd_fail(c, EXIT_USAGE, _("%s is the system's Python, not an environment that can be made again; name one with --env"), p->f->python.exe);
    const char *version = p->f->python.version;
    ret->python = version && lock_is_number(version) ? version : arena_printf(c->a, "3.%u", p->f->python.minor);
    int r = packages(&m);
    int rc = r == EXIT_GOOD ? learn_framework(p, &w, &e) : 0;
    if (rc == -ENOENT)
        return cmd_fail(c, EXIT_USAGE, _("neither TensorFlow nor torch nor jax is installed in %s, so there is nothing that a lock could say of GPUs and drivers"), m.prefix);
    if (rc < 0)
        return cmd_fail(c, EXIT_UNDETERMINED, "%s", *e.msg ? e.msg : strerror(-rc));
    if (r != EXIT_GOOD)
        return r;
    floor_of_wheel(c->a, &w, &ret->floor);
    engine(&m);
    repairs(&m);
    r = checksums(&m);
    lockfile_sort(ret);
    return r;
}
