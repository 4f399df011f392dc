/* SPDX-License-Identifier: Apache-2.0 */
/* dropin - folders of files. */
#include "base/dropin.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/i18n.h"
#include "base/util.h"

/* NULL, or why it is not read. */
static const char *read_fd(struct arena *a, int fd, size_t max, struct dropin *ret)
{
    struct stat st;
    size_t n = 0;
    ssize_t got = 0;
    if (fstat(fd, &st) < 0)
        return strerror(errno);
    if (!S_ISREG(st.st_mode))
        return _("not a file; only ordinary files are read");
    if ((uint64_t)st.st_size > max)
        return arena_printf(a, _("larger than %d KiB; make several files of it"), (int)(max / 1024));
    size_t room = (size_t)st.st_size; /* what is added meanwhile is not read */
    char *p = arena_raw(a, room + 1);
    while (n < room && ((got = read(fd, p + n, room - n)) > 0 || (got < 0 && errno == EINTR)))
        n += got > 0 ? (size_t)got : 0;
    if (got < 0)
        return strerror(errno);
    p[n] = '\0';
    ret->text = p;
    ret->n = n;
    return NULL;
}

static void read_one(struct arena *a, int dir, size_t max, struct dropin *x)
{
    int fd = openat(dir, x->name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    x->why = fd < 0 ? arena_strdup(a, strerror(errno)) : read_fd(a, fd, max, x);
    if (fd >= 0)
        close(fd);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct dropin *)a)->name, ((const struct dropin *)b)->name);
}

void dropins_read(struct arena *a, const char *folder, const char *suffix, size_t max_bytes, size_t most, struct dropin **ret, size_t *ret_n)
{
    struct dropin *list = NULL;
    size_t n = 0;
    DIR *d = opendir(folder);
    if (!d && errno != ENOENT && errno != ENOTDIR)
        *ARENA_PUSH(a, list, n) = (struct dropin){.path = folder, .name = path_base(folder), .why = arena_strdup(a, strerror(errno))};
    for (struct dirent *x; d && (x = readdir(d)) != NULL;)
        if (*x->d_name != '.' && str_ends(x->d_name, suffix))
            ARENA_PUSH(a, list, n)->name = arena_strdup(a, x->d_name);
    if (d && n)
        qsort(list, n, sizeof *list, by_name);
    for (size_t i = 0; d && i < n; i++) {
        list[i].path = path_join(a, folder, list[i].name);
        if (i < most) {
            read_one(a, dirfd(d), max_bytes, &list[i]);
        } else {
            list[i].why = arena_printf(a, _("more than %zu files; it and those behind it are not read"), most);
            n = i + 1;
        }
    }
    if (d)
        closedir(d);
    *ret = list;
    *ret_n = n;
}
