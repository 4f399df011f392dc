/* SPDX-License-Identifier: Apache-2.0 */
/* root_keep - files that stay open because they are asked for again, and a folder from which many paths are walked. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/root_internal.h"
#include "base/util.h"

struct rfile *root_keep_peek(const struct root *r, const char *path)
{
    uint32_t h = str_hash(path);
    for (size_t i = 0; i < ROOT_KEEP && i < r->next_kept; i++)
        if (r->kept[i].hash == h && r->kept[i].f && strcmp(r->kept[i].path, path) == 0)
            return r->kept[i].f;
    return NULL;
}

struct rfile *root_keep_find(struct root *r, const char *path)
{
    struct rfile *f = root_keep_peek(r, path);
    if (f)
        f->users++;
    return f;
}

/* A quarter of the descriptors that the process may have. */
static size_t most_kept(void)
{
    struct rlimit l;
    return getrlimit(RLIMIT_NOFILE, &l) == 0 && l.rlim_cur / 4 < ROOT_KEEP ? (size_t)l.rlim_cur / 4 : ROOT_KEEP;
}

void root_keep_add(struct root *r, const char *path, struct rfile *f)
{
    if (!r->next_kept)
        r->max_kept = most_kept();
    for (size_t i = 0; i < r->max_kept; i++) {
        struct root_kept *k = &r->kept[r->next_kept++ % r->max_kept];
        if (k->f && k->f->users)
            continue;
        if (k->f)
            close(k->f->fd);
        *k = (struct root_kept){.f = f, .path = arena_strdup(r->a, path), .hash = str_hash(path)};
        f->kept = true;
        return;
    }
}

bool root_keep_drop(struct root *r)
{
    bool any = false;
    for (size_t i = 0; i < ROOT_KEEP; i++) {
        struct root_kept *k = &r->kept[i];
        if (!k->f || k->f->users)
            continue;
        close(k->f->fd);
        k->f = NULL;
        any = true;
    }
    return any;
}

/* Without links on the way the kernel counts as many of them from here as from the top, and ".." means the same. */
static int place_open(struct root *r, const char *dir, size_t len, int how_far, struct root_place *ret)
{
    struct open_how how = {.flags = (unsigned)how_far | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS};
    const char *text = arena_strndup(r->a, dir, len), *path = text;
    int near = root_near_fd(r, &path), fd = (int)syscall(SYS_openat2, near, path, &how, sizeof how);
    if (fd < 0)
        return -errno;
    *ret = (struct root_place){.dir = text, .len = len, .fd = fd};
    return 0;
}

/* Small letters for capital ones, so that a folder whose file system knows no difference is not misjudged; 0: not to be judged by its bytes. */
static uint32_t name_hash(const char *name, size_t n)
{
    uint32_t h = 2166136261U;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)name[i];
        if (c >= 0x80)
            return 0;
        h = (h ^ (c >= 'A' && c <= 'Z' ? c | 0x20U : c)) * 16777619U;
    }
    return h ? h : 1;
}

/* A folder of one block is searched for many names that it has not: one look at all it has is cheaper. It must be one that all may search. */
static void place_list(struct root *r, struct root_place *p)
{
    enum { BLOCK = 4096, MOST = 128 };
    _Alignas(struct dirent64) char buf[2 * BLOCK];
    uint32_t names[MOST];
    struct stat st;
    size_t n = 0;
    if (fstat(p->fd, &st) < 0 || st.st_size > BLOCK || (st.st_mode & 0111) != 0111)
        return;
    for (ssize_t got; (got = getdents64(p->fd, buf, sizeof buf)) != 0;) {
        if (got < 0)
            return;
        for (ssize_t at = 0; at < got;) {
            const struct dirent64 *e = (const void *)(buf + at);
            if (n == MOST)
                return;
            names[n++] = name_hash(e->d_name, strlen(e->d_name));
            at += e->d_reclen;
        }
    }
    p->names = memcpy(arena_array(r->a, n, sizeof *names), names, n * sizeof *names);
    p->n_names = n;
    p->listed = true;
}

