/* SPDX-License-Identifier: Apache-2.0 */
/* root_tree - a captured tree: every path is resolved inside it, and its manifest answers for what a tree cannot hold. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <jansson.h>
#include "base/buf.h"
#include "base/root_internal.h"
#include "base/util.h"

enum { MAX_LINKS = 40, MANIFEST_MAX = 16 << 20 };

/* Our own walk, for kernels and sandboxes without openat2: `ret` gets the canonical path below the top, without a leading
 * slash ("" is the top). Components that are resolved already hold no link, so readlinkat on them cannot leave the tree. */
static int walk(struct root *r, const char *path, bool follow, struct arena *a, const char **ret)
{
    char *cur = arena_alloc(a, 4096 + 1), *rest = arena_strdup(a, path);
    size_t len = 0;
    int links = 0;
    while (*rest) {
        size_t n = strcspn(rest, "/");
        const char *comp = rest;
        bool last = comp[n + strspn(comp + n, "/")] == '\0';
        rest += n;
        bool slash = *rest == '/';
        rest += strspn(rest, "/");
        if (n == 0 || (n == 1 && comp[0] == '.'))
            continue;
        if (n == 2 && comp[0] == '.' && comp[1] == '.') {
            while (len > 0 && cur[--len] != '/')
                ;
            cur[len] = '\0';
            continue;
        }
        if (n > 255 || len + n + 2 > 4096)
            return -ENAMETOOLONG;
        size_t before = len;
        if (len)
            cur[len++] = '/';
        memcpy(cur + len, comp, n);
        len += n;
        cur[len] = '\0';
        char target[4096];
        ssize_t t = readlinkat(r->fd, cur, target, sizeof target - 1);
        if (t < 0 && errno != EINVAL)
            return -errno;
        if (t < 0 || (last && !slash && !follow))
            continue;
        if (++links > MAX_LINKS)
            return -ELOOP;
        target[t] = '\0';
        len = target[0] == '/' ? 0 : before;
        cur[len] = '\0';
        rest = arena_printf(a, "%s/%s", target, rest);
    }
    *ret = cur;
    return 0;
}

static int sys_openat2(int fd, const char *path, struct open_how *how)
{
    return (int)syscall(SYS_openat2, fd, path, how, sizeof *how);
}

