/* SPDX-License-Identifier: Apache-2.0 */
/* fetch - downloads. */
#include "act/fetch.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/child.h"
#include "base/i18n.h"
#include "base/sha256.h"
#include "base/util.h"

enum { CHUNK = 64 * 1024, FOLDER_MODE = 0700, CURL_RANGE_REFUSED = 33, CURL_HTTP_ERROR = 22 };

static int make_folders(struct arena *a, const char *path)
{
    char *p = arena_strdup(a, path);
    for (char *s = p + 1; ; s++) {
        if (*s && *s != '/')
            continue;
        char end = *s;
        *s = '\0';
        if (mkdir(p, FOLDER_MODE) < 0 && errno != EEXIST)
            return -errno;
        *s = end;
        if (!end)
            return 0;
    }
}

static const char *folder(struct arena *a)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (!cache || cache[0] != '/')
        cache = home && home[0] == '/' ? path_join(a, home, ".cache") : "/tmp";
    return path_join(a, cache, "tfgpu/downloads");
}

static const char *part_name(struct arena *a, const struct step *s)
{
    return arena_printf(a, "%s/%s.part", folder(a), s->sha256);
}

static int checksum(int fd, char ret[65])
{
    char chunk[CHUNK];
    unsigned char digest[32];
    struct sha256 h;
    ssize_t n;
    if (lseek(fd, 0, SEEK_SET) < 0)
        return -errno;
    sha256_init(&h);
    while ((n = read(fd, chunk, sizeof chunk)) != 0) {
        if (n < 0 && errno != EINTR)
            return -errno;
        if (n > 0)
            sha256_add(&h, chunk, (size_t)n);
    }
    sha256_done(&h, digest);
    sha256_hex(digest, ret);
    return 0;
}

static int curl(struct act *x, const struct step *s, const char *part, bool resume, int *ret_code, int *ret_stopped, struct err *e)
{
    const char *argv[] = {"curl", "--fail", "--location", "--proto", "=http,https", "--progress-bar", "--output", part, "--url", s->url,
                          resume ? "--continue-at" : NULL, "-", NULL};
    const struct child_pass_spec spec = {.argv = argv, .seen = x->seen, .ctx = x->ctx};
    struct child_result r = {0};
    int rc = child_pass(&spec, &r, e);
    if (rc < 0)
        return rc;
    *ret_stopped = r.asked;
    *ret_code = r.end == CHILD_SIGNALED ? -1 : r.code;
    return 0;
}

int fetch_file(struct act *x, const struct step *s, int *ret, int *ret_stopped, struct err *e)
{
    const char *part = part_name(x->a, s);
    char hex[65];
    struct stat st;
    int code = 0, r = make_folders(x->a, folder(x->a));
    if (r < 0)
        return err_set(e, r, "%s: %s", folder(x->a), strerror(-r));
    bool resume = lstat(part, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
    r = curl(x, s, part, resume, &code, ret_stopped, e);
    if (r == 0 && resume && (code == CURL_RANGE_REFUSED || code == CURL_HTTP_ERROR)) { /* it was whole already, or the server cannot go on */
        int fd = open(part, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        bool whole = fd >= 0 && checksum(fd, hex) == 0 && str_eq(hex, s->sha256);
        if (fd >= 0)
            close(fd);
        if (!whole) {
            (void)unlink(part);
            r = curl(x, s, part, false, &code, ret_stopped, e);
        } else {
            code = 0;
        }
    }
    if (r == 0 && code)
        r = err_set(e, -EIO, _("%s could not be fetched (curl ended with code %d); what came is kept for the next try"), s->url, code);
    if (r < 0)
        return r;
    int fd = open(part, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    r = fd < 0 ? -errno : checksum(fd, hex);
    if (r < 0) {
        if (fd >= 0)
            close(fd);
        return err_set(e, r, "%s: %s", part, strerror(-r));
    }
    if (!str_eq(hex, s->sha256)) {
        close(fd);
        (void)unlink(part);
        return err_set(e, -EBADMSG, _("%s is not the file that was expected: its SHA-256 is %s; it was thrown away"), s->url, hex);
    }
    *ret = fd;
    return 0;
}

void fetch_forget(struct arena *a, const struct step *s)
{
    (void)unlink(part_name(a, s));
}