bool root_near_is(const struct root *r, const char *dir)
{
    for (size_t i = 0; i < ROOT_NEAR; i++)
        if (r->near[i].dir && strcmp(r->near[i].dir, dir) == 0)
            return true;
    return false;
}

void root_near(struct root *r, const char *dir)
{
    struct root_place n;
    if (!r->live || !dir || dir[0] != '/' || root_near_is(r, dir))
        return;
    if (place_open(r, dir, strlen(dir), O_PATH, &n) < 0)
        return;
    if (r->near[ROOT_NEAR - 1].dir)
        close(r->near[ROOT_NEAR - 1].fd);
    memmove(r->near + 1, r->near, (ROOT_NEAR - 1) * sizeof n);
    r->near[0] = n;
}

int root_place(struct root *r, const char *dir, const struct root_place **ret)
{
    size_t len = strlen(dir);
    *ret = NULL;
    while (len > 1 && dir[len - 1] == '/')
        len--;
    if (!r->live || dir[0] != '/' || len < 2 || r->n_places == ROOT_PLACES)
        return -EINVAL;
    if (!r->places)
        r->places = arena_array(r->a, ROOT_PLACES, sizeof *r->places);
    struct root_place *p = &r->places[r->n_places];
    int rc = place_open(r, dir, len, O_RDONLY, p);
    if (rc == -EACCES) /* one that may be searched and not read */
        rc = place_open(r, dir, len, O_PATH, p);
    else if (rc == 0)
        place_list(r, p);
    if (rc == 0) {
        *ret = p;
        r->n_places++;
    }
    return rc;
}

void root_from(struct root *r, const struct root_place *at)
{
    r->from = at;
}

void root_here(struct root *r, const char *dir)
{
    r->from = NULL;
    if (r->here.dir)
        close(r->here.fd);
    r->here.dir = NULL;
    if (r->live && dir && dir[0] == '/' && place_open(r, dir, strlen(dir), O_PATH, &r->here) == 0)
        r->from = &r->here;
}

/* What is left of the path behind the place, or NULL. */
static const char *behind(const struct root_place *n, const char *path)
{
    enum { PATH_LIMIT = 4096 }; /* the kernel's, for the whole path */
    if (strncmp(path, n->dir, n->len) != 0 || path[n->len] != '/' || strlen(path) >= PATH_LIMIT)
        return NULL;
    for (path += n->len; *path == '/';)
        path++;
    return *path ? path : NULL;
}

bool root_place_lacks(const struct root *r, const char *path)
{
    enum { NAME_LIMIT = 255 }; /* a longer one is another error */
    const char *name = r->from && r->from->listed ? behind(r->from, path) : NULL;
    size_t n = name ? strcspn(name, "/") : 0;
    uint32_t h = n && n <= NAME_LIMIT ? name_hash(name, n) : 0;
    for (size_t i = 0; h && i < r->from->n_names; i++)
        if (r->from->names[i] == h || !r->from->names[i])
            return false;
    return h;
}

int root_near_fd(const struct root *r, const char **path)
{
    const char *rest = r->from ? behind(r->from, *path) : NULL;
    const struct root_place *at = r->from;
    for (size_t i = 0; !rest && i < ROOT_NEAR && r->near[i].dir; i++)
        rest = behind(at = &r->near[i], *path);
    if (!rest)
        return AT_FDCWD;
    *path = rest;
    return at->fd;
}

void root_keep_done(struct root *r)
{
    (void)root_keep_drop(r);
    for (size_t i = 0; i < ROOT_NEAR; i++) {
        if (r->near[i].dir)
            close(r->near[i].fd);
        r->near[i].dir = NULL;
    }
    for (size_t i = 0; i < r->n_places; i++)
        close(r->places[i].fd);
    r->n_places = 0;
    root_here(r, NULL);
}
