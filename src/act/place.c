/* SPDX-License-Identifier: Apache-2.0 */
/* place - paths of a plan. */
#include "act/place_internal.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/i18n.h"
#include "base/sha256.h"
#include "base/util.h"
#include "base/whole.h"

enum { CHUNK = 64 * 1024, KEEP_MODE = 0600 };

int place_fail(struct err *e, int code, const char *path)
{
    return err_set(e, code, "%s: %s", path, code == -ELOOP ? _("is a link; a link on the way could lead anywhere") : strerror(-code));
}

void place_close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* -- the way to it ------------------------------------------------------------------------------------------------------- */

/* The innermost folder of the plan that holds the path. plan_check has seen to it that there is one. */
static const char *folder_of(const struct plan *p, const char *path)
{
    const char *best = NULL;
    for (size_t i = 0; i < p->n_folders; i++) {
        size_t n = strlen(p->folders[i]);
        if (strncmp(path, p->folders[i], n) == 0 && (path[n] == '\0' || path[n] == '/') && (!best || n > strlen(best)))
            best = p->folders[i];
    }
    return best;
}

struct walk { const struct plan *plan; const char *path; bool make; const char **missing; size_t n_missing; int dir; };

/* The user's own part of the way: links in it are the user's. *at: the end of what exists of it. */
static int open_trusted(struct arena *a, struct walk *w, const char **at)
{
    const char *folder = folder_of(w->plan, w->path);
    char *there;
    if (!folder)
        return -EXDEV;
    there = arena_strdup(a, str_eq(folder, w->path) ? path_dir(a, w->path) : folder); /* the folder itself may be what is made */
    while ((w->dir = open(there, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0) {
        char *slash = strrchr(there, '/');
        if (errno != ENOENT)
            return -errno;
        if (slash == there)
            there = arena_strdup(a, "/");
        else
            *slash = '\0';
    }
    *at = w->path + (str_eq(there, "/") ? 0 : strlen(there));
    return 0;
}

static int step_down(struct arena *a, struct walk *w, const char *name, const char *until)
{
    int next = openat(w->dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (next < 0 && errno == ENOENT && w->make && (mkdirat(w->dir, name, FOLDER_MODE) == 0 || errno == EEXIST)) {
        (void)fsync(w->dir); /* not every file system can */
        next = openat(w->dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    }
    if (next < 0) {
        int r = -errno;
        struct stat st;
        if (r == -ENOTDIR && fstatat(w->dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode))
            r = -ELOOP;
        if (r == -ENOENT)
            *ARENA_PUSH(a, w->missing, w->n_missing) = arena_strndup(a, w->path, (size_t)(until - w->path));
        return r;
    }
    close(w->dir);
    w->dir = next;
    return 0;
}

static int walk_down(struct arena *a, struct walk *w)
{
    const char *at = NULL;
    int r = open_trusted(a, w, &at);
    const char *last = strrchr(w->path, '/');
    bool gone = false;
    while (r == 0 && at < last) {
        const char *end = at + 1 + strcspn(at + 1, "/");
        if (gone) {
            *ARENA_PUSH(a, w->missing, w->n_missing) = arena_strndup(a, w->path, (size_t)(end - w->path));
        } else {
            r = step_down(a, w, arena_strndup(a, at + 1, (size_t)(end - at - 1)), end);
            if (r == -ENOENT && !w->make) {
                gone = true;
                r = 0;
            }
        }
        at = end;
    }
    return r < 0 ? r : gone ? -ENOENT : 0;
}

int place_missing(struct arena *a, const struct plan *p, const char *path, const char ***ret, size_t *ret_n, struct err *e)
{
    struct walk w = {.plan = p, .path = path, .dir = -1};
    int r = walk_down(a, &w);
    place_close_fd(&w.dir);
    if (r < 0 && r != -ENOENT)
        return place_fail(e, r, path);
    *ret = w.missing;
    *ret_n = w.n_missing;
    return 0;
}

int place_open_above(struct arena *a, const char *path, struct place *ret)
{
    int fd = open(path_dir(a, path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    *ret = (struct place){.dir = fd, .path = path, .name = path_base(path)};
    return 0;
}

int place_open(struct arena *a, const struct plan *p, const char *path, bool make, struct place *ret, struct err *e)
{
    struct walk w = {.plan = p, .path = path, .make = make, .dir = -1};
    int r = walk_down(a, &w);
    if (r < 0) {
        place_close_fd(&w.dir);
        return place_fail(e, r, path);
    }
    *ret = (struct place){.dir = w.dir, .path = path, .name = strrchr(path, '/') + 1};
    return 0;
}

void place_close(struct place *p)
{
    place_close_fd(&p->dir);
}

/* -- what is there ------------------------------------------------------------------------------------------------------- */

static int look_file(struct arena *a, const struct place *p, struct state *ret)
{
    char hex[65];
    int fd = openat(p->dir, p->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    int r = fd < 0 ? -errno : sha256_fd(fd, hex);
    place_close_fd(&fd);
    if (r == 0)
        ret->sha256 = arena_strdup(a, hex);
    return r;
}

static int look_link(struct arena *a, const struct place *p, struct state *ret)
{
    char target[PATH_MAX];
    ssize_t n = readlinkat(p->dir, p->name, target, sizeof target);
    if (n < 0 || n == (ssize_t)sizeof target)
        return n < 0 ? -errno : -ENAMETOOLONG;
    ret->target = arena_strndup(a, target, (size_t)n);
    return 0;
}

int place_look(struct arena *a, const struct place *p, struct state *ret, struct err *e)
{
    struct stat st;
    struct state s = {0};
    int r = fstatat(p->dir, p->name, &st, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
    if (r == 0) {
        s.kind = S_ISREG(st.st_mode) ? STATE_FILE : S_ISLNK(st.st_mode) ? STATE_LINK : S_ISDIR(st.st_mode) ? STATE_FOLDER : STATE_OTHER;
        s.mode = s.kind == STATE_FILE ? st.st_mode & 07777 : 0;
        r = s.kind == STATE_FILE ? look_file(a, p, &s) : s.kind == STATE_LINK ? look_link(a, p, &s) : 0;
    }
    if (r < 0 && r != -ENOENT)
        return place_fail(e, r, p->path);
    if (r < 0)
        s = (struct state){0};
    *ret = s;
    return 0;
}

bool state_same(const struct state *x, const struct state *y)
{
    return x->kind == y->kind && x->mode == y->mode && str_eq(x->sha256, y->sha256) && str_eq(x->target, y->target);
}

/* -- one step ------------------------------------------------------------------------------------------------------------- */

static int copy_all(int from, int to)
{
    char chunk[CHUNK];
    ssize_t n;
    int r = 0;
    while (r == 0 && (n = read(from, chunk, sizeof chunk)) != 0) {
        if (n < 0 && errno != EINTR)
            return -errno;
        r = n > 0 ? whole_write(to, chunk, (size_t)n) : 0;
    }
    return r;
}

static int make_file(int dir, const char *name)
{
    int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, KEEP_MODE);
    return fd < 0 ? -errno : fd;
}

static int finish_file(int *fd, int r, unsigned mode)
{
    if (r == 0 && (fchmod(*fd, mode) < 0 || fsync(*fd) < 0))
        r = -errno;
    if (*fd >= 0 && close(*fd) < 0 && r == 0)
        r = -errno;
    *fd = -1;
    return r;
}

int place_copy(const struct place *p, int to, const char *name, struct err *e)
{
    int from = openat(p->dir, p->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    int fd = from < 0 ? -1 : make_file(to, name);
    int r = from < 0 ? -errno : fd < 0 ? fd : copy_all(from, fd);
    r = fd < 0 ? r : finish_file(&fd, r, KEEP_MODE);
    place_close_fd(&from);
    return r < 0 ? place_fail(e, r, p->path) : 0;
}

static int rename_over(const struct place *p, const char *temp, int r, struct err *e)
{
    if (r == 0 && renameat(p->dir, temp, p->dir, p->name) < 0)
        r = -errno;
    if (r < 0) {
        (void)unlinkat(p->dir, temp, 0); /* the reason counts */
        return place_fail(e, r, p->path);
    }
    (void)fsync(p->dir); /* not every file system can; the file itself is synced */
    return 0;
}

int place_put_bytes(const struct place *p, const char *temp, const void *bytes, size_t n, unsigned mode, struct err *e)
{
    int fd = make_file(p->dir, temp);
    int r = fd < 0 ? fd : finish_file(&fd, whole_write(fd, bytes, n), mode);
    return rename_over(p, temp, r, e);
}

int place_put_file(const struct place *p, const char *temp, int from, unsigned mode, struct err *e)
{
    int fd = lseek(from, 0, SEEK_SET) < 0 ? -errno : make_file(p->dir, temp);
    int r = fd < 0 ? fd : finish_file(&fd, copy_all(from, fd), mode);
    return rename_over(p, temp, r, e);
}

int place_put_link(const struct place *p, const char *temp, const char *target, struct err *e)
{
    int r = unlinkat(p->dir, temp, 0) < 0 && errno != ENOENT ? -errno : symlinkat(target, p->dir, temp) < 0 ? -errno : 0;
    return rename_over(p, temp, r, e);
}

int place_unlink(const struct place *p, struct err *e)
{
    if (unlinkat(p->dir, p->name, 0) < 0 && errno != ENOENT)
        return place_fail(e, -errno, p->path);
    (void)fsync(p->dir);
    return 0;
}

int place_rename_new(const struct place *p, const char *from, const char *to, struct err *e)
{
    int r = renameat2(p->dir, from, p->dir, to, RENAME_NOREPLACE) < 0 ? -errno : 0;
    if (r == -EINVAL || r == -ENOSYS) { /* a file system that cannot; ours is the lock */
        struct stat st;
        r = fstatat(p->dir, to, &st, AT_SYMLINK_NOFOLLOW) == 0 ? -EEXIST : renameat(p->dir, from, p->dir, to) < 0 ? -errno : 0;
    }
    if (r < 0)
        return place_fail(e, r, p->path);
    (void)fsync(p->dir);
    return 0;
}

int place_rename(const struct place *p, const char *to, struct err *e)
{
    return place_rename_new(p, p->name, to, e);
}

int place_rename_back(const struct place *p, const char *from, struct err *e)
{
    return place_rename_new(p, from, p->name, e);
}