/* Open inside the tree without following a magic link. fd or -errno. */
static int open_inside(struct root *r, const char *path, int flags)
{
    while (!r->no_openat2) {
        struct open_how how = {.flags = (unsigned)flags, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
        int fd = sys_openat2(r->fd, path, &how);
        if (fd >= 0)
            return fd;
        if (errno == EAGAIN)
            continue; /* a rename raced with the resolution */
        if (errno != ENOSYS && errno != EPERM)
            return -errno;
        r->no_openat2 = true;
    }
    struct arena tmp;
    arena_init(&tmp, 0);
    const char *canon;
    int rc = walk(r, path, !(flags & O_NOFOLLOW), &tmp, &canon);
    if (rc == 0) {
        rc = openat(r->fd, *canon ? canon : ".", flags | O_NOFOLLOW);
        if (rc < 0)
            rc = -errno;
    }
    arena_done(&tmp);
    return rc;
}

static const char *absolute(struct root *r, const char *path, struct arena *a)
{
    return path[0] == '/' ? path : path_join(a, root_cwd(r), path);
}

/* Canonical path, with a leading slash. */
static int canonical(struct root *r, const char *path, bool follow, struct arena *a, const char **ret)
{
    const char *rel;
    int rc = walk(r, path, follow, a, &rel);
    if (rc == 0)
        *ret = arena_printf(a, "/%s", rel);
    return rc;
}

/* Canonical path of something that need not exist in the tree itself (a device node of the manifest). */
static const char *canonical_parent(struct root *r, const char *path, struct arena *a)
{
    const char *dir = NULL;
    if (canonical(r, path_dir(a, path), true, a, &dir) < 0)
        return path_clean(a, path);
    return path_join(a, dir, path_base(path));
}

static int cmp_override(const void *a, const void *b)
{
    return strcmp(((const struct root_override *)a)->path, ((const struct root_override *)b)->path);
}

static const struct root_override *override_find(const struct root *r, const char *path)
{
    struct root_override key = {.path = path};
    return r->n_over ? bsearch(&key, r->over, r->n_over, sizeof key, cmp_override) : NULL;
}

/* A directory of the manifest on the way that the user may not search. */
static bool way_denied(const struct root *r, const char *path)
{
    for (size_t i = 0; r->uid != 0 && i < r->n_over; i++) {
        const struct root_override *o = &r->over[i];
        size_t n = strlen(o->path);
        if (o->has_mode && strncmp(path, o->path, n) == 0 && path[n] == '/' && !root_may(r, &o->st, 1))
            return true;
    }
    return false;
}

static void override_apply(const struct root_override *o, struct root_stat *st)
{
    if (o->has_type) {
        st->type = o->st.type;
        st->rdev_major = o->st.rdev_major;
        st->rdev_minor = o->st.rdev_minor;
    }
    if (o->has_mode)
        st->mode = o->st.mode;
    if (o->has_owner) {
        st->uid = o->st.uid;
        st->gid = o->st.gid;
    }
    if (o->has_size)
        st->size = o->st.size;
}

/* Stat data of what lies in the tree, as the captured machine had it: files that the manifest does not list are root's. */
static void captured(struct root_stat *st)
{
    st->uid = st->gid = 0;
}

int root_tree_stat(struct root *r, const char *path, bool follow, struct root_stat *ret)
{
    struct arena tmp;
    arena_init(&tmp, 0);
    struct stat raw;
    const char *full = absolute(r, path, &tmp), *canon = NULL;
    int fd = open_inside(r, full, O_PATH | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW)), rc = fd < 0 ? fd : 0;
    struct root_stat st = {0};
    if (fd >= 0) {
        if (fstat(fd, &raw) < 0)
            rc = -errno;
        else
            root_stat_from(&raw, &st);
        close(fd);
        captured(&st);
    }
    if (r->n_over && (rc == 0 || rc == -ENOENT)) {
        if (rc < 0 || canonical(r, full, follow, &tmp, &canon) < 0)
            canon = canonical_parent(r, full, &tmp);
        const struct root_override *o = override_find(r, canon);
        if (o && o->has_type && rc < 0) {
            st = (struct root_stat){.ino = (uint64_t)(o - r->over) + 1, .dev = UINT64_MAX};
            rc = 0;
        }
        if (o && rc == 0)
            override_apply(o, &st);
        if (way_denied(r, canon))
            rc = -EACCES;
    }
    arena_done(&tmp);
    if (rc == 0)
        *ret = st;
    return rc;
}

int root_tree_open(struct root *r, const char *path, int flags, struct root_stat *ret_st, uint64_t *ret_held)
{
    struct root_stat st;
    int rc = root_tree_stat(r, path, true, &st);
    if (rc < 0)
        return rc;
    if (st.type != ROOT_FILE && st.type != ROOT_DIR)
        return -ENXIO; /* never open a device, FIFO or socket that lies in somebody's tree */
    if (!root_may(r, &st, 4))
        return -EACCES;
    struct arena tmp;
    arena_init(&tmp, 0);
    int fd = open_inside(r, absolute(r, path, &tmp), flags);
    arena_done(&tmp);
    struct stat raw;
    if (fd >= 0 && fstat(fd, &raw) < 0) {
        rc = -errno;
        close(fd);
        return rc;
    }
    if (fd >= 0) {
        *ret_st = st;
        *ret_held = (uint64_t)raw.st_size;
    }
    return fd;
}

