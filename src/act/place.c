/* SPDX-License-Identifier: Apache-2.0 */
/* place - paths of a plan. */
#include "act/place.h"
#include <dirent.h>
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

enum { CHUNK = 64 * 1024, FOLDER_MODE = 0755, KEEP_MODE = 0600, MODE_BITS = 07777, DEPTH_MAX = 200 };

static int fail(struct err *e, int code, const char *path)
{
    return err_set(e, code, "%s: %s", path, code == -ELOOP ? _("is a link; a link on the way could lead anywhere") : strerror(-code));
}

static void close_fd(int *fd)
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
    close_fd(&w.dir);
    if (r < 0 && r != -ENOENT)
        return fail(e, r, path);
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
        close_fd(&w.dir);
        return fail(e, r, path);
    }
    *ret = (struct place){.dir = w.dir, .path = path, .name = strrchr(path, '/') + 1};
    return 0;
}

void place_close(struct place *p)
{
    close_fd(&p->dir);
}

/* -- what is there ------------------------------------------------------------------------------------------------------- */

static int hash_fd(int fd, char ret[65])
{
    char chunk[CHUNK];
    struct sha256 s;
    unsigned char digest[32];
    ssize_t n;
    sha256_init(&s);
    while ((n = read(fd, chunk, sizeof chunk)) != 0) {
        if (n < 0 && errno != EINTR)
            return -errno;
        if (n > 0)
            sha256_add(&s, chunk, (size_t)n);
    }
    sha256_done(&s, digest);
    sha256_hex(digest, ret);
    return 0;
}

