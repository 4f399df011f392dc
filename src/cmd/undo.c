/* SPDX-License-Identifier: Apache-2.0 */
/* undo - takes back what an earlier command changed. */
#include <errno.h>
#include "base/i18n.h"
#include "base/util.h"
#include "cmd/action.h"
#include "cmd/cmd.h"
#include "report/planned.h"

static int list(struct cmd_ctx *c, int home)
{
    const char **ids;
    size_t n;
    struct err e = {0};
    struct buf out;
    int worst = EXIT_GOOD;
    if (journal_list(c->a, home, &ids, &n, &e) < 0)
        return cmd_fail(c, EXIT_UNDETERMINED, "%s", e.msg);
    buf_init(&out, 0);
    for (size_t i = 0; i < n; i++) {
        struct journal j;
        if (journal_open(c->a, home, ids[i], false, &j, &e) < 0) {
            worst = cmd_fail(c, EXIT_UNDETERMINED, "%s", e.msg); /* the others are listed all the same */
            continue;
        }
        report_action(c->a, &j, &out);
        journal_close(&j);
    }
    if (n == 0)
        buf_add_line(&out, "%s", _("tfgpu has changed nothing here."));
    int r = cmd_print(c, &out);
    buf_done(&out);
    return r != EXIT_GOOD ? r : worst;
}

/* The last one that is not undone. */
static int newest(struct cmd_ctx *c, int home, const char **ret)
{
    const char **ids;
    size_t n;
    struct err e = {0};
    if (journal_list(c->a, home, &ids, &n, &e) < 0)
        return cmd_fail(c, EXIT_UNDETERMINED, "%s", e.msg);
    while (n-- > 0) {
        struct journal j;
        if (journal_open(c->a, home, ids[n], false, &j, &e) < 0)
            return cmd_fail(c, EXIT_UNDETERMINED, _("%s; name another one to undo that (tfgpu undo --list)"), e.msg);
        bool undone = j.undone;
        journal_close(&j);
        if (!undone) {
            *ret = ids[n];
            return EXIT_GOOD;
        }
    }
    return cmd_fail(c, EXIT_BROKEN, _("there is nothing to undo"));
}

static int show(struct cmd_ctx *c, struct act *x)
{
    struct buf out;
    buf_init(&out, 0);
    report_action(c->a, &x->j, &out);
    for (size_t i = x->j.n_steps; i-- > 0; )
        if (x->j.steps[i].stage != STEP_PENDING)
            report_step(c->a, &x->j.plan, i, ACT_GOES_BACK, &c->term, &out);
    int r = cmd_print(c, &out);
    buf_done(&out);
    return r;
}

/* What the user has made of it since then is the user's. */
static int refuse_changed(struct cmd_ctx *c, struct act *x)
{
    const char **lines;
    size_t n;
    struct err e = {0};
    if (act_changed(x, &lines, &n, &e) < 0)
        return cmd_fail(c, EXIT_ACTION, "%s", e.msg);
    if (n == 0)
        return EXIT_GOOD;
    return cmd_fail(c, EXIT_ACTION, _("%s was changed since; nothing was undone (move it away, or remove what is not needed by hand, then try again)"), lines[0]);
}

static int undo(struct cmd_ctx *c, const char *id)
{
    struct act x;
    struct err e = {0};
    int rc = act_open(c->a, id, !c->o.dry_run, &x, &e);
    if (rc < 0)
        return cmd_fail(c, rc == -ENOENT ? EXIT_USAGE : rc == -EALREADY ? EXIT_BROKEN : rc == -EWOULDBLOCK ? EXIT_ACTION : EXIT_UNDETERMINED, "%s", e.msg);
    int r = show(c, &x);
    if (r == EXIT_GOOD)
        r = refuse_changed(c, &x);
    if (r == EXIT_GOOD && !c->o.dry_run)
        r = action_confirm(c, _("Take this back?"));
    if (r == EXIT_GOOD && !c->o.dry_run && act_back(&x, &e) < 0)
        r = cmd_fail(c, EXIT_ACTION, "%s", e.msg);
    act_close(&x);
    return r;
}

int cmd_undo(struct cmd_ctx *c)
{
    const char *id = c->n_args ? c->args[0] : NULL;
    struct err e = {0};
    int home, r = EXIT_GOOD;
    if (journal_home(c->a, false, &home, &e) < 0)
        return cmd_fail(c, EXIT_UNDETERMINED, "%s", e.msg);
    if (c->o.list)
        return list(c, home);
    if (!id)
        r = newest(c, home, &id);
    return r == EXIT_GOOD ? undo(c, id) : r;
}
