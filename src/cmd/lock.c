/* SPDX-License-Identifier: Apache-2.0 */
/* lock - writes down an environment exactly, compares one with a lock. */
#include "cmd/lock.h"
#include <errno.h>
#include <string.h>
#include "act/condafiles.h"
#include "act/locked.h"
#include "base/i18n.h"
#include "base/util.h"
#include "base/whole.h"
#include "formats/jdoc.h"
#include "formats/lockexport.h"
#include "solve/floor.h"

int lock_load(struct cmd_ctx *c, const char *path, struct lockfile *ret)
{
    struct err e = {0};
    char *text;
    size_t n;
    int r = whole_read(c->a, path, JDOC_MAX_BYTES, &text, &n, &e);
    if (r < 0)
        return cmd_fail(c, r == -ENOENT || r == -ENOTDIR || r == -EISDIR || r == -EINVAL ? EXIT_USAGE : EXIT_UNDETERMINED, "%s: %s", path, e.msg);
    r = lockfile_read(text, n, c->a, ret, &e);
    return r < 0 ? cmd_fail(c, EXIT_USAGE, "%s: %s", path, e.msg) : EXIT_GOOD;
}

int lock_fits(struct cmd_ctx *c, const struct lockfile *l, const struct solve_ask *ask)
{
    struct solve_reason *why;
    const char **notes;
    size_t n, n_notes;
    floor_unmet(c->a, &l->floor, ask, &why, &n, &notes, &n_notes);
    for (size_t i = 0; i < n_notes; i++)
        (void)cmd_fail(c, EXIT_GOOD, "%s", notes[i]);
    for (size_t i = 0; i < n; i++)
        (void)cmd_fail(c, EXIT_BROKEN, "%s", why[i].text);
    return n ? cmd_fail(c, EXIT_BROKEN, _("this machine is not up to the lock; nothing was installed")) : EXIT_GOOD;
}

/* -- drift ----------------------------------------------------------------------------------------------------------------- */

struct drift { struct cmd_ctx *c; struct probe *p; const struct lockfile *l; struct buf out; size_t n; };

static void differs(struct drift *d, const char *what, const char *text)
{
    buf_adds(&d->out, "  ");
    buf_add_safe(&d->out, what, strlen(what));
    buf_adds(&d->out, ": ");
    buf_add_safe(&d->out, text, strlen(text));
    buf_addc(&d->out, '\n');
    d->n++;
}

static const struct fact_package *installed(const struct drift *d, const char *name)
{
    for (size_t i = 0; i < d->p->f->n_packages; i++)
        if (str_eq(d->p->f->packages[i].name, name) && !d->p->f->packages[i].shadowed_by)
            return &d->p->f->packages[i];
    return NULL;
}

static void compare_python(struct drift *d)
{
    const struct fact_python *py = &d->p->f->python;
    uint32_t minor = 0;
    (void)ver_major(d->l->python + 2, &minor);
    const char *have = py->version ? py->version : arena_printf(d->c->a, "%u.%u", py->major, py->minor);
    bool cpython = !py->implementation || str_eq(py->implementation, "cpython");
    if (py->major != 3 || py->minor != minor || !cpython)
        differs(d, "python", arena_printf(d->c->a, _("%s %s is there, the lock has %s"), cpython ? "CPython" : py->implementation, have, d->l->python));
}

static void compare_packages(struct drift *d)
{
    const struct facts *f = d->p->f;
    for (size_t i = 0; i < d->l->n_packages; i++) {
        const struct lock_package *k = &d->l->packages[i];
        const struct fact_package *have = installed(d, k->name);
        if (!have)
            differs(d, k->name, arena_printf(d->c->a, _("missing; the lock has %s"), k->version));
        else if (!str_eq(have->version, k->version))
            differs(d, k->name, arena_printf(d->c->a, _("%s is installed, the lock has %s"), have->version ? have->version : "?", k->version));
        else if (!path_is_below(have->dir, f->python.prefix))
            differs(d, k->name, arena_printf(d->c->a, _("not in the environment but in %s"), have->dir));
    }
    for (size_t i = 0; i < f->n_packages; i++) {
        const struct fact_package *have = &f->packages[i];
        if (path_is_below(have->dir, f->python.prefix) && !have->shadowed_by && !str_eq(have->installer, "conda") && !lockfile_find(d->l, have->name))
            differs(d, have->name, arena_printf(d->c->a, _("%s is installed, the lock has none"), have->version ? have->version : "?"));
    }
}

static void compare_repairs(struct drift *d)
{
    struct arena *a = d->c->a;
    for (size_t i = 0; i < d->l->n_repairs; i++) {
        const struct lock_repair *l = &d->l->repairs[i];
        const char *target, *path = path_join(a, d->p->f->python.prefix, l->path), *dir = path_dir(a, path);
        if (root_readlink(d->p->root, path, a, &target) < 0)
            differs(d, l->path, arena_printf(a, _("the link to %s is missing"), l->target));
        else if (!str_eq(path_clean(a, path_join(a, dir, target)), path_clean(a, path_join(a, dir, l->target))))
            differs(d, l->path, arena_printf(a, _("leads to %s, in the lock to %s"), target, l->target));
    }
}

