/* SPDX-License-Identifier: Apache-2.0 */
/* setup - makes the environment that fits this machine best, repairs what its wheels lack, and checks it. */
#include <errno.h>
#include <string.h>
#include "act/conda_init.h"
#include "act/jupyter.h"
#include "base/i18n.h"
#include "base/util.h"
#include "cmd/action.h"
#include "cmd/ask.h"
#include "cmd/lock.h"
#include "cmd/online.h"
#include "cmd/setup.h"
#include "cmd/setup_driver.h"
#include "knowledge/pydata.h"
#include "knowledge/wheel_kinds.h"
#include "probe/which.h"

enum { PYTHON_MINOR_MAX = 19, PYTHON_MINOR_MIN = 6 };

#define COMMAND "tfgpu setup"
#define UV_PYTHON_MIN "3.8" /* its package's Requires-Python */

/* -- what is there ------------------------------------------------------------------------------------------------------- */

static const char *absolute(struct cmd_ctx *c, const struct root *root, const char *path)
{
    return path_clean(c->a, path_join(c->a, root_cwd(root), path));
}

static void add_python(struct setup *s, struct which_at *at, const char *name, const char *version)
{
    struct which w;
    which_find(at, name, &w);
    for (size_t i = 0; i < s->n_pythons; i++)
        if (str_eq(s->pythons[i].version, version))
            return;
    if (w.program)
        *ARENA_PUSH(s->c->a, s->pythons, s->n_pythons) = (struct python){version, w.program};
}

/* "3.11.7" is 3.11 */
static const char *minor_of(struct arena *a, const char *version)
{
    const char *dot = version ? strchr(version, '.') : NULL;
    return dot ? arena_strndup(a, version, (size_t)(dot - version) + 1 + strcspn(dot + 1, ".")) : NULL;
}

static void find_pythons(struct setup *s, struct probe *p)
{
    struct arena *a = s->c->a;
    struct which_at *at = WHICH_AT(p->root, a);
    const char *plain = minor_of(a, p->f->python.version);
    if (plain && p->f->python.real)
        *ARENA_PUSH(a, s->pythons, s->n_pythons) = (struct python){plain, p->f->python.real};
    for (int minor = PYTHON_MINOR_MAX; minor >= PYTHON_MINOR_MIN; minor--)
        add_python(s, at, arena_printf(a, "python3.%d", minor), arena_printf(a, "3.%d", minor));
}

/* -- what fits ------------------------------------------------------------------------------------------------------------ */

static const struct python *python_of(const struct setup *s, const char *version)
{
    for (size_t i = 0; i < s->n_pythons; i++)
        if (str_eq(s->pythons[i].version, version))
            return &s->pythons[i];
    return NULL;
}

/* With each interpreter at hand; the newest TensorFlow wins, then the one that plain python3 is. */
static void choose(struct setup *s)
{
    static const char *const any = NULL;
    for (size_t i = 0; i < (s->n_pythons ? s->n_pythons : 1); i++) {
        struct solve_ask ask = s->ask;
        struct solve_answer answer = {0};
        ask.python_here = s->n_pythons ? s->pythons[i].version : any;
        ask.engine = (enum solve_engine)s->engine.engine;
        ask.engine_asked = true;
        solve(s->c->a, &ask, &answer);
        const struct solve_offer *best = answer.n_offers ? &answer.offers[0] : NULL;
        bool at_hand = best && python_of(s, best->python);
        if (!best ? !s->offer && i == 0 : !s->offer || (at_hand && ver_cmp(best->tensorflow, s->offer->tensorflow) > 0)) {
            s->answer = answer;
            s->offer = best;
        }
    }
    const struct python *py = s->offer ? python_of(s, s->offer->python) : NULL;
    s->interpreter = py ? py->path : NULL;
}

/* The engine and the Python of the lock; --engine may name another one. */
static void follow_lock(struct setup *s)
{
    for (enum engine e = 0; e < N_ENGINES && !s->ask.engine_asked; e++)
        if (str_eq(solve_engine_id((enum solve_engine)e), s->locked->engine)) {
            s->ask.engine = (enum solve_engine)e;
            s->ask.engine_asked = true;
        }
    const struct python *py = python_of(s, minor_of(s->c->a, s->locked->python));
    s->interpreter = py ? py->path : NULL;
    for (size_t i = 0; i < s->locked->n_packages; i++) {
        const char *name = s->locked->packages[i].name;
        const struct wheel_kind *kind = wheel_kind_find(name);
        if (pydata_tf_dist(name)) {
            s->framework = NULL;
            break;
        }
        if (!s->framework && kind && (kind->kind == FACT_WHEEL_KIND_TORCH || kind->kind == FACT_WHEEL_KIND_JAX))
            s->framework = name;
    }
}

static int nothing_fits(const struct setup *s)
{
    struct cmd_ctx *c = s->c;
    for (size_t i = 0; i < s->answer.n_reasons; i++)
        (void)cmd_fail(c, EXIT_BROKEN, "%s", s->answer.reasons[i].text);
    return cmd_fail(c, EXIT_BROKEN, _("nothing fits; 'tfgpu solve' says what would have to change"));
}