int root_tree_readlink(struct root *r, const char *path, struct arena *a, const char **ret)
{
    struct arena tmp;
    arena_init(&tmp, 0);
    const char *canon;
    char text[4096];
    int rc = walk(r, absolute(r, path, &tmp), false, &tmp, &canon);
    if (rc == 0) {
        ssize_t n = readlinkat(r->fd, *canon ? canon : ".", text, sizeof text);
        if (n < 0)
            rc = -errno;
        else
            *ret = arena_strndup(a, text, (size_t)n);
    }
    arena_done(&tmp);
    return rc;
}

int root_tree_realpath(struct root *r, const char *path, struct arena *a, const char **ret)
{
    struct arena tmp;
    arena_init(&tmp, 0);
    const char *canon;
    int rc = canonical(r, absolute(r, path, &tmp), true, &tmp, &canon);
    if (rc == 0)
        *ret = arena_strdup(a, canon);
    arena_done(&tmp);
    return rc;
}

/* ---- manifest ---- */

static const char *copy_str(struct root *r, json_t *v)
{
    return json_is_string(v) ? arena_strdup(r->a, json_string_value(v)) : NULL;
}

static bool get_u32(json_t *obj, const char *key, uint32_t *ret)
{
    json_t *v = json_object_get(obj, key);
    if (!json_is_integer(v) || json_integer_value(v) < 0 || json_integer_value(v) > UINT32_MAX)
        return false;
    *ret = (uint32_t)json_integer_value(v);
    return true;
}

/* A value left out is fine; one of another type is refused, since an answer that passes over it would be about another machine.
 * s: text, u: 0 to 2^32-1, n: from 0 up, S and U: lists of those. */
static bool fits(json_t *v, char kind)
{
    size_t i;
    json_t *x;
    switch (kind) {
    case 's': return !v || json_is_string(v);
    case 'u': return !v || (json_is_integer(v) && json_integer_value(v) >= 0 && json_integer_value(v) <= UINT32_MAX);
    case 'n': return !v || (json_is_integer(v) && json_integer_value(v) >= 0);
    case 'S':
    case 'U':
        if (v && !json_is_array(v))
            return false;
        json_array_foreach(v, i, x)
            if (!fits(x, kind == 'S' ? 's' : 'u'))
                return false;
        return true;
    }
    return false;
}

static const char *kind_text(char kind)
{
    return kind == 's' ? "text in quotes" : kind == 'S' ? "a list of texts" : kind == 'U' ? "a list of whole numbers from 0 up" : "a whole number from 0 up";
}

struct leaf {
    const char *object; /* NULL: the manifest itself */
    const char *key;
    char kind;
};

static int check_leaves(json_t *of, const char *name, const struct leaf *l, size_t n, struct err *e)
{
    for (size_t i = 0; i < n; i++)
        if (!fits(json_object_get(of, l[i].key), l[i].kind))
            return err_set(e, -EBADMSG, "manifest.json: %s: \"%s\" must be %s", name, l[i].key, kind_text(l[i].kind));
    return 0;
}