static int compare(struct cmd_ctx *c, struct probe *p)
{
    const char *prefix = p->f->python.prefix;
    struct lockfile l;
    struct drift d = {.c = c, .p = p, .l = &l};
    if (!prefix)
        return cmd_fail(c, EXIT_USAGE, _("there is no Python environment here; name one with --env"));
    int r = lock_load(c, c->n_args ? c->args[0] : locked_path(c->a, prefix), &l);
    if (r != EXIT_GOOD)
        return r;
    buf_init(&d.out, 0);
    compare_python(&d);
    compare_packages(&d);
    compare_repairs(&d);
    if (d.n == 0)
        buf_add_line(&d.out, _("%s is what the lock says: %zu packages"), prefix, l.n_packages);
    else
        buf_add_line(&d.out, _("%s is not what the lock says: %zu differences"), prefix, d.n);
    r = cmd_print(c, &d.out);
    buf_done(&d.out);
    return r != EXIT_GOOD ? r : d.n ? EXIT_BROKEN : EXIT_GOOD;
}

/* -- the command ------------------------------------------------------------------------------------------------------------ */

static int write_lock(struct cmd_ctx *c, struct probe *p)
{
    struct lockfile l;
    struct buf out;
    int r = lock_make(c, p, lock_uv(c, p->root), &l);
    if (r != EXIT_GOOD)
        return r;
    buf_init(&out, 0);
    lockfile_write(&l, &out);
    r = cmd_write(c, &out, 0666);
    buf_done(&out);
    return r;
}

/* What conda put there is known to the environment alone. */
static int conda_explicit(struct cmd_ctx *c, struct probe *p, struct buf *out)
{
    struct err e = {0};
    if (p->f->python.kind != FACT_ENV_KIND_CONDA)
        return cmd_fail(c, EXIT_BROKEN, _("%s was not made by conda, so there is nothing that an explicit file could name; --export requirements has its packages"), p->f->python.prefix);
    int r = condafiles_explicit(c->a, p->root, p->f->python.prefix, out, &e);
    return r < 0 ? cmd_fail(c, EXIT_UNDETERMINED, "%s", e.msg) : EXIT_GOOD;
}

static int export_as(struct cmd_ctx *c, struct probe *p)
{
    static void (*const writers[])(const struct lockfile *, struct buf *) = {
        [EXPORT_REQUIREMENTS] = lockexport_requirements, [EXPORT_ENVIRONMENT] = lockexport_environment, [EXPORT_DOCKERFILE] = lockexport_dockerfile,
        [EXPORT_COMPOSE] = lockexport_compose, [EXPORT_DEVCONTAINER] = lockexport_devcontainer, [EXPORT_FIRST_BOOT] = lockexport_first_boot};
    struct lockfile l;
    struct buf out;
    int r = EXIT_GOOD;
    if (!c->n_args && !p->f->python.prefix)
        return cmd_fail(c, EXIT_USAGE, _("there is no Python environment here; name one with --env"));
    if (c->o.export != EXPORT_CONDA_EXPLICIT)
        r = lock_load(c, c->n_args ? c->args[0] : locked_path(c->a, p->f->python.prefix), &l);
    else if (c->n_args)
        r = cmd_fail(c, EXIT_USAGE, _("an explicit file is made of the environment (--env), not of '%s'"), c->args[0]);
    if (r != EXIT_GOOD)
        return r;
    buf_init(&out, 0);
    if (c->o.export == EXPORT_CONDA_EXPLICIT)
        r = conda_explicit(c, p, &out);
    else
        writers[c->o.export](&l, &out);
    if (r == EXIT_GOOD)
        r = cmd_write(c, &out, 0666);
    buf_done(&out);
    return r;
}

int cmd_lock(struct cmd_ctx *c)
{
    struct probe p = {0};
    if (c->n_args && !c->o.check && !c->o.export)
        return cmd_fail(c, EXIT_USAGE, _("'%s' is read with --check and --export only; -o FILE writes a lock"), c->args[0]);
    if (c->o.export && c->o.check)
        return cmd_fail(c, EXIT_USAGE, _("options '%s' and '%s' do not go together"), "--export", "--check");
    if (c->o.output && c->o.check)
        return cmd_fail(c, EXIT_USAGE, _("options '%s' and '%s' do not go together"), "--output", "--check");
    int r = cmd_probe(c, NEED_PYTHON | NEED_PACKAGES, &p);
    if (r != EXIT_GOOD)
        return r;
    r = c->o.check ? compare(c, &p) : c->o.export ? export_as(c, &p) : write_lock(c, &p);
    root_close(p.root);
    return r;
}