static int look_file(struct arena *a, const struct place *p, struct state *ret)
{
    char hex[65];
    int fd = openat(p->dir, p->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    int r = fd < 0 ? -errno : hash_fd(fd, hex);
    close_fd(&fd);
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
        return fail(e, r, p->path);
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
    close_fd(&from);
    return r < 0 ? fail(e, r, p->path) : 0;
}

static int rename_over(const struct place *p, const char *temp, int r, struct err *e)
{
    if (r == 0 && renameat(p->dir, temp, p->dir, p->name) < 0)
        r = -errno;
    if (r < 0) {
        (void)unlinkat(p->dir, temp, 0); /* the reason counts */
        return fail(e, r, p->path);
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
        return fail(e, -errno, p->path);
    (void)fsync(p->dir);
    return 0;
}

static int rename_new(const struct place *p, const char *from, const char *to, struct err *e)
{
    int r = renameat2(p->dir, from, p->dir, to, RENAME_NOREPLACE) < 0 ? -errno : 0;
    if (r == -EINVAL || r == -ENOSYS) { /* a file system that cannot; ours is the lock */
        struct stat st;
        r = fstatat(p->dir, to, &st, AT_SYMLINK_NOFOLLOW) == 0 ? -EEXIST : renameat(p->dir, from, p->dir, to) < 0 ? -errno : 0;
    }
    if (r < 0)
        return fail(e, r, p->path);
    (void)fsync(p->dir);
    return 0;
}

int place_rename(const struct place *p, const char *to, struct err *e)
{
    return rename_new(p, p->name, to, e);
}

int place_rename_back(const struct place *p, const char *from, struct err *e)
{
    return rename_new(p, from, p->name, e);
}

/* -- whole folders -------------------------------------------------------------------------------------------------------- */

struct tree { dev_t dev; const struct timespec *since; struct arena *a; const char *found; };

static int open_folder(int dir, const char *name, DIR **ret)
{
    int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    *ret = fd < 0 ? NULL : fdopendir(fd);
    if (*ret)
        return 0;
    int r = -errno;
    close_fd(&fd);
    return r;
}

static bool is_dots(const char *name)
{
    return str_eq(name, ".") || str_eq(name, "..");
}

static int empty_folder(struct tree *t, int dir, const char *name, unsigned depth)
{
    DIR *d;
    struct dirent *x;
    int r = open_folder(dir, name, &d);
    if (r < 0)
        return r;
    while (r == 0 && (errno = 0, x = readdir(d))) {
        struct stat st;
        if (is_dots(x->d_name))
            continue;
        if (unlinkat(dirfd(d), x->d_name, 0) == 0)
            continue;
        if (errno != EISDIR && errno != EPERM)
            r = -errno;
        else if (fstatat(dirfd(d), x->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            r = -errno;
        else if (!S_ISDIR(st.st_mode))
            r = -EPERM;
        else if (st.st_dev != t->dev)
            r = -EXDEV;
        else if (depth == DEPTH_MAX)
            r = -ELOOP;
        else if ((r = empty_folder(t, dirfd(d), x->d_name, depth + 1)) == 0 && unlinkat(dirfd(d), x->d_name, AT_REMOVEDIR) < 0)
            r = -errno;
    }
    if (r == 0 && errno)
        r = -errno;
    closedir(d);
    return r;
}

int place_remove_tree(const struct place *p, const char *temp, struct err *e)
{
    struct stat st;
    int r = fstatat(p->dir, p->name, &st, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
    if (r == 0 && !S_ISDIR(st.st_mode))
        return place_unlink(p, e);
    if (r == 0 && fstatat(p->dir, temp, &(struct stat){0}, AT_SYMLINK_NOFOLLOW) == 0) { /* of an earlier try: that one first */
        struct place left = {.dir = p->dir, .path = p->path, .name = temp};
        struct tree t = {.dev = st.st_dev};
        r = empty_folder(&t, p->dir, temp, 0);
        r = r == -ENOTDIR ? place_unlink(&left, e) : r < 0 ? r : unlinkat(p->dir, temp, AT_REMOVEDIR) < 0 ? -errno : 0;
    }
    if (r == 0 && renameat(p->dir, p->name, p->dir, temp) < 0)
        r = -errno;
    if (r == -ENOENT)
        r = 0;
    if (r == 0)
        r = fstatat(p->dir, temp, &st, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
    if (r == 0) {
        struct tree t = {.dev = st.st_dev};
        (void)fsync(p->dir);
        r = empty_folder(&t, p->dir, temp, 0);
        if (r == 0 && unlinkat(p->dir, temp, AT_REMOVEDIR) < 0)
            r = -errno;
    }
    return r < 0 && r != -ENOENT ? fail(e, r, p->path) : 0;
}

/* What is left over of an earlier try, or no longer wanted. Absent is fine. */
static int remove_folder(const struct place *p, const char *name, struct err *e)
{
    const struct place left = {.dir = p->dir, .path = p->path, .name = name};
    struct stat st;
    if (fstatat(p->dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? 0 : fail(e, -errno, p->path);
    if (!S_ISDIR(st.st_mode))
        return place_unlink(&left, e);
    struct tree t = {.dev = st.st_dev};
    int r = empty_folder(&t, p->dir, name, 0);
    if (r == 0 && unlinkat(p->dir, name, AT_REMOVEDIR) < 0)
        r = -errno;
    return r < 0 ? fail(e, r, p->path) : 0;
}

/* A hard link; where there can be none, a copy. Neither a socket nor a device is anything that a package installs. */
static int keep_file(int from, int to, const char *name, const struct stat *st)
{
    struct place p = {.dir = from, .path = name, .name = name};
    struct timespec times[2] = {st->st_atim, st->st_mtim};
    if (!S_ISREG(st->st_mode) || linkat(from, name, to, name, 0) == 0)
        return 0;
    if (errno != EPERM && errno != EMLINK && errno != EOPNOTSUPP && errno != ENOSYS && errno != EXDEV)
        return -errno;
    int r = place_copy(&p, to, name, NULL);
    if (r == 0 && (fchmodat(to, name, st->st_mode & MODE_BITS, 0) < 0 || utimensat(to, name, times, AT_SYMLINK_NOFOLLOW) < 0))
        r = -errno;
    return r;
}

static int keep_link(int from, int to, const char *name)
{
    char target[PATH_MAX];
    ssize_t n = readlinkat(from, name, target, sizeof target - 1);
    if (n < 0)
        return -errno;
    target[n] = '\0';
    return symlinkat(target, to, name) < 0 ? -errno : 0;
}

static int keep_folder(const struct tree *t, int from, const char *name, int to, const char *as, unsigned depth)
{
    DIR *d;
    struct dirent *x;
    struct stat st;
    int r = open_folder(from, name, &d), out = -1;
    if (r < 0)
        return r;
    if (fstat(dirfd(d), &st) < 0 || mkdirat(to, as, FOLDER_MODE) < 0 || (out = openat(to, as, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0)
        r = -errno;
    mode_t mode = st.st_mode & MODE_BITS;
    while (r == 0 && (errno = 0, x = readdir(d))) {
        if (is_dots(x->d_name))
            continue;
        if (fstatat(dirfd(d), x->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            r = -errno;
        else if (S_ISLNK(st.st_mode))
            r = keep_link(dirfd(d), out, x->d_name);
        else if (!S_ISDIR(st.st_mode))
            r = keep_file(dirfd(d), out, x->d_name, &st);
        else
            r = st.st_dev != t->dev ? -EXDEV : depth == DEPTH_MAX ? -ELOOP : keep_folder(t, dirfd(d), x->d_name, out, x->d_name, depth + 1);
    }
    if (r == 0 && errno)
        r = -errno;
    if (r == 0 && fchmod(out, mode) < 0)
        r = -errno;
    close_fd(&out);
    closedir(d);
    return r;
}

int place_keep(const struct place *p, const char *kept, const char *part, struct err *e)
{
    struct stat st;
    int r = fstatat(p->dir, p->name, &st, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
    if (r < 0)
        return fail(e, r, p->path);
    r = remove_folder(p, part, e);
    if (r < 0)
        return r;
    struct tree t = {.dev = st.st_dev};
    r = keep_folder(&t, p->dir, p->name, p->dir, part, 0);
    if (r < 0)
        return fail(e, r, p->path);
    return rename_new(p, part, kept, e);
}

int place_keep_back(const struct place *p, const char *kept, const char *part, struct err *e)
{
    struct stat st;
    int r = 0;
    if (fstatat(p->dir, kept, &st, AT_SYMLINK_NOFOLLOW) == 0) {
        if (fstatat(p->dir, p->name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
            r = remove_folder(p, part, e);
            if (r == 0)
                r = rename_new(p, p->name, part, e);
        }
        if (r == 0)
            r = rename_new(p, kept, p->name, e);
    }
    return r < 0 ? r : remove_folder(p, part, e);
}

static bool is_later(const struct timespec *x, const struct timespec *y)
{
    return x->tv_sec != y->tv_sec ? x->tv_sec > y->tv_sec : x->tv_nsec > y->tv_nsec;
}

static int newer_in(struct tree *t, int dir, const char *name, const char *shown, unsigned depth)
{
    DIR *d;
    struct dirent *x;
    int r = open_folder(dir, name, &d);
    if (r < 0)
        return r;
    while (r == 0 && !t->found && (errno = 0, x = readdir(d))) {
        struct stat st;
        if (is_dots(x->d_name) || str_eq(x->d_name, "__pycache__") || str_ends(x->d_name, ".pyc"))
            continue;
        const char *here = *shown ? arena_printf(t->a, "%s/%s", shown, x->d_name) : arena_strdup(t->a, x->d_name);
        if (fstatat(dirfd(d), x->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            r = -errno;
        else if (S_ISDIR(st.st_mode)) /* a folder's own time changes with compiled files too */
            r = depth == DEPTH_MAX ? -ELOOP : st.st_dev != t->dev ? 0 : newer_in(t, dirfd(d), x->d_name, here, depth + 1);
        else if (is_later(st.st_nlink > 1 ? &st.st_mtim : &st.st_ctim, t->since)) /* a cache's hard links come and go, and change the ctime */
            t->found = here;
    }
    closedir(d);
    return r;
}

bool place_is_younger(const struct place *p, const struct timespec *than)
{
    struct statx st;
    if (statx(p->dir, p->name, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &st) < 0 || !(st.stx_mask & STATX_BTIME))
        return false;
    return is_later(&(struct timespec){st.stx_btime.tv_sec, st.stx_btime.tv_nsec}, than);
}

int place_newer(struct arena *a, const struct place *p, const struct timespec *since, const char **ret, struct err *e)
{
    struct stat st;
    struct tree t = {.since = since, .a = a};
    int r = fstatat(p->dir, p->name, &st, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
    t.dev = r == 0 ? st.st_dev : 0;
    if (r == 0)
        r = newer_in(&t, p->dir, p->name, "", 0);
    if (r < 0)
        return fail(e, r, p->path);
    *ret = t.found;
    return 0;
}
