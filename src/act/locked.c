/* SPDX-License-Identifier: Apache-2.0 */
/* locked - the files of a lock in an environment. */
#include "act/locked.h"
#include "base/buf.h"
#include "base/i18n.h"
#include "base/util.h"

static void write_file(struct arena *a, struct plan *p, const char *title, const char *path, struct buf *b)
{
    struct step *s = plan_add(a, p, STEP_WRITE, title, path);
    s->bytes = arena_strndup(a, b->p, b->len);
    s->n_bytes = b->len;
    buf_done(b);
}

const char *locked_path(struct arena *a, const char *dir)
{
    return path_join(a, dir, "tfgpu.lock");
}

const char *locked_list(struct arena *a, const char *dir)
{
    return path_join(a, dir, "share/tfgpu/requirements.txt");
}

const char *locked_versions(struct arena *a, const char *dir)
{
    return path_join(a, dir, "share/tfgpu/constraints.txt");
}

void locked_keep(struct arena *a, const char *dir, struct lockfile *l, struct plan *p)
{
    struct buf b;
    buf_init(&b, 0);
    lockfile_write(l, &b);
    write_file(a, p, _("write the lock"), locked_path(a, dir), &b);
}

void locked_put(struct arena *a, const char *dir, struct lockfile *l, struct plan *p)
{
    struct buf b;
    locked_keep(a, dir, l, p);
    buf_init(&b, 0);
    lockfile_requirements(l, &b);
    write_file(a, p, _("write the list of packages with their checksums"), locked_list(a, dir), &b);
}

void locked_hold(struct arena *a, const char *dir, const struct lockfile *l, struct plan *p)
{
    struct buf b;
    buf_init(&b, 0);
    for (size_t i = 0; i < l->n_packages; i++)
        buf_addf(&b, "%s==%s\n", l->packages[i].name, l->packages[i].version);
    write_file(a, p, _("write the list of versions that stay"), locked_versions(a, dir), &b);
}