static int manifest_stat(struct root *r, json_t *all, struct err *e)
{
    static const char *const types[] = {"?", "file", "dir", "link", "char", "block", "fifo", "socket"};
    const char *path;
    json_t *v;
    json_object_foreach(all, path, v) {
        if (path[0] != '/' || !json_is_object(v))
            return err_set(e, -EBADMSG, "manifest.json: stat: \"%s\" must be an absolute path with an object", path);
        static const struct leaf leaves[] = {{NULL, "type", 's'}, {NULL, "mode", 's'}, {NULL, "uid", 'u'}, {NULL, "gid", 'u'},
                                             {NULL, "major", 'u'}, {NULL, "minor", 'u'}, {NULL, "size", 'n'}};
        int rc = check_leaves(v, path, leaves, TG_COUNT(leaves), e);
        if (rc < 0)
            return rc;
        struct root_override *o = ARENA_PUSH(r->a, r->over, r->n_over);
        o->path = path_clean(r->a, path);
        const char *type = json_string_value(json_object_get(v, "type")), *mode = json_string_value(json_object_get(v, "mode"));
        for (size_t i = 1; type && i < TG_COUNT(types); i++)
            if (strcmp(type, types[i]) == 0) {
                o->st.type = (enum root_type)i;
                o->has_type = true;
            }
        uint64_t bits = 0;
        for (const char *p = mode; p && *p; p++)
            bits = *p >= '0' && *p <= '7' && bits < 010000 ? bits * 8 + (uint64_t)(*p - '0') : 010000;
        if ((type && !o->has_type) || (mode && bits >= 010000))
            return err_set(e, -EBADMSG, "manifest.json: stat: \"%s\": type or mode is not understood", path);
        o->has_mode = mode != NULL;
        o->st.mode = (uint32_t)bits;
        bool uid = get_u32(v, "uid", &o->st.uid), gid = get_u32(v, "gid", &o->st.gid);
        o->has_owner = uid || gid;
        get_u32(v, "major", &o->st.rdev_major);
        get_u32(v, "minor", &o->st.rdev_minor);
        json_t *size = json_object_get(v, "size");
        o->has_size = json_is_integer(size) && json_integer_value(size) >= 0;
        o->st.size = o->has_size ? (uint64_t)json_integer_value(size) : 0;
    }
    if (r->n_over)
        qsort(r->over, r->n_over, sizeof *r->over, cmp_override);
    return 0;
}

static void manifest_cpu(struct root *r, json_t *cpu)
{
    if (!cpu)
        return;
    struct buf b;
    buf_init(&b, 1 << 16);
    buf_addc(&b, ' ');
    size_t i;
    json_t *v;
    json_array_foreach(json_object_get(cpu, "flags"), i, v)
        if (json_is_string(v))
            buf_addf(&b, "%s ", json_string_value(v));
    r->cpu_vendor = copy_str(r, json_object_get(cpu, "vendor"));
    r->cpu_model = copy_str(r, json_object_get(cpu, "model"));
    r->cpu_flags = arena_strndup(r->a, b.p, b.len);
    r->cpu_known = true;
    buf_done(&b);
}

static void manifest_driver(struct root *r, json_t *driver)
{
    static const char *const libs[] = {"cuda", "nvml"};
    for (size_t l = 0; l < TG_COUNT(libs); l++) {
        json_t *lines = json_object_get(driver, libs[l]), *v;
        struct buf b;
        size_t i;
        if (!lines)
            continue;
        buf_init(&b, MANIFEST_MAX);
        json_array_foreach(lines, i, v) {
            buf_adds(&b, json_string_value(v));
            buf_addc(&b, '\n');
        }
        r->driver[l] = b.len ? arena_strndup(r->a, b.p, b.len) : "";
        r->driver_len[l] = b.len;
        buf_done(&b);
    }
}

/* Kept as text: what it means is not this floor's business. */
static void manifest_proof(struct root *r, json_t *proof)
{
    char *text = proof ? json_dumps(proof, JSON_COMPACT) : NULL;
    if (text) {
        r->proof = arena_strdup(r->a, text);
        r->proof_len = strlen(text);
    }
    free(text);
}

static void manifest_process(struct root *r, json_t *m)
{
    const char *name;
    json_t *v, *user = json_object_get(m, "user"), *kernel = json_object_get(m, "kernel");
    json_object_foreach(json_object_get(m, "environment"), name, v) {
        if (!json_is_string(v))
            continue;
        struct root_env *x = ARENA_PUSH(r->a, r->env, r->n_env);
        x->name = arena_strdup(r->a, name);
        x->value = arena_strdup(r->a, json_string_value(v));
    }
    const char *cwd = copy_str(r, json_object_get(m, "cwd"));
    if (cwd && cwd[0] == '/')
        r->cwd = cwd;
    get_u32(user, "uid", &r->uid);
    get_u32(user, "gid", &r->gid);
    size_t i;
    json_array_foreach(json_object_get(user, "groups"), i, v)
        if (json_is_integer(v)) {
            uint32_t *g = ARENA_PUSH(r->a, r->groups, r->n_groups);
            *g = (uint32_t)json_integer_value(v);
        }
    r->release = copy_str(r, json_object_get(kernel, "release"));
    r->machine = copy_str(r, json_object_get(kernel, "machine"));
}