/* -- the plan -------------------------------------------------------------------------------------------------------------- */

static void plan_kernel(const struct setup *s, struct root *root, const char *dir, const char *framework, struct plan *p)
{
    const struct jupyter_job job = {.dir = dir, .root = root, .conda = s->engine.engine == ENGINE_CONDA, .framework = framework};
    if (s->c->o.jupyter)
        jupyter_steps(s->c->a, &job, p);
}

static void plan_beside(struct setup *s, struct root *root, struct plan *p)
{
    beside_together(s->c->a, s->offer, &s->job, p);
    for (size_t i = 0; i < s->offer->n_apart; i++) {
        const struct python *py = python_of(s, s->offer->apart[i].python);
        struct beside *b = ARENA_PUSH(s->c->a, s->beside, s->n_beside);
        *b = (struct beside){.job = s->job, .kernel = s->c->o.jupyter};
        beside_steps(s->c->a, s->engine.engine, &s->offer->apart[i], py ? py->path : NULL, p, b);
        plan_kernel(s, root, b->job.dir, b->want->name, p);
    }
}

/* Of a lock what is not in it; its own packages come first, as they stand there. */
static const char *const *all_pins(const struct setup *s, size_t *ret_n)
{
    struct arena *a = s->c->a;
    const char **pins = NULL;
    *ret_n = 0;
    for (size_t i = 0; s->offer && i < s->offer->n_pins; i++)
        *ARENA_PUSH(a, pins, *ret_n) = arena_printf(a, "%s%s", s->offer->pins[i].name, s->offer->pins[i].spec);
    for (size_t i = 0; s->c->o.jupyter && (s->framework ? i == 0 : jupyter_pins[i] != NULL); i++) /* the notebook is TensorFlow's */
        if (!s->locked || !lockfile_find(s->locked, jupyter_pins[i]))
            *ARENA_PUSH(a, pins, *ret_n) = jupyter_pins[i];
    return pins;
}

static void make_plan(struct setup *s, struct root *root, struct plan *p)
{
    struct arena *a = s->c->a;
    size_t n_pins;
    const char *const *pins = all_pins(s, &n_pins);
    s->job = (struct engine_job){.dir = s->dir, .program = s->engine.program, .interpreter = s->interpreter, .python = s->offer ? s->offer->python : minor_of(a, s->locked->python),
                                 .cuda = s->offer ? s->offer->cuda : s->locked->floor.cuda, .elsewhere = s->c->o.driver != NULL, .pins = pins, .n_pins = n_pins, .locked = s->locked};
    *p = (struct plan){.command = COMMAND, .subject = s->dir};
    plan_folder(a, p, s->dir);
    engine_steps(a, s->engine.engine, &s->job, p);
    plan_kernel(s, root, s->dir, s->framework, p);
    if (s->offer)
        plan_beside(s, root, p);
}

static int introduce(const struct setup *s)
{
    struct cmd_ctx *c = s->c;
    struct buf out;
    buf_init(&out, 0);
    if (s->locked)
        buf_add_line(&out, _("%zu packages of %s with Python %s in %s"), s->locked->n_packages, c->o.lock, minor_of(c->a, s->locked->python), s->dir);
    else
        buf_add_line(&out, _("TensorFlow %s with Python %s, CUDA %s, cuDNN %s in %s"), s->offer->tensorflow, s->offer->python, s->offer->cuda ? s->offer->cuda : "-",
                 s->offer->cudnn ? s->offer->cudnn : "-", s->dir);
    if (s->engine.version)
        buf_add_line(&out, _("  made by %s %s (%s)"), path_base(s->engine.program), s->engine.version, s->engine.program);
    for (size_t i = 0; s->offer && i < s->offer->n_defects; i++)
        buf_add_line(&out, "  %s", s->offer->defects[i].text);
    if (s->ask.online)
        buf_add_line(&out, _("  versions as the package index %s has them now"), s->ask.online->index);
    if (s->offer)
        beside_introduce(s->offer, s->beside, s->n_beside, &out);
    int r = cmd_print(c, &out);
    buf_done(&out);
    return r;
}

/* -- the command -------------------------------------------------------------------------------------------------------- */

/* Was it begun and cut short? Else nothing may be there. A colon parts the folders of PATH: an activation of that folder would find nothing. */
static int look_at_target(struct setup *s, struct root *root, bool *ret_pending, struct plan *ret_earlier)
{
    struct cmd_ctx *c = s->c;
    const struct plan same = {.command = COMMAND, .subject = s->dir};
    struct err e = {0};
    struct root_stat st;
    if (act_is_pending(c->a, &same, ret_pending, ret_earlier, &e) < 0)
        return cmd_fail(c, EXIT_UNDETERMINED, "%s", e.msg);
    if (!*ret_pending && root_lstat(root, s->dir, &st) == 0)
        return cmd_fail(c, EXIT_USAGE, _("%s exists already: name another folder with --env, or remove it first"), s->dir);
    if (!plan_is_path(s->dir))
        return cmd_fail(c, EXIT_USAGE, _("%s cannot be the folder of an environment: its name is no UTF-8, or has control characters; name another folder with --env"), s->dir);
    if (strchr(s->dir, ':'))
        return cmd_fail(c, EXIT_USAGE, _("%s cannot be the folder of an environment: PATH cannot name a folder with a colon; name another folder with --env"), s->dir);
    return EXIT_GOOD;
}

