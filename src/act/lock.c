/* SPDX-License-Identifier: Apache-2.0 */
/* lock - one tfgpu at a time. */
#include "act/lock.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include "base/i18n.h"
#include "base/util.h"

enum { HOLDER_MAX = 200, MODE = 0600 };
#define NAME ".lock"

int lock_take(struct arena *a, int home, const char *command, int *ret, struct err *e)
{
    char holder[HOLDER_MAX + 1];
    int fd = openat(home, NAME, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, MODE);
    if (fd < 0)
        return err_set(e, -errno, _("the lock of the journals: %s"), strerror(errno));
    if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        int r = -errno;
        ssize_t n = r == -EWOULDBLOCK ? pread(fd, holder, HOLDER_MAX, 0) : 0;
        struct str line = {0};
        size_t pos = 0;
        close(fd);
        holder[n > 0 ? n : 0] = '\0';
        if (r != -EWOULDBLOCK)
            return err_set(e, r, _("the lock of the journals: %s"), strerror(-r));
        if (!str_line(holder, n > 0 ? (size_t)n : 0, &pos, &line))
            return err_set(e, r, _("another tfgpu is changing things here; try again when it has ended"));
        return err_set(e, r, _("another tfgpu is changing things here (%.*s); try again when it has ended"), (int)line.n, line.p);
    }
    const char *me = arena_printf(a, "%ld %s\n", (long)getpid(), command);
    if (ftruncate(fd, 0) == 0)
        (void)!pwrite(fd, me, strlen(me), 0); /* only who it is: the lock itself is held */
    *ret = fd;
    return 0;
}
