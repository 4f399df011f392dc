/* SPDX-License-Identifier: Apache-2.0 */
/* check - will TensorFlow use the GPU, and if not, which link is the first broken one? */
#include "cmd/cmd.h"
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

int cmd_check(struct cmd_ctx *c)
{
    struct probe p;
    struct judgement j;
    struct buf out;
    int r = cmd_probe(c, NEED_ALL, &p);
    if (r != EXIT_GOOD)
        return r;
    judge_run(c->a, p.f, &j);
    struct report rep = {.a = c->a, .f = p.f, .j = &j, .term = &c->term, .verbose = c->o.verbose,
                         .machine = c->o.root ? root_label(p.root) : NULL};
    buf_init(&out, 0);
    if (c->o.format == FORMAT_JSON)
        report_json(&rep, &out);
    else
        report_text(&rep, &out);
    r = cmd_print(c, &out);
    buf_done(&out);
    root_close(p.root);
    return r == EXIT_GOOD ? exit_code(&j, c->o.fail_on) : r;
}