static int manifest_types(json_t *m, struct err *e)
{
    static const char *const objects[] = {"environment", "user", "kernel", "cpu", "stat", "driver", "proof"};
    for (size_t i = 0; i < TG_COUNT(objects); i++) {
        json_t *v = json_object_get(m, objects[i]);
        if (v && !json_is_object(v))
            return err_set(e, -EBADMSG, "manifest.json: \"%s\" is not an object", objects[i]);
    }
    static const struct leaf leaves[] = {
        {"user", "uid", 'u'}, {"user", "gid", 'u'}, {"user", "groups", 'U'}, {"kernel", "release", 's'},
        {"kernel", "machine", 's'}, {"cpu", "vendor", 's'}, {"cpu", "model", 's'}, {"cpu", "flags", 'S'},
        {"driver", "cuda", 'S'}, {"driver", "nvml", 'S'},
    };
    int rc = 0;
    for (size_t i = 0; i < TG_COUNT(leaves) && rc == 0; i++)
        rc = check_leaves(json_object_get(m, leaves[i].object), leaves[i].object, &leaves[i], 1, e);
    const char *name, *cwd = json_string_value(json_object_get(m, "cwd"));
    json_t *v;
    json_object_foreach(json_object_get(m, "environment"), name, v)
        if (rc == 0 && !json_is_string(v))
            rc = err_set(e, -EBADMSG, "manifest.json: environment: \"%s\" must be text in quotes", name);
    if (rc == 0 && json_object_get(m, "cwd") && (!cwd || cwd[0] != '/'))
        rc = err_set(e, -EBADMSG, "manifest.json: \"cwd\" must be an absolute path");
    return rc;
}

static int manifest_load(struct root *r, struct err *e)
{
    const char *text;
    size_t len;
    int rc = root_read(r, "/manifest.json", MANIFEST_MAX, r->a, &text, &len);
    if (rc == -ENOENT)
        return 0;
    if (rc < 0)
        return err_set(e, rc, "cannot read manifest.json in %s: %s", r->label, strerror(-rc));
    json_error_t je;
    json_t *m = json_loadb(text, len, JSON_REJECT_DUPLICATES, &je);
    if (!m)
        return err_set(e, -EBADMSG, "manifest.json in %s: line %d: %s", r->label, je.line, je.text);
    const char *format = json_string_value(json_object_get(m, "format"));
    if (!str_eq(format, "tfgpu.root/1")) {
        rc = err_set(e, -EBADMSG, "manifest.json in %s: \"format\" is not \"tfgpu.root/1\"", r->label);
    } else if ((rc = manifest_types(m, e)) == 0) {
        manifest_process(r, m);
        manifest_cpu(r, json_object_get(m, "cpu"));
        manifest_driver(r, json_object_get(m, "driver"));
        manifest_proof(r, json_object_get(m, "proof"));
        rc = manifest_stat(r, json_object_get(m, "stat"), e);
        if (rc == 0)
            rc = root_space_load(r, json_object_get(m, "space"), e);
    }
    json_decref(m);
    return rc;
}

int root_open_tree(struct arena *a, const char *dir, struct root **ret, struct err *e)
{
    int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return err_set(e, -errno, "cannot open the tree %s: %s", dir, strerror(errno));
    struct root *r = ARENA_NEW(a, struct root);
    *r = (struct root){.a = a, .fd = fd, .label = arena_strdup(a, dir), .cwd = "/"};
    int rc = manifest_load(r, e);
    if (rc < 0) {
        root_close(r);
        return rc;
    }
    *ret = r;
    return 0;
}
