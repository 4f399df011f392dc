/* SPDX-License-Identifier: Apache-2.0 */
/* whole - files that the user names. */
#include "base/whole.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/i18n.h"
#include "base/util.h"

static int fail(struct err *e, int code, const char *what)
{
    return err_set(e, code, "%s: %s", what, strerror(-code));
}

static int read_fd(struct arena *a, int fd, size_t max, char **ret, size_t *ret_n)
{
    enum { STEP = 64 * 1024 };
    char *piece = arena_raw(a, STEP);
    struct buf b;
    ssize_t n;
    buf_init(&b, 0);
    do {
        n = read(fd, piece, STEP);
        if (n > 0)
            buf_add(&b, piece, (size_t)n);
    } while (b.len <= max && (n > 0 || (n < 0 && errno == EINTR)));
    int r = n < 0 ? -errno : 0;
    *ret_n = b.len;
    *ret = arena_strndup(a, b.p ? b.p : "", b.len);
    buf_done(&b);
    return r;
}

int whole_read(struct arena *a, const char *path, size_t max, char **ret, size_t *ret_n, struct err *e)
{
    struct stat st;
    bool standard = str_eq(path, "-");
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return fail(e, -errno, _("cannot be opened"));
    int r = fstat(fd, &st) < 0 ? -errno : S_ISDIR(st.st_mode) ? -EISDIR : S_ISREG(st.st_mode) || S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || standard ? 0 : -EINVAL;
    if (r == 0)
        r = read_fd(a, fd, max, ret, ret_n);
    if (!standard)
        close(fd);
    return r < 0 ? fail(e, r, _("cannot be read")) : 0;
}

int whole_write(int fd, const void *bytes, size_t n)
{
    for (const char *p = bytes; n; ) {
        ssize_t w = write(fd, p, n);
        if (w < 0 && errno == EINTR)
            continue;
        if (w < 0)
            return -errno;
        p += w;
        n -= (size_t)w;
    }
    return 0;
}

static int write_through(const char *path, const struct buf *bytes, struct err *e)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    int r = fd < 0 ? -errno : whole_write(fd, bytes->p, bytes->len);
    if (fd >= 0 && close(fd) < 0 && r == 0)
        r = -errno;
    return r < 0 ? fail(e, r, _("cannot be written")) : 0;
}

static void sync_folder(const char *dir)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd); /* not every file system can; the file itself is synced */
        close(fd);
    }
}

/* Of the file that is replaced: its owner where that can be, and its permissions; of a new one: `mode`. */
static int same_rights(int fd, const struct stat *old, unsigned mode)
{
    mode_t mask = umask(0);
    (void)umask(mask);
    if (old && fchown(fd, old->st_uid, old->st_gid) < 0)
        errno = 0; /* it is ours to write, not to give away */
    return fchmod(fd, old ? old->st_mode & 0777 : mode & ~mask & 0777) < 0 ? -errno : 0;
}

static int write_beside(const char *path, char *temp, const struct buf *bytes, const struct stat *old, unsigned mode)
{
    int fd = mkostemp(temp, O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int r = whole_write(fd, bytes->p, bytes->len);
    if (r == 0)
        r = same_rights(fd, old, mode);
    if (r == 0 && fsync(fd) < 0)
        r = -errno;
    if (close(fd) < 0 && r == 0)
        r = -errno;
    if (r == 0 && rename(temp, path) < 0)
        r = -errno;
    if (r < 0)
        (void)unlink(temp); /* the reason counts */
    return r;
}

int whole_replace(const char *path, const struct buf *bytes, unsigned mode, struct err *e)
{
    struct arena a;
    struct stat st;
    bool is_there = stat(path, &st) == 0;
    if (is_there && !S_ISREG(st.st_mode))
        return S_ISDIR(st.st_mode) ? fail(e, -EISDIR, _("cannot be written")) : write_through(path, bytes, e);
    char *real = is_there ? realpath(path, NULL) : NULL; /* a link stays one */
    arena_init(&a, 0);
    path = real ? real : path;
    int r = write_beside(path, arena_printf(&a, "%s.XXXXXX", path), bytes, is_there ? &st : NULL, mode);
    if (r == 0)
        sync_folder(path_dir(&a, path));
    else
        r = fail(e, r, _("cannot be written"));
    arena_done(&a);
    free(real);
    return r;
}
