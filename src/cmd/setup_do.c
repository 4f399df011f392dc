/* SPDX-License-Identifier: Apache-2.0 */
/* setup_do - the plan carried out, what came out of it repaired, locked and judged. */
#include <string.h>
#include "act/hook_read.h"
#include "act/locked.h"
#include "act/repair.h"
#include "base/i18n.h"
#include "base/util.h"
#include "cmd/action.h"
#include "cmd/lock.h"
#include "cmd/setup.h"
#include "report/report.h"
#include "rules/judge.h"

enum { REPAIRS_MAX = 8, FIRST_FILE_LAYER = 2, LAST_FILE_LAYER = 4 };

struct making { const struct setup *s; const struct plan *first; struct act *x; struct plan more; bool hooked; };

static int look_at(const struct setup *s, const char *dir, unsigned needs, struct probe *p)
{
    const char *env = s->c->o.env;
    s->c->o.env = dir;
    int r = cmd_probe(s->c, needs, p);
    s->c->o.env = env;
    return r;
}

static int look(const struct setup *s, struct probe *p)
{
    return look_at(s, s->dir, NEED_ALL & ~(unsigned)NEED_SHELL, p);
}

/* -- locks ---------------------------------------------------------------------------------------------------------------- */

/* Without one the environment is none the worse. */
static int leave_lock(struct making *m, const char *dir)
{
    const struct setup *s = m->s;
    struct probe p = {0};
    struct lockfile *l = ARENA_NEW(s->c->a, struct lockfile);
    int r = look_at(s, dir, NEED_PYTHON | NEED_PACKAGES, &p);
    if (r != EXIT_GOOD)
        return r;
    const char *uv = s->engine.engine == ENGINE_UV ? s->engine.program : lock_uv(s->c, p.root);
    r = uv ? lock_make(s->c, &p, uv, l) : EXIT_BROKEN;
    root_close(p.root);
    if (act_is_stopped())
        return EXIT_INTERRUPT;
    if (r == EXIT_GOOD)
        locked_keep(s->c->a, dir, l, &m->more);
    else if (s->locked)
        (void)cmd_fail(s->c, r, _("the lock in %s does not name what Jupyter needs; 'tfgpu lock --env %s' writes one that does"), dir, dir);
    else
        (void)cmd_fail(s->c, r, _("the environment is whole, but has no lock yet; 'tfgpu lock --env %s' writes one"), dir);
    return EXIT_GOOD;
}

/* Of what was made, among the steps of it. One that was made from a lock has that, unless more was asked for than stands in it. */
static int leave_locks(struct making *m)
{
    const struct setup *s = m->s;
    size_t before = m->more.n_steps;
    int r = s->locked && s->job.n_pins == 0 ? EXIT_GOOD : leave_lock(m, s->dir);
    for (size_t i = 0; r == EXIT_GOOD && i < s->n_beside; i++)
        r = leave_lock(m, s->beside[i].job.dir);
    return r == EXIT_GOOD && m->more.n_steps > before ? action_more(s->c, m->x, m->first->n_steps, &m->more) : r;
}

/* -- repairs -------------------------------------------------------------------------------------------------------------- */

/* No link helps: the activation names the folders, and so do the kernels that this plan may write. */
static void add_hook(struct making *m)
{
    struct arena *a = m->s->c->a;
    struct probe p = {0};
    struct hook_file *files = NULL;
    size_t n = 0, n_ours = 0;
    if (look_at(m->s, m->s->dir, NEED_ALL, &p) != EXIT_GOOD) /* the shell's part knows the kernels */
        return;
    hook_read(a, p.root, p.f, &files, &n);
    for (size_t i = 0; i < n; i++)
        if (plan_holds(m->first, files[i].path))
            files[n_ours++] = files[i];
    m->hooked = repair_hook(a, p.f, files, n_ours, &m->more) || m->hooked;
    root_close(p.root);
}

static int export(struct making *m, struct root *root, struct err *e)
{
    const struct setup *s = m->s;
    int r = engine_export(s->c->a, s->engine.engine, &s->job, root, &m->more, e);
    for (size_t i = 0; r == 0 && i < s->n_beside; i++)
        r = engine_export(s->c->a, s->engine.engine, &s->beside[i].job, root, &m->more, e);
    return r;
}

/* What the engine needs to make the same again; then the links. Each round shows what the libraries need that became reachable in the
 * round before. */
static int complete(struct making *m)
{
    const struct setup *s = m->s;
    struct err e = {0};
    size_t left = 0, before;
    int r = EXIT_GOOD;
    for (int round = 0; round < REPAIRS_MAX && r == EXIT_GOOD; round++) {
        struct probe p = {0};
        r = look(s, &p);
        if (r != EXIT_GOOD)
            break;
        before = m->more.n_steps;
        int bad = round == 0 ? export(m, p.root, &e) : 0;
        repair_links(s->c->a, p.f, s->dir, &m->more, &left);
        root_close(p.root);
        if (bad < 0)
            return cmd_fail(s->c, EXIT_ACTION, "%s", e.msg);
        if (left && m->more.n_steps == before)
            add_hook(m);
        if (m->more.n_steps == before)
            break;
        r = action_more(s->c, m->x, m->first->n_steps, &m->more);
        if (r != EXIT_GOOD)
            return r;
    }
    return r == EXIT_GOOD ? leave_locks(m) : r;
}

/* -- how it is ------------------------------------------------------------------------------------------------------------ */

static bool is_broken(const struct judgement *j)
{
    for (size_t i = FIRST_FILE_LAYER - 1; i < LAST_FILE_LAYER; i++)
        if (j->layers[i].status == LAYER_BROKEN)
            return true;
    return false;
}

/* check judges TensorFlow: where a lock has none there is nothing to judge. */
static int verdict(const struct making *m)
{
    const struct setup *s = m->s;
    struct cmd_ctx *c = s->c;
    struct probe p = {0};
    struct judgement j;
    struct buf out;
    int r = look(s, &p);
    if (r != EXIT_GOOD)
        return r;
    judge_run(c->a, p.f, &j);
    const struct report rep = {.a = c->a, .f = p.f, .j = &j, .term = &c->term, .verbose = c->o.verbose};
    buf_init(&out, 0);
    if (!s->framework)
        report_text(&rep, &out);
    if (m->hooked)
        buf_add_line(&out, "%s", _("Some libraries are found only where LD_LIBRARY_PATH names their folders: the activation and the Jupyter kernel set it."));
    buf_add_line(&out, _("To work in it: %s"), engine_use(c->a, s->engine.engine, &s->job));
    beside_use(c->a, s->engine.engine, s->beside, s->n_beside, &out);
    buf_add_line(&out, s->n_beside ? _("To remove them: %s") : _("To remove it: %s"), "tfgpu undo");
    r = cmd_print(c, &out);
    buf_done(&out);
    root_close(p.root);
    return r == EXIT_GOOD && !s->framework && is_broken(&j) ? EXIT_BROKEN : r;
}

int setup_do(const struct setup *s, const struct plan *p)
{
    struct act x;
    struct making m = {.s = s, .first = p, .x = &x};
    int r = action_run(s->c, p, &x);
    if (r != EXIT_GOOD)
        return r;
    r = complete(&m);
    r = r == EXIT_GOOD ? action_finish(s->c, &x) : action_abandon(s->c, &x, r);
    return r == EXIT_GOOD ? verdict(&m) : r;
}
