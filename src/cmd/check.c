/* SPDX-License-Identifier: Apache-2.0 */
/* check - will TensorFlow use the GPU, and if not, which link is the first broken one? */
#include "base/i18n.h"
#include "cmd/cmd.h"
#include "cmd/driver.h"
#include "cmd/prove.h"
#include "report/report.h"
#include "rules/judge.h"

static bool has_degraded(const struct judgement *j)
{
    for (size_t i = 0; i < LAYERS; i++)
        if (j->layers[i].status == LAYER_DEGRADED)
            return true;
    return false;
}

static int exit_code(const struct judgement *j, unsigned fail_on)
{
    switch (j->verdict) {
    case VERDICT_WORKS: break;
    case VERDICT_BROKEN: return EXIT_BROKEN;
    case VERDICT_UNDETERMINED: return EXIT_UNDETERMINED;
    }
    return fail_on == FAIL_ON_DEGRADED && has_degraded(j) ? EXIT_BROKEN : EXIT_GOOD;
}

/* A driver that takes its time, or a proof, which does: what the files say is shown, so that a reader has something before the deadline. */
static int print_early(struct cmd_ctx *c, struct report *rep, struct judgement *early)
{
    struct buf out;
    judge_run(c->a, rep->f, early);
    rep->j = rep->early = early;
    buf_init(&out, 0);
    report_text_files(rep, &out);
    int r = cmd_print(c, &out);
    buf_done(&out);
    return r;
}

static int print_all(struct cmd_ctx *c, const struct report *rep)
{
    struct buf out;
    buf_init(&out, 0);
    if (c->o.format == FORMAT_JSON)
        report_json(rep, &out);
    else
        report_text(rep, &out);
    int r = cmd_print(c, &out);
    buf_done(&out);
    return r;
}

/* Facts that a file states: nothing is asked, all is there at once. */
static int check_file(struct cmd_ctx *c)
{
    struct facts *f;
    struct judgement j;
    int r = cmd_facts_file(c, &f);
    if (r != EXIT_GOOD)
        return r;
    judge_run(c->a, f, &j);
    const struct report rep = {.a = c->a, .f = f, .j = &j, .term = &c->term, .verbose = c->o.verbose, .machine = c->o.snapshot};
    r = print_all(c, &rep);
    return r == EXIT_GOOD ? exit_code(&j, c->o.fail_on) : r;
}

int cmd_check(struct cmd_ctx *c)
{
    enum { PATIENCE_MS = 100 };
    struct driver_run driver = {0};
    struct probe p = {.driver_known = driver_begin, .caller = &driver};
    struct judgement early, j;
    struct prove_ask prove;
    if (c->o.snapshot)
        return check_file(c);
    if (driver_deadline(c->o.driver_timeout, &driver.deadline_ms) < 0)
        return cmd_fail(c, EXIT_USAGE, _("option '--driver-timeout' takes seconds from 0 to %d, not '%s'"), (int)DRIVER_DEADLINE_MAX_S, c->o.driver_timeout);
    int r = prove_options(c, &prove);
    if (r == EXIT_GOOD)
        r = cmd_probe(c, NEED_ALL | (c->o.verbose ? NEED_TITLES : 0), &p);
    if (r != EXIT_GOOD)
        return r;
    struct report rep = {.a = c->a, .f = p.f, .term = &c->term, .verbose = c->o.verbose, .machine = c->o.root ? root_label(p.root) : NULL};
    bool quick = driver_wait(&driver, PATIENCE_MS) && !(c->o.prove && !c->o.root);
    if (!quick && c->o.format == FORMAT_TEXT)
        r = print_early(c, &rep, &early);
    driver_end(&driver, &p);
    prove_run(c, &p, &prove);
    judge_run(c->a, p.f, &j);
    rep.j = &j;
    if (r == EXIT_GOOD)
        r = print_all(c, &rep); /* the process ends: its files are closed with it */
    return r == EXIT_GOOD ? exit_code(&j, c->o.fail_on) : r;
}
