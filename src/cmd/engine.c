/* SPDX-License-Identifier: Apache-2.0 */
/* engine - engines found, got, and the room that they need. */
#include "cmd/engine.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "act/engine_get.h"
#include "act/fetch.h"
#include "base/i18n.h"
#include "base/util.h"
#include "cmd/action.h"
#include "knowledge/engine_data.h"
#include "probe/which.h"
#include "report/planned.h"
#include "solve/solve.h"

#define MIRROR "TFGPU_MINIFORGE_URL"

/* -- which one ------------------------------------------------------------------------------------------------------------ */

static bool answers(struct cmd_ctx *c, struct engine_choice *e, const char *program, struct err *why)
{
    if (!program || engine_ask(c->a, program, &e->version, why) < 0)
        return false;
    e->program = program;
    return true;
}

/* An action that was cut short while it was got is gone on with: what is there is not ready. */
static bool is_half_got(struct cmd_ctx *c, enum engine engine)
{
    struct plan p;
    bool pending = false;
    engine_get_plan(c->a, &(struct engine_get){.engine = engine}, &p);
    return act_is_pending(c->a, &p, &pending, NULL, NULL) == 0 && pending;
}

static bool is_there(struct cmd_ctx *c, struct root *root, struct engine_choice *e, struct err *why)
{
    for (const char *const *name = engine_programs(e->engine); *name; name++) {
        struct which w = {0};
        which_find(WHICH_AT(root, c->a), *name, &w);
        if (answers(c, e, w.program, why))
            return true;
    }
    if (!engine_own_dir(c->a, e->engine) || is_half_got(c, e->engine))
        return false;
    for (const char *const *path = engine_own_programs(c->a, e->engine); *path; path++) {
        struct root_stat st;
        if (root_stat(root, *path, &st) == 0 && answers(c, e, *path, why))
            return true;
    }
    return false;
}

static int ask_publisher(struct cmd_ctx *c, struct root *root, struct engine_get *g)
{
    struct err why = {0};
    struct which curl = {0};
    const char *text = NULL, *mirror = root_getenv(root, MIRROR);
    g->url = miniforge_address(c->a, mirror && *mirror ? mirror : NULL, root_arch(root));
    which_find(WHICH_AT(root, c->a), "curl", &curl);
    if (!curl.program)
        return cmd_fail(c, EXIT_ACTION, _("no program of the conda family answers, and Miniforge cannot be fetched without curl"));
    if (fetch_text(c->a, curl.program, arena_printf(c->a, "%s.sha256", g->url), &text, &why) < 0)
        return cmd_fail(c, EXIT_ACTION, "%s", why.msg);
    g->sha256 = sum_of(c->a, text, path_base(g->url));
    return g->sha256 ? EXIT_GOOD : cmd_fail(c, EXIT_ACTION, _("%s.sha256 has no checksum of that file; nothing was changed"), g->url);
}

static int plan_to_get(struct cmd_ctx *c, struct root *root, const char *python, const struct err *why, struct engine_choice *e)
{
    struct engine_get g = {.engine = e->engine, .python = python};
    struct err bad = {0};
    struct root_stat st;
    const char *dir = engine_own_dir(c->a, e->engine), *id = solve_engine_id((enum solve_engine)e->engine);
    if (why->code)
        (void)cmd_fail(c, EXIT_GOOD, "%s", why->msg);
    if (!dir || (e->engine == ENGINE_UV && !python))
        return cmd_fail(c, EXIT_BROKEN, _("the engine '%s' is not on PATH, and there is no Python or no HOME to install it with"), id);
    if (!is_half_got(c, e->engine) && root_lstat(root, dir, &st) == 0)
        return cmd_fail(c, EXIT_BROKEN, _("the engine '%s' is not on PATH, and the one in %s does not work: remove that folder"), id, dir);
    int r = e->engine == ENGINE_CONDA ? ask_publisher(c, root, &g) : EXIT_GOOD;
    if (r != EXIT_GOOD)
        return r;
    engine_get_plan(c->a, &g, &e->get);
    if (plan_check(&e->get, &bad) < 0)
        return cmd_fail(c, EXIT_UNDETERMINED, "%s", bad.msg);
    e->missing = true;
    e->program = engine_own_programs(c->a, e->engine)[0];
    return EXIT_GOOD;
}

