/* SPDX-License-Identifier: Apache-2.0 */
/* online - the package index behind solve and setup. */
#include "cmd/online.h"
#include "act/index_known.h"
#include "base/i18n.h"
#include "base/util.h"
#include "probe/which.h"

int online_ask(struct cmd_ctx *c, struct solve_ask *ask)
{
    struct root *live; /* the network is this machine's, whichever is judged */
    struct which curl = {0};
    struct index_conf conf;
    struct solve_online *x = ARENA_NEW(c->a, struct solve_online);
    struct err e = {0};
    if (!c->o.online)
        return EXIT_GOOD;
    if (root_open_live(c->a, &live, &e) < 0)
        return cmd_fail(c, EXIT_UNDETERMINED, "%s", e.msg);
    which_find(WHICH_AT(live, c->a), "curl", &curl);
    index_conf(c->a, live, (enum engine)ask->engine, &conf);
    root_close(live);
    if (!curl.program)
        return cmd_fail(c, EXIT_ACTION, _("option '--online' asks the package index with curl, which is not on PATH; without --online tfgpu's own tables answer"));
    if (index_known(c->a, curl.program, &conf, ask->with, ask->n_with, x, &e) < 0)
        return cmd_fail(c, EXIT_ACTION, _("the package index %s did not answer: %s; without --online tfgpu's own tables answer"), index_shown(c->a, conf.url), e.msg);
    ask->online = x;
    ask->known = &x->known;
    return EXIT_GOOD;
}
