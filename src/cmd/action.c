/* SPDX-License-Identifier: Apache-2.0 */
/* action - plans shown, agreed to and carried out. */
#include "cmd/action.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/i18n.h"
#include "base/util.h"
#include "report/planned.h"

enum { ANSWER = 64 };

int action_confirm(struct cmd_ctx *c, const char *question)
{
    char answer[ANSWER];
    struct buf line;
    if (c->o.yes)
        return EXIT_GOOD;
    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
        return cmd_fail(c, EXIT_USAGE, _("nobody can be asked here: give --yes to do it, --dry-run to see it only"));
    buf_init(&line, 0);
    buf_addf(&line, "%s [y/N] ", question);
    (void)term_write(STDERR_FILENO, &line); /* the answer is what counts */
    buf_done(&line);
    ssize_t n = read(STDIN_FILENO, answer, sizeof answer);
    if (n > 0 && (answer[0] == 'y' || answer[0] == 'Y'))
        return EXIT_GOOD;
    return cmd_fail(c, EXIT_BROKEN, _("it was not done"));
}

int action_agree(struct cmd_ctx *c, const struct plan *p, bool *ret_go)
{
    struct buf out;
    buf_init(&out, 0);
    report_plan(c->a, p, 0, &c->term, &out);
    int r = cmd_print(c, &out);
    buf_done(&out);
    *ret_go = false;
    if (r != EXIT_GOOD || c->o.dry_run)
        return r;
    r = action_confirm(c, _("Do this?"));
    *ret_go = r == EXIT_GOOD;
    return r;
}

static void tell(void *ctx, const struct plan *p, size_t i, enum act_phase phase)
{
    const struct cmd_ctx *c = ctx;
    struct buf out;
    struct term term;
    term_init(&term, STDERR_FILENO, c->o.no_color);
    buf_init(&out, 0);
    report_step(c->a, p, i, phase, &term, &out);
    (void)term_write(STDERR_FILENO, &out); /* only how far it is */
    buf_done(&out);
}

int action_failed(struct cmd_ctx *c, int error, const struct err *e)
{
    int code = error == -ECANCELED ? EXIT_INTERRUPT : error == -EINVAL ? EXIT_UNDETERMINED : EXIT_ACTION;
    return cmd_fail(c, code, "%s", e->msg);
}

int action_run(struct cmd_ctx *c, const struct plan *p, struct act *x)
{
    struct err e = {0};
    int r = act_start(c->a, p, x, &e);
    if (r < 0)
        return action_failed(c, r, &e);
    x->watch = tell;
    x->ctx = c;
    r = act_go(x, &e);
    if (r == 0)
        return EXIT_GOOD;
    act_close(x);
    return action_failed(c, r, &e);
}

int action_finish(struct cmd_ctx *c, struct act *x)
{
    struct err e = {0};
    int r = act_finish(x, &e);
    return r < 0 ? action_failed(c, r, &e) : EXIT_GOOD;
}

int action_abandon(struct cmd_ctx *c, struct act *x, int code)
{
    struct err e = {0};
    bool open = x->lock >= 0, stopped = act_is_stopped();
    if (open && act_back(x, &e) < 0)
        code = cmd_fail(c, EXIT_ACTION, _("it could not all be taken back (%s): 'tfgpu undo' tries again"), e.msg);
    else if (open && stopped)
        code = cmd_fail(c, EXIT_INTERRUPT, "%s", _("stopped"));
    act_close(x);
    return code;
}

int action_more(struct cmd_ctx *c, struct act *x, size_t n_first, const struct plan *more)
{
    struct err e = {0};
    int r = act_more(x, n_first, more->steps, more->n_steps, &e);
    if (r == 0)
        r = act_go(x, &e);
    if (r == 0)
        return EXIT_GOOD;
    act_close(x);
    return action_failed(c, r, &e);
}

int action_take_back(struct cmd_ctx *c, const char *command, const char *subject, bool *ret_done)
{
    struct act x;
    struct err e = {0};
    const char *id;
    *ret_done = false;
    int r = act_cut_short(c->a, command, subject, &id, &e);
    if (r == 0 && !id)
        return EXIT_GOOD;
    if (r == 0)
        r = act_open(c->a, id, true, &x, &e);
    if (r < 0)
        return action_failed(c, r, &e);
    r = act_back(&x, &e);
    act_close(&x);
    *ret_done = r == 0;
    return r < 0 ? action_failed(c, r, &e) : EXIT_GOOD;
}