int engine_choose(struct cmd_ctx *c, struct root *root, bool asked, enum engine wanted, const char *python, struct engine_choice *ret)
{
    struct err why = {0};
    *ret = (struct engine_choice){.engine = asked ? wanted : ENGINE_UV};
    if (ret->engine == ENGINE_VENV || is_there(c, root, ret, &why))
        return EXIT_GOOD;
    return plan_to_get(c, root, python, &why, ret);
}

int engine_show(struct cmd_ctx *c, const struct engine_choice *e)
{
    struct buf out;
    if (!e->missing)
        return EXIT_GOOD;
    buf_init(&out, 0);
    buf_add_line(&out, _("First the engine %s, which is not here, is installed into %s ('tfgpu undo' removes it):"), solve_engine_id((enum solve_engine)e->engine), e->get.subject);
    report_plan(c->a, &e->get, 0, &c->term, &out);
    buf_adds(&out, _("Then:"));
    buf_addc(&out, '\n');
    int r = cmd_print(c, &out);
    buf_done(&out);
    return r;
}

int engine_get(struct cmd_ctx *c, struct engine_choice *e)
{
    struct act x;
    struct err why = {0};
    if (!e->missing)
        return EXIT_GOOD;
    int r = action_run(c, &e->get, &x);
    if (r == EXIT_GOOD)
        r = action_finish(c, &x);
    if (r != EXIT_GOOD)
        return r;
    return engine_ask(c->a, e->program, &e->version, &why) < 0 ? cmd_fail(c, EXIT_ACTION, "%s", why.msg) : EXIT_GOOD;
}

/* -- room ----------------------------------------------------------------------------------------------------------------- */

/* The folder itself, or the next one above it that exists. */
static const char *existing(struct cmd_ctx *c, struct root *root, const char *path, struct root_stat *ret)
{
    while (root_stat(root, path, ret) < 0 && path[0] == '/' && path[1])
        path = path_dir(c->a, path);
    return path;
}

/* Where the engine keeps what it fetched. Sources: uv, "Caching"; pip, "Caching". */
static const char *cache_of(struct cmd_ctx *c, struct root *root, enum engine e)
{
    const char *own = root_getenv(root, e == ENGINE_UV ? "UV_CACHE_DIR" : "PIP_CACHE_DIR"), *xdg = root_getenv(root, "XDG_CACHE_HOME"), *home = root_home(root);
    const char *name = e == ENGINE_UV ? "uv" : "pip";
    if (own && *own == '/')
        return own;
    if (xdg && *xdg == '/')
        return path_join(c->a, xdg, name);
    return home ? arena_printf(c->a, "%s/.cache/%s", home, name) : NULL;
}

static int check_room(struct cmd_ctx *c, struct root *root, const char *dir, uint64_t need, bool may_be_there)
{
    struct root_stat st;
    struct root_space space;
    const char *at = existing(c, root, dir, &st);
    if (root_space(root, at, &space) < 0 || space.free >= need)
        return EXIT_GOOD;
    if (may_be_there) /* only what is not in the cache yet takes room */
        return cmd_fail(c, EXIT_GOOD, _("warning: %s is free in %s; the environment takes about %s, less what is in the cache already"), bytes_text(c->a, space.free), at, bytes_text(c->a, need));
    return cmd_fail(c, EXIT_ACTION, _("%s is free in %s, and about %s is needed there: make room, or name another folder (--env, UV_CACHE_DIR, PIP_CACHE_DIR); nothing was changed"),
                    bytes_text(c->a, space.free), at, bytes_text(c->a, need));
}

/* What is certain: where there is a cache already, nobody knows what it lacks. */
int engine_has_room(struct cmd_ctx *c, struct root *root, const struct engine_choice *e, const char *dir, size_t n, bool cuda)
{
    const struct engine_room *room = engine_room(cuda);
    const char *cache = cache_of(c, root, e->engine);
    uint64_t installed = ((uint64_t)room->installed_mib << 20) * n, kept = e->engine == ENGINE_UV ? installed : ((uint64_t)room->fetched_mib << 20) * n;
    struct root_stat here = {0}, there = {0};
    (void)existing(c, root, dir, &here);
    const char *cache_at = cache ? existing(c, root, cache, &there) : NULL;
    bool same = cache_at && here.dev == there.dev, warm = cache_at && str_eq(cache_at, cache), linked = same && e->engine == ENGINE_UV;
    int r = check_room(c, root, dir, same && !warm && !linked ? installed + kept : installed, linked && warm);
    return r == EXIT_GOOD && cache_at && !same ? check_room(c, root, cache, kept, warm) : r;
}
