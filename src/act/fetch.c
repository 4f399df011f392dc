/* SPDX-License-Identifier: Apache-2.0 */
/* fetch - downloads. */
#include "act/fetch.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/child.h"
#include "base/homes.h"
#include "base/i18n.h"
#include "base/sha256.h"
#include "base/util.h"

enum { CURL_RANGE_REFUSED = 33, CURL_HTTP_ERROR = 22, TEXT_MAX = 4096, TEXT_MS = 60000 };

/* From https nothing leads to http. */
static const char *protocols(const char *url)
{
    return str_starts(url, "https://") ? "=https" : "=http,https";
}

/* Where what came of a file is kept until it is whole. */
static int part_name(struct arena *a, const struct step *s, const char **ret, struct err *e)
{
    const char *dir = NULL;
    int r = homes_make(a, HOMES_CACHE, "downloads", &dir, e);
    if (r == 0)
        *ret = arena_printf(a, "%s/%s.part", dir, s->sha256);
    return r;
}

static int checksum(int fd, char ret[65])
{
    return lseek(fd, 0, SEEK_SET) < 0 ? -errno : sha256_fd(fd, ret);
}

static int curl(struct act *x, const struct step *s, const char *part, bool resume, int *ret_code, int *ret_stopped, struct err *e)
{
    const char *argv[] = {"curl", "--fail", "--location", "--proto", protocols(s->url), "--output", part, "--url", s->url, isatty(STDERR_FILENO) ? "--progress-bar" : "-sS",
                          resume ? "--continue-at" : NULL, "-", NULL};
    const struct child_pass_spec spec = {.argv = argv, .mask = &x->signals, .seen = x->seen, .ctx = x->ctx};
    struct child_result r = {0};
    int rc = child_pass(&spec, &r, e);
    if (rc < 0)
        return rc;
    *ret_stopped = r.asked;
    *ret_code = r.end == CHILD_SIGNALED ? -1 : r.code;
    return 0;
}

static const char *first_line(struct arena *a, const char *text)
{
    return *text ? arena_strndup(a, text, strcspn(text, "\r\n")) : "curl";
}

int fetch_text(struct arena *a, const char *curl, const char *url, const char **ret, struct err *e)
{
    const char *argv[] = {curl, "--fail", "--location", "--proto", protocols(url), "-sS", "--url", url, NULL};
    const struct child_spec spec = {.exe = curl, .argv = argv, .envp = (const char *const *)environ, .deadline_ms = TEXT_MS, .max_answer = TEXT_MAX, .max_output = TEXT_MAX};
    struct child_result r = {0};
    int rc = child_run(a, &spec, &r, e);
    if (rc < 0)
        return rc;
    if (r.end != CHILD_EXITED || r.code != 0 || r.n_output >= TEXT_MAX)
        return err_set(e, -EIO, _("%s could not be fetched: %s"), url, r.end == CHILD_TIMEOUT ? strerror(ETIMEDOUT) : first_line(a, r.output));
    *ret = r.output;
    return 0;
}

static bool is_whole(const char *part, const char *sha256)
{
    char hex[65];
    int fd = open(part, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    bool whole = fd >= 0 && checksum(fd, hex) == 0 && str_eq(hex, sha256);
    if (fd >= 0)
        close(fd);
    return whole;
}

static bool has_begun(const char *part)
{
    struct stat st;
    int fd = open(part, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool begun = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
    if (fd >= 0)
        close(fd);
    return begun;
}

static int fetch(struct act *x, const struct step *s, const char *part, int *ret_stopped, struct err *e)
{
    bool resume = has_begun(part);
    int code = 0;
    if (resume && is_whole(part, s->sha256))
        return 0;
    int r = curl(x, s, part, resume, &code, ret_stopped, e);
    if (r == 0 && resume && !*ret_stopped && (code == CURL_RANGE_REFUSED || code == CURL_HTTP_ERROR)) { /* the server cannot go on there */
        (void)unlink(part);
        r = curl(x, s, part, false, &code, ret_stopped, e);
    }
    if (r == 0 && code)
        r = err_set(e, -EIO, _("%s could not be fetched (curl ended with code %d); what came is kept for the next try"), s->url, code);
    return r;
}

int fetch_file(struct act *x, const struct step *s, int *ret, int *ret_stopped, struct err *e)
{
    const char *part = NULL;
    char hex[65];
    int r = part_name(x->a, s, &part, e);
    if (r == 0)
        r = fetch(x, s, part, ret_stopped, e);
    if (r < 0)
        return r;
    int fd = open(part, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    r = fd < 0 ? -errno : checksum(fd, hex);
    if (r < 0) {
        err_set(e, r, "%s: %s", part, strerror(-r));
    } else if (!str_eq(hex, s->sha256)) {
        (void)unlink(part);
        r = err_set(e, -EBADMSG, _("%s is not the file that was expected: its SHA-256 is %s; it was thrown away"), s->url, hex);
    }
    if (r == 0)
        *ret = fd;
    else if (fd >= 0)
        close(fd);
    return r;
}

void fetch_forget(struct arena *a, const struct step *s)
{
    const char *part = NULL;
    if (part_name(a, s, &part, NULL) == 0)
        (void)unlink(part);
}
