/* SPDX-License-Identifier: Apache-2.0 */
/* online - the package index behind solve and setup. */
#include "cmd/online.h"
#include "act/index_known.h"
#include "base/i18n.h"
#include "base/util.h"
#include "cmd/lock.h"
#include "probe/which.h"

/* Where the user has named no index, that of the engine, or of the other one. */
static const char *default_index(struct cmd_ctx *c, struct root *live, enum engine e)
{
    const char *url = NULL;
    for (int i = 0; i < 2 && !url; i++) {
        bool uv = (e == ENGINE_UV) == (i == 0);
        struct which python = {0};
        if (!uv)
            which_find(WHICH_AT(live, c->a), "python3", &python);
        const char *program = uv ? lock_uv(c, live) : python.program;
        url = program ? index_ask(c->a, uv ? ENGINE_UV : ENGINE_VENV, program) : NULL;
    }
    return url;
}

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
    if (curl.program && !conf.url)
        conf.url = default_index(c, live, (enum engine)ask->engine);
    root_close(live);
    if (!curl.program)
        return cmd_fail(c, EXIT_ACTION, _("option '--online' asks the package index with curl, which is not on PATH; without --online tfgpu's own tables answer"));
    if (!conf.url)
        return cmd_fail(c, EXIT_ACTION, _("no package index is set, and neither uv nor pip is there to name its default; set UV_DEFAULT_INDEX or PIP_INDEX_URL; without --online tfgpu's own tables answer"));
    if (index_known(c->a, curl.program, &conf, ask->with, ask->n_with, x, &e) < 0)
        return cmd_fail(c, EXIT_ACTION, _("the package index %s did not answer: %s; without --online tfgpu's own tables answer"), index_shown(c->a, conf.url), e.msg);
    ask->online = x;
    ask->known = &x->known;
    return EXIT_GOOD;
}
