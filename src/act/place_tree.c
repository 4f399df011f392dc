/* SPDX-License-Identifier: Apache-2.0 */
/* place_tree - whole folders of a plan: removed, kept by hard links, looked through for what is newer. */
#include "act/place_internal.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/util.h"

enum { DEPTH_MAX = 200 };

struct tree { dev_t dev; const struct timespec *since; struct arena *a; const char *found; };

static int open_folder(int dir, const char *name, DIR **ret)
{
    int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    *ret = fd < 0 ? NULL : fdopendir(fd);
    if (*ret)
        return 0;
    int r = -errno;
    place_close_fd(&fd);
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
    return r < 0 && r != -ENOENT ? place_fail(e, r, p->path) : 0;
}

/* What is left over of an earlier try, or no longer wanted. Absent is fine. */
static int remove_folder(const struct place *p, const char *name, struct err *e)
{
    const struct place left = {.dir = p->dir, .path = p->path, .name = name};
    struct stat st;
    if (fstatat(p->dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? 0 : place_fail(e, -errno, p->path);
    if (!S_ISDIR(st.st_mode))
        return place_unlink(&left, e);
    struct tree t = {.dev = st.st_dev};
    int r = empty_folder(&t, p->dir, name, 0);
    if (r == 0 && unlinkat(p->dir, name, AT_REMOVEDIR) < 0)
        r = -errno;
    return r < 0 ? place_fail(e, r, p->path) : 0;
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
    place_close_fd(&out);
    closedir(d);
    return r;
}

int place_keep(const struct place *p, const char *kept, const char *part, struct err *e)
{
    struct stat st;
    int r = fstatat(p->dir, p->name, &st, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
    if (r < 0)
        return place_fail(e, r, p->path);
    r = remove_folder(p, part, e);
    if (r < 0)
        return r;
    struct tree t = {.dev = st.st_dev};
    r = keep_folder(&t, p->dir, p->name, p->dir, part, 0);
    if (r < 0)
        return place_fail(e, r, p->path);
    return place_rename_new(p, part, kept, e);
}

int place_keep_back(const struct place *p, const char *kept, const char *part, struct err *e)
{
    struct stat st;
    int r = 0;
    if (fstatat(p->dir, kept, &st, AT_SYMLINK_NOFOLLOW) == 0) {
        if (fstatat(p->dir, p->name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
            r = remove_folder(p, part, e);
            if (r == 0)
                r = place_rename_new(p, p->name, part, e);
        }
        if (r == 0)
            r = place_rename_new(p, kept, p->name, e);
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
        return place_fail(e, r, p->path);
    *ret = t.found;
    return 0;
}
