/* SPDX-License-Identifier: Apache-2.0 */
/* root_space - how large the file system behind a folder is: asked of the kernel, or stated by a tree's manifest. */
#include <errno.h>
#include <string.h>
#include <sys/statvfs.h>
#include <jansson.h>
#include "base/root_internal.h"
#include "base/util.h"

int root_space(const struct root *r, const char *path, struct root_space *ret)
{
    struct statvfs v;
    for (size_t i = 0; !r->live && i < r->n_spaces; i++)
        if (strcmp(r->spaces[i].path, path) == 0) {
            *ret = r->spaces[i].space;
            return 0;
        }
    if (!r->live)
        return -ENODATA;
    if (statvfs(path, &v) < 0)
        return -errno;
    uint64_t unit = v.f_frsize ? v.f_frsize : v.f_bsize;
    if (__builtin_mul_overflow(unit, (uint64_t)v.f_blocks, &ret->size) || __builtin_mul_overflow(unit, (uint64_t)v.f_bavail, &ret->free))
        return -EOVERFLOW;
    return 0;
}

static bool get_bytes(json_t *of, const char *key, uint64_t *ret)
{
    json_t *v = json_object_get(of, key);
    if (!json_is_integer(v) || json_integer_value(v) < 0)
        return false;
    *ret = (uint64_t)json_integer_value(v);
    return true;
}

int root_space_load(struct root *r, struct json_t *all, struct err *e)
{
    const char *path;
    json_t *v;
    if (all && !json_is_object(all))
        return err_set(e, -EBADMSG, "manifest.json: \"space\" is not an object");
    json_object_foreach(all, path, v) {
        struct root_place_space *s = ARENA_PUSH(r->a, r->spaces, r->n_spaces);
        s->path = arena_strdup(r->a, path);
        if (path[0] != '/' || !get_bytes(v, "size", &s->space.size) || !get_bytes(v, "free", &s->space.free))
            return err_set(e, -EBADMSG, "manifest.json: space: \"%s\" must be an absolute path with whole numbers \"size\" and \"free\"", path);
    }
    return 0;
}