/* The first Python at hand that uv's package takes; uv itself needs none. */
static const char *python_for_uv(const struct setup *s)
{
    for (size_t i = 0; i < s->n_pythons; i++)
        if (ver_cmp(s->pythons[i].version, UV_PYTHON_MIN) >= 0)
            return s->pythons[i].path;
    return NULL;
}

static int agree_and_do(struct setup *s, const struct plan *plan)
{
    bool go = false;
    int r = introduce(s);
    if (r == EXIT_GOOD)
        r = engine_show(s->c, &s->engine);
    if (r == EXIT_GOOD)
        r = action_agree(s->c, plan, &go);
    if (r != EXIT_GOOD || !go)
        return r;
    r = engine_get(s->c, &s->engine);
    return r == EXIT_GOOD ? setup_do(s, plan) : r;
}

static int with_machine(struct setup *s, struct probe *p)
{
    struct cmd_ctx *c = s->c;
    struct plan plan, earlier = {0};
    struct err e = {0};
    bool pending = false;
    int r = ask_stated(c, &s->ask);
    if (r == EXIT_GOOD && s->locked)
        r = lock_fits(c, s->locked, &s->ask);
    if (r != EXIT_GOOD)
        return r;
    find_pythons(s, p);
    if (s->locked)
        follow_lock(s);
    s->engine.engine = s->ask.engine_asked ? (enum engine)s->ask.engine : ENGINE_UV;
    if (!s->locked) {
        s->ask.engine = (enum solve_engine)s->engine.engine;
        if ((r = online_ask(c, &s->ask)) != EXIT_GOOD)
            return r;
        choose(s);
    }
    if (!s->locked && !s->offer)
        return nothing_fits(s);
    r = look_at_target(s, p->root, &pending, &earlier);
    if (r == EXIT_GOOD)
        r = engine_choose(c, p->root, s->ask.engine_asked, (enum engine)s->ask.engine, python_for_uv(s), &s->engine);
    if (r == EXIT_GOOD && !pending)
        r = engine_has_room(c, p->root, &s->engine, s->dir, 1 + (s->offer ? s->offer->n_apart : 0), s->offer ? s->offer->cuda != NULL : s->locked->floor.cuda != NULL);
    if (r != EXIT_GOOD)
        return r;
    make_plan(s, p->root, &plan);
    if (!pending && (r = beside_free(c, p->root, s->beside, s->n_beside)) != EXIT_GOOD)
        return r;
    if (c->o.conda_init && s->engine.engine != ENGINE_CONDA)
        return cmd_fail(c, EXIT_USAGE, _("option '--conda-init' needs '--engine conda'"));
    if (c->o.conda_init && conda_init_step(c->a, p->root, s->engine.program, &earlier, &plan, &e) < 0)
        return cmd_fail(c, e.code == -EINVAL ? EXIT_USAGE : EXIT_UNDETERMINED, "%s", e.msg);
    return plan_check(&plan, &e) < 0 ? cmd_fail(c, EXIT_UNDETERMINED, "%s", e.msg) : agree_and_do(s, &plan);
}

int cmd_setup(struct cmd_ctx *c)
{
    struct setup s = {.c = c};
    struct probe p = {0};
    struct lockfile locked;
    if (str_eq(c->o.driver, SETUP_DRIVER))
        return setup_driver(c);
    const char *env = c->o.env, *other = c->o.tf ? "--tf" : c->o.with ? "--with" : c->o.python ? "--python" : c->o.online ? "--online" : NULL;
    if (c->o.lock && other)
        return cmd_fail(c, EXIT_USAGE, _("options '%s' and '%s' do not go together"), "--lock", other);
    int r = c->o.lock ? lock_load(c, c->o.lock, &locked) : EXIT_GOOD;
    if (r != EXIT_GOOD)
        return r;
    s.locked = c->o.lock ? &locked : NULL;
    c->o.env = NULL;
    r = cmd_probe(c, NEED_MACHINE | NEED_PYTHON | NEED_DRIVER, &p);
    c->o.env = env;
    if (r != EXIT_GOOD)
        return r;
    s.machine = p.f;
    s.dir = absolute(c, p.root, env ? env : ".venv");
    solve_ask_from_facts(c->a, p.f, &s.ask);
    if (s.locked && !s.ask.glibc)
        s.ask.glibc = ask_glibc(&p);
    r = with_machine(&s, &p);
    root_close(p.root);
    return r;
}
