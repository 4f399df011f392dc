/* SPDX-License-Identifier: Apache-2.0 */
/* explain - logs in, causes out; or the page of one cause. */
#include "explain/explain.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/i18n.h"
#include "cmd/cmd.h"
#include "explain/sniff.h"
#include "report/explained.h"

enum { CHUNK = 128 * 1024, SNIFF_BYTES = 8192 };

/* read() until `want` bytes or the end. Bytes read, or a negative errno. */
static long read_some(int fd, unsigned char *p, size_t room, size_t want)
{
    size_t have = 0;
    while (have < want) {
        ssize_t n = read(fd, p + have, room - have);
        if (n == 0)
            break;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        have += (size_t)n;
    }
    return (long)have;
}

static int refuse_kind(const struct cmd_ctx *c, const char *name, enum sniffed kind)
{
    static const char *const programs[] = {[SNIFF_GZIP] = "gzip", [SNIFF_ZSTD] = "zstd", [SNIFF_XZ] = "xz", [SNIFF_BZIP2] = "bzip2", [SNIFF_ZIP] = "unzip -p"};
    if (kind == SNIFF_BINARY)
        return cmd_fail(c, EXIT_USAGE, _("%s: not a log: binary data"), name);
    const char *dc = kind == SNIFF_ZIP ? "" : " -dc";
    return cmd_fail(c, EXIT_USAGE, _("%s: packed; unpack it on the way: %s%s FILE | tfgpu explain"), name, programs[kind], dc);
}

static int feed(const struct cmd_ctx *c, struct explain *x, int fd, const char *name)
{
    unsigned char *p = arena_raw(c->a, CHUNK);
    bool first = true;
    explain_file(x, name);
    for (;;) {
        long n = read_some(fd, p, CHUNK, first ? SNIFF_BYTES : 1);
        if (n < 0)
            return cmd_fail(c, n == -EISDIR ? EXIT_USAGE : EXIT_UNDETERMINED, _("%s: cannot be read: %s"), name, strerror((int)-n));
        enum sniffed kind = first ? sniff(p, (size_t)n) : SNIFF_TEXT;
        if (kind != SNIFF_TEXT)
            return refuse_kind(c, name, kind);
        if (n == 0)
            break;
        explain_feed(x, p, (size_t)n);
        first = false;
    }
    explain_end(x);
    return EXIT_GOOD;
}

static int feed_named(const struct cmd_ctx *c, struct explain *x, const char *name)
{
    struct stat st;
    if (str_eq(name, "-"))
        return feed(c, x, STDIN_FILENO, _("standard input"));
    int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return cmd_fail(c, errno == ENOENT || errno == ENOTDIR ? EXIT_USAGE : EXIT_UNDETERMINED, _("%s: cannot be opened: %s"), name, strerror(errno));
    int r = EXIT_GOOD;
    if (fstat(fd, &st) == 0 && (S_ISDIR(st.st_mode) || S_ISBLK(st.st_mode)))
        r = cmd_fail(c, EXIT_USAGE, S_ISDIR(st.st_mode) ? _("%s: not a log: a folder") : _("%s: not a log: a device"), name);
    else
        r = feed(c, x, fd, name);
    close(fd);
    return r;
}

static int print_answer(struct cmd_ctx *c, const struct explain_answer *x)
{
    struct buf out;
    buf_init(&out, 0);
    if (c->o.format == FORMAT_JSON)
        report_explained_json(c->a, x, &out);
    else
        report_explained(c->a, x, c->n_args > 1, &c->term, &out);
    int r = cmd_print(c, &out);
    buf_done(&out);
    return r != EXIT_GOOD ? r : x->n ? EXIT_GOOD : EXIT_BROKEN;
}

static int print_page(struct cmd_ctx *c, const struct explain_entry *e)
{
    struct buf out;
    buf_init(&out, 0);
    if (c->o.format == FORMAT_JSON)
        report_cause_json(c->a, e, &out);
    else
        report_cause(c->a, e, &c->term, &out);
    int r = cmd_print(c, &out);
    buf_done(&out);
    return r;
}

/* A name that is no file may be a cause's, misspelt. */
static const char *entry_id(const void *ctx, size_t i)
{
    (void)ctx;
    return explain_str(explain_entries[i].id);
}

static int page_or_slip(struct cmd_ctx *c, const char *name, bool *ret_done)
{
    struct stat st;
    *ret_done = false;
    if (str_eq(name, "-") || strchr(name, '/') || fstatat(AT_FDCWD, name, &st, 0) == 0)
        return EXIT_GOOD;
    const struct explain_entry *e = explain_entry_of(name);
    *ret_done = true;
    if (e)
        return print_page(c, e);
    const char *near = nearest_name(name, EXPLAIN_N_ENTRIES, entry_id, NULL);
    if (near)
        return cmd_fail(c, EXIT_USAGE, _("%s: no such file, and no cause of that name; did you mean '%s'?"), name, near);
    return cmd_fail(c, EXIT_USAGE, _("%s: no such file, and no cause of that name"), name);
}

int cmd_explain(struct cmd_ctx *c)
{
    static const char *const standard_input[] = {"-"};
    const char *const *names = c->n_args ? (const char *const *)c->args : standard_input;
    size_t n = c->n_args ? c->n_args : 1;
    struct explain *x;
    struct explain_answer answer;
    struct err e = {0};
    bool done = false;
    if (c->n_args == 0 && isatty(STDIN_FILENO))
        return cmd_fail(c, EXIT_USAGE, _("which log? tfgpu explain FILE, or: python train.py 2>&1 | tfgpu explain"));
    int r = c->n_args == 1 ? page_or_slip(c, names[0], &done) : EXIT_GOOD;
    if (done)
        return r;
    if (explain_new(c->a, &x, &e) < 0)
        return cmd_fail(c, EXIT_UNDETERMINED, "%s", e.msg);
    for (size_t i = 0; r == EXIT_GOOD && i < n; i++)
        r = feed_named(c, x, names[i]);
    if (r == EXIT_GOOD)
        explain_judge(x, &answer);
    explain_free(x);
    return r == EXIT_GOOD ? print_answer(c, &answer) : r;
}
