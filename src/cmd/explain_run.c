/* SPDX-License-Identifier: Apache-2.0 */
/* explain_run - explain --run: a command is run in our place, and what it printed is explained when it has ended. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/child.h"
#include "base/i18n.h"
#include "cmd/explain.h"
#include "report/explained.h"

enum { REST = 64 * 1024, SHELL_BASE = 128, NOT_FOUND = 127, NOT_EXECUTABLE = 126 };

/* The beginning of a line of one stream, which waits for its end: the two streams come in turns. */
struct rest { char p[REST]; size_t n; };
struct reader { struct explain *x; struct rest rest[2]; };

static void flush(struct reader *r, struct rest *rest)
{
    if (rest->n)
        explain_feed(r->x, rest->p, rest->n);
    rest->n = 0;
}

static void seen(void *ctx, int stream, const char *p, size_t n)
{
    struct reader *r = ctx;
    struct rest *rest = &r->rest[stream - 1];
    const char *newline = memrchr(p, '\n', n);
    size_t whole = newline ? (size_t)(newline - p) + 1 : 0;
    if (whole || n > REST - rest->n)
        flush(r, rest);
    if (whole)
        explain_feed(r->x, p, whole);
    memcpy(rest->p + rest->n, p + whole, n - whole);
    rest->n += n - whole;
}

static void last_lines(struct cmd_ctx *c, struct reader *r, const struct explain_ending *end)
{
    const char *line = ending_line(c->a, end);
    for (size_t i = 0; i < 2; i++) {
        if (r->rest[i].n == 0)
            continue;
        flush(r, &r->rest[i]);
        explain_feed(r->x, "\n", 1);
    }
    if (line)
        explain_feed(r->x, line, strlen(line));
    explain_end(r->x);
}

/* What it printed on standard error stays what it was; ours comes behind it. */
static void print(struct cmd_ctx *c, const struct explain_answer *x)
{
    struct buf out;
    struct term term;
    term_init(&term, STDERR_FILENO, c->o.no_color);
    buf_init(&out, 0);
    if (c->o.format == FORMAT_JSON)
        report_explained_json(c->a, x, &out);
    else
        report_explained_run(c->a, x, &term, &out);
    (void)term_write(STDERR_FILENO, &out); /* nobody is left to tell, and the exit code is the command's */
    buf_done(&out);
}

int explain_run(struct cmd_ctx *c, struct explain *x, const struct facts *facts, struct explain_answer *answer)
{
    struct err e = {0};
    struct child_result r = {0};
    struct reader *reader = arena_raw(c->a, sizeof *reader);
    const struct child_pass_spec spec = {.argv = c->args, .seen = seen, .ctx = reader};
    struct explain_ending *end = ARENA_NEW(c->a, struct explain_ending);
    reader->x = x;
    reader->rest[0].n = reader->rest[1].n = 0;
    explain_file(x, _("the command's output"));
    *ARENA_PUSH(c->a, c->args, c->n_args) = NULL;
    c->n_args--;
    int rc = child_pass(&spec, &r, &e);
    if (rc < 0)
        return cmd_fail(c, rc == -ENOENT || rc == -ENOTDIR ? NOT_FOUND : NOT_EXECUTABLE, "%s", e.msg);
    bool by_signal = r.end == CHILD_SIGNALED;
    *end = (struct explain_ending){c->args, by_signal, by_signal ? SHELL_BASE + r.signal : r.code, r.signal, r.elapsed_ms, r.peak_rss_bytes};
    last_lines(c, reader, end);
    explain_judge(x, answer);
    explain_machine(c, facts, answer);
    answer->ending = end;
    print(c, answer);
    return end->code;
}
