/* SPDX-License-Identifier: Apache-2.0 */
/* index_get - one curl for all pages: its settings go through a file that only the user can read, because an address may hold a password. */
#include "act/index_get.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/child.h"
#include "base/homes.h"
#include "base/i18n.h"
#include "base/util.h"
#include "base/whole.h"

enum { DEADLINE_MS = 180000, ANSWERS_MAX = 1 << 16, PAGE_MAX = 64 << 20, CURL_NO_SUCH_OPTION = 2, PRIVATE = 0600 };
#define ACCEPT "Accept: application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"

static const char *page_file(struct arena *a, const char *dir, size_t i)
{
    return arena_printf(a, "%s/%zu", dir, i);
}

/* A value of curl's settings file. */
static void setting(struct buf *b, const char *name, const char *value)
{
    buf_addf(b, "%s = \"", name);
    for (const char *s = value; *s; s++) {
        if (*s == '"' || *s == '\\')
            buf_addc(b, '\\');
        buf_addc(b, *s);
    }
    buf_adds(b, "\"\n");
}

static int write_settings(struct arena *a, const char *path, const char *dir, const struct index_conf *conf, const struct index_page *pages, size_t n, struct err *e)
{
    struct buf b;
    buf_init(&b, 0);
    buf_adds(&b, "silent\nshow-error\nlocation\ncompressed\nnetrc-optional\ngloboff\nconnect-timeout = 20\nspeed-limit = 1\nspeed-time = 30\nretry = 2\n");
    setting(&b, "proto", str_starts(conf->url, "https://") ? "=https" : "=http,https"); /* from https nothing leads to http */
    setting(&b, "header", ACCEPT);
    setting(&b, "write-out", "%{http_code} %{filename_effective}\\n");
    if (conf->cacert)
        setting(&b, "cacert", conf->cacert);
    for (size_t i = 0; i < n; i++) {
        setting(&b, "url", pages[i].url);
        setting(&b, "output", page_file(a, dir, i));
    }
    (void)unlink(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, PRIVATE);
    int r = fd < 0 ? -errno : whole_write(fd, b.p, b.len);
    if (fd >= 0)
        close(fd);
    buf_done(&b);
    return r < 0 ? err_set(e, r, "%s: %s", path, strerror(-r)) : 0;
}

static int start(struct arena *a, const char *curl, const char *settings, bool parallel, struct child_result *r, struct err *e)
{
    const char *argv[] = {curl, "--config", settings, parallel ? "--parallel" : NULL, "--parallel-max", "8", NULL};
    const struct child_spec spec = {.exe = curl, .argv = argv, .envp = (const char *const *)environ, .deadline_ms = DEADLINE_MS, .max_answer = ANSWERS_MAX, .max_output = ANSWERS_MAX};
    return child_run(a, &spec, r, e);
}

/* Lines "200 FILE" among what curl says; *ret_words: its first other one. */
static int answers(struct arena *a, const char *dir, const struct child_result *r, struct index_page *pages, size_t n, const char **ret_words, struct err *e)
{
    struct str line;
    size_t answered = 0, at = strlen(dir);
    for (size_t pos = 0; str_line(r->output, r->n_output, &pos, &line);) {
        uint64_t code, i;
        bool is = line.n > at + 5 && line.p[3] == ' ' && str_to_u64(line.p, 3, 10, &code) == 0 && memcmp(line.p + 4, dir, at) == 0
                  && str_to_u64(line.p + at + 5, line.n - at - 5, 10, &i) == 0 && i < n;
        if (!is) {
            *ret_words = *ret_words || !line.n ? *ret_words : arena_strndup(a, line.p, line.n);
            continue;
        }
        if (code != 200 && code != 404 && code != 410 && code != 0)
            return err_set(e, -EIO, _("the package index answers %d to %s"), (int)code, index_shown(a, pages[i].url));
        pages[i].has = code == 200;
        answered += code != 0;
    }
    return answered == n && r->end == CHILD_EXITED && r->code == 0 ? 0 : -EIO;
}

static int read_pages(struct arena *a, const char *dir, struct index_page *pages, size_t n, struct err *e)
{
    int r = 0;
    for (size_t i = 0; i < n && r == 0; i++) {
        char *text = NULL;
        if (!pages[i].has)
            continue;
        r = whole_read(a, page_file(a, dir, i), PAGE_MAX, &text, &pages[i].n, e);
        if (r == 0 && pages[i].n > PAGE_MAX)
            r = err_set(e, -EFBIG, _("%s is larger than a page of a package index can be"), index_shown(a, pages[i].url));
        pages[i].text = text;
    }
    return r;
}

/* The folder, with its lock: what a run that was killed has left in it goes with the next one. */
static int open_folder(struct arena *a, const char **ret, int *ret_lock, struct err *e)
{
    int r = homes_make(a, HOMES_CACHE, "index", ret, e);
    if (r < 0)
        return r;
    *ret_lock = open(*ret, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*ret_lock < 0 || flock(*ret_lock, LOCK_EX) < 0) {
        r = -errno;
        return err_set(e, r, "%s: %s", *ret, strerror(-r));
    }
    return 0;
}

int index_get(struct arena *a, const char *curl, const struct index_conf *conf, struct index_page *pages, size_t n, struct err *e)
{
    const char *dir = NULL, *words = NULL;
    struct child_result r = {0};
    int lock = -1, rc = open_folder(a, &dir, &lock, e);
    const char *settings = rc == 0 ? path_join(a, dir, "curl") : NULL;
    if (rc == 0)
        rc = write_settings(a, settings, dir, conf, pages, n, e);
    if (rc == 0)
        rc = start(a, curl, settings, true, &r, e);
    if (rc == 0 && r.end == CHILD_EXITED && r.code == CURL_NO_SUCH_OPTION) /* before 7.66 */
        rc = start(a, curl, settings, false, &r, e);
    if (rc == 0) {
        struct err own = {0};
        rc = answers(a, dir, &r, pages, n, &words, &own);
        if (rc < 0)
            err_set(e, rc, "%s", own.msg[0] ? own.msg : words ? words : r.end == CHILD_TIMEOUT ? strerror(ETIMEDOUT) : "curl");
    }
    if (rc == 0)
        rc = read_pages(a, dir, pages, n, e);
    for (size_t i = 0; dir && i < n; i++)
        (void)unlink(page_file(a, dir, i));
    if (settings)
        (void)unlink(settings);
    if (lock >= 0)
        close(lock);
    return rc;
}
