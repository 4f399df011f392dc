/* SPDX-License-Identifier: Apache-2.0 */
/* fix - mends what check found: what is broken, in its order, or the finding that is named. */
#include <stdlib.h>
#include "act/hook_read.h"
#include "act/mend.h"
#include "base/i18n.h"
#include "base/util.h"
#include "cmd/action.h"
#include "cmd/cmd.h"
#include "cmd/driver.h"
#include "probe/which.h"
#include "report/mended.h"
#include "rules/judge.h"

enum { ROUNDS_MAX = 8 };

struct fix {
    struct cmd_ctx *c;
    const char *id;                                   /* that the user named, or NULL */
    struct probe p;
    struct judgement j;
    const struct finding **wanted; size_t n_wanted;   /* that the plan is for */
    const struct finding **next; size_t n_next;       /* a cause once: mended after them */
    const struct cause **tried; size_t n_tried;       /* those of earlier plans, and what is not for a program to do */
    struct plan plan;
};

/* -- what is there --------------------------------------------------------------------------------------------------------- */

static int look(struct fix *x)
{
    struct driver_run driver = {.deadline_ms = DRIVER_DEADLINE_MS};
    x->p = (struct probe){.driver_known = driver_begin, .caller = &driver};
    int r = cmd_probe(x->c, NEED_ALL, &x->p);
    if (r != EXIT_GOOD)
        return r;
    driver_end(&driver, &x->p);
    judge_run(x->c->a, x->p.f, &x->j);
    return r;
}

static struct report report_of(const struct fix *x)
{
    return (struct report){.a = x->c->a, .f = x->p.f, .j = &x->j, .term = &x->c->term, .verbose = x->c->o.verbose};
}

static void job_of(struct fix *x, struct mend_job *job)
{
    struct arena *a = x->c->a;
    struct which w;
    struct hook_file *files = NULL;
    size_t n = 0;
    which_find(WHICH_AT(x->p.root, a), "uv", &w);
    hook_read(a, x->p.root, x->p.f, &files, &n);
    *job = (struct mend_job){.f = x->p.f, .uv = w.program, .files = files, .n_files = n};
}

static void choose(struct fix *x, const struct cause *cause)
{
    for (size_t i = 0; i < x->j.n_findings; i++)
        if (x->j.findings[i].cause == cause)
            *ARENA_PUSH(x->c->a, x->wanted, x->n_wanted) = &x->j.findings[i];
}

/* The folders of a plan: the environment, and the kernels that run it. */
static void begin_plan(const struct fix *x, const char *id, struct plan *p)
{
    struct arena *a = x->c->a;
    const struct facts *f = x->p.f;
    *p = (struct plan){.command = arena_printf(a, "tfgpu fix %s", id), .subject = f->python.prefix ? f->python.prefix : "/"};
    if (f->python.prefix)
        plan_folder(a, p, f->python.prefix);
    for (size_t i = 0; i < f->n_kernels; i++)
        if (f->kernels[i].file && str_eq(f->kernels[i].prefix, f->python.prefix))
            plan_folder(a, p, path_dir(a, path_clean(a, f->kernels[i].file)));
}

/* -- what is said ----------------------------------------------------------------------------------------------------------- */

static bool was_tried(const struct fix *x, const struct cause *cause)
{
    for (size_t i = 0; i < x->n_tried; i++)
        if (x->tried[i] == cause)
            return true;
    return false;
}

/* Findings of other causes that could be mended, a cause once. */
static void others(struct fix *x, const struct mend_job *job, const struct cause *but, struct buf *out)
{
    const struct finding **list = NULL;
    const struct report rep = report_of(x);
    size_t n = 0;
    for (size_t i = 0; i < x->j.n_findings; i++) {
        const struct finding *f = &x->j.findings[i];
        struct plan p;
        if (f->cause == but || (n && list[n - 1]->cause == f->cause))
            continue;
        begin_plan(x, f->cause->id, &p);
        if (mend_steps(x->c->a, job, f, &p) == MEND_PLANNED)
            *ARENA_PUSH(x->c->a, list, n) = f;
    }
    report_mendable(&rep, list, n, out);
}

static int say(const struct fix *x, struct buf *out, int code)
{
    int r = cmd_print(x->c, out);
    buf_done(out);
    return r == EXIT_GOOD ? code : r;
}

static int explain(struct fix *x, const struct mend_job *job, enum mend_answer why)
{
    const struct report rep = report_of(x);
    struct buf out;
    buf_init(&out, 0);
    report_unmended(&rep, x->wanted[0], mend_answer_text(why), &out);
    others(x, job, x->wanted[0]->cause, &out);
    return say(x, &out, EXIT_BROKEN);
}

static int nothing_broken(struct fix *x)
{
    struct mend_job job;
    struct buf out;
    job_of(x, &job);
    buf_init(&out, 0);
    buf_add_line(&out, "%s", x->j.verdict == VERDICT_WORKS ? _("Nothing is broken.") : _("Nothing that is broken was found; the driver did not answer, so it is not certain."));
    others(x, &job, NULL, &out);
    return say(x, &out, x->j.verdict == VERDICT_WORKS ? EXIT_GOOD : EXIT_UNDETERMINED);
}

/* -- what is done ----------------------------------------------------------------------------------------------------------- */

static bool still_there(const struct fix *x, const struct cause *cause, const char *subject)
{
    for (size_t i = 0; i < x->j.n_findings; i++)
        if (x->j.findings[i].cause == cause && str_eq(x->j.findings[i].subject, subject))
            return true;
    return false;
}

/* The new facts are those of a process that starts after it: this shell's activation is of before. */
static int look_again(struct fix *x)
{
    root_close(x->p.root);
    x->c->o.env = x->plan.subject;
    (void)unsetenv("VIRTUAL_ENV");
    (void)unsetenv("CONDA_PREFIX");
    return look(x);
}

static bool is_wanted(const struct fix *x, const struct cause *cause)
{
    for (size_t i = 0; i < x->n_wanted; i++)
        if (x->wanted[i]->cause == cause)
            return true;
    return false;
}

/* Each round shows what became known in the round before. */
static int rounds(struct fix *x, struct act *act)
{
    struct plan more = {0};
    int r = look_again(x);
    for (int i = 0; i < ROUNDS_MAX && r == EXIT_GOOD; i++) {
        struct mend_job job;
        size_t before = more.n_steps;
        job_of(x, &job);
        for (size_t k = 0; k < x->j.n_findings; k++)
            if (is_wanted(x, x->j.findings[k].cause) && mend_goes_on(&x->j.findings[k]))
                (void)mend_steps(x->c->a, &job, &x->j.findings[k], &more);
        if (more.n_steps == before)
            break;
        r = action_more(x->c, act, x->plan.n_steps, &more);
        if (r != EXIT_GOOD)
            return r;
        r = look_again(x);
    }
    return r;
}

static int take_back(struct fix *x, struct act *act, const struct finding *f)
{
    struct err e = {0};
    int r = act_back(act, &e);
    act_close(act);
    if (r < 0)
        return cmd_fail(x->c, EXIT_ACTION, "%s", e.msg);
    return cmd_fail(x->c, EXIT_ACTION, _("%s (%s) is still there after it: all was taken back"), f->cause->id, f->subject);
}

/* Steps that count only for what starts later. */
static bool writes(const struct plan *p)
{
    for (size_t i = 0; i < p->n_steps; i++)
        if (p->steps[i].kind == STEP_WRITE)
            return true;
    return false;
}

static int show_result(struct fix *x, bool written)
{
    const struct report rep = report_of(x);
    struct mend_job job;
    struct buf out;
    job_of(x, &job);
    buf_init(&out, 0);
    buf_addc(&out, '\n');
    report_text(&rep, &out);
    if (written)
        buf_addf(&out, "\n%s\n", _("This counts from the next activation of the environment, or start of its kernel, on."));
    others(x, &job, NULL, &out);
    return say(x, &out, EXIT_GOOD);
}

static int carry_out(struct fix *x)
{
    struct act act;
    int r = action_run(x->c, &x->plan, &act);
    if (r != EXIT_GOOD)
        return r;
    r = rounds(x, &act);
    if (r != EXIT_GOOD)
        return action_abandon(x->c, &act, r);
    for (size_t i = 0; i < x->n_wanted; i++)
        if (still_there(x, x->wanted[i]->cause, x->wanted[i]->subject))
            return take_back(x, &act, x->wanted[i]);
    r = action_finish(x->c, &act);
    for (size_t i = 0; r == EXIT_GOOD && i < x->n_wanted; i++)
        *ARENA_PUSH(x->c->a, x->tried, x->n_tried) = x->wanted[i]->cause;
    return r;
}

/* Shows the plan of what is wanted, and does it. */
static int agree_and_do(struct fix *x, bool *ret_done)
{
    const struct report rep = report_of(x);
    struct err e = {0};
    struct buf out;
    bool go = false;
    *ret_done = false;
    if (plan_check(&x->plan, &e) < 0)
        return cmd_fail(x->c, EXIT_UNDETERMINED, "%s", e.msg);
    buf_init(&out, 0);
    report_mending(&rep, x->wanted, x->n_wanted, &out);
    report_mending_next(&rep, x->next, x->n_next, &out);
    int r = say(x, &out, EXIT_GOOD);
    if (r == EXIT_GOOD)
        r = action_agree(x->c, &x->plan, &go);
    if (r == EXIT_GOOD && go)
        r = carry_out(x);
    *ret_done = r == EXIT_GOOD && go;
    return r;
}

static int mend_named(struct fix *x)
{
    enum mend_answer answer = MEND_NONE;
    struct mend_job job;
    bool done;
    job_of(x, &job);
    begin_plan(x, x->wanted[0]->cause->id, &x->plan);
    for (size_t i = 0; i < x->n_wanted; i++) {
        enum mend_answer one = mend_steps(x->c->a, &job, x->wanted[i], &x->plan);
        answer = i == 0 || one == MEND_PLANNED ? one : answer;
    }
    if (x->plan.n_steps == 0)
        return explain(x, &job, answer == MEND_PLANNED ? MEND_NO_PLACE : answer);
    int r = agree_and_do(x, &done);
    return done ? show_result(x, writes(&x->plan)) : r;
}

/* -- all that is broken ------------------------------------------------------------------------------------------------------ */

static enum mend_answer steps_for(const struct fix *x, const struct mend_job *job, const struct cause *cause, struct plan *p)
{
    enum mend_answer answer = MEND_NONE;
    for (size_t i = 0; i < x->j.n_findings; i++) {
        enum mend_answer one = x->j.findings[i].cause == cause ? mend_steps(x->c->a, job, &x->j.findings[i], p) : MEND_NONE;
        answer = answer == MEND_NONE || one == MEND_PLANNED ? one : answer;
    }
    return answer == MEND_PLANNED && p->n_steps == 0 ? MEND_NO_PLACE : answer;
}

/* The first that can be mended, with all that can be done in the same go; the rest of what can be is next. */
static void group(struct fix *x, const struct mend_job *job)
{
    x->n_wanted = x->n_next = 0;
    for (size_t i = 0; i < x->j.n_findings; i++) {
        const struct finding *f = &x->j.findings[i];
        struct plan own;
        if (f->severity != SEV_BROKEN || was_tried(x, f->cause) || is_wanted(x, f->cause) || (x->n_next && x->next[x->n_next - 1]->cause == f->cause))
            continue;
        begin_plan(x, f->cause->id, &own);
        if (steps_for(x, job, f->cause, &own) != MEND_PLANNED)
            continue;
        if (x->n_wanted == 0) {
            x->plan = own;
        } else if (mend_apart(&x->plan, &own)) {
            (void)steps_for(x, job, f->cause, &x->plan);
            x->plan.command = "tfgpu fix";
        } else {
            *ARENA_PUSH(x->c->a, x->next, x->n_next) = f;
            continue;
        }
        choose(x, f->cause);
    }
}

/* The first broken link is not for a program to do: why, and how. */
static int explain_first(struct fix *x, const struct mend_job *job, bool *ret_left)
{
    const struct finding *first = x->j.first_broken;
    const struct report rep = report_of(x);
    struct plan p;
    struct buf out;
    begin_plan(x, first->cause->id, &p);
    enum mend_answer why = steps_for(x, job, first->cause, &p);
    *ret_left = why != MEND_PLANNED;
    if (!*ret_left)
        return EXIT_GOOD;
    buf_init(&out, 0);
    report_unmended(&rep, first, mend_answer_text(why), &out);
    *ARENA_PUSH(x->c->a, x->tried, x->n_tried) = first->cause;
    group(x, job);
    if (x->n_wanted)
        buf_addf(&out, "\n%s\n", _("What can be done here:"));
    else
        others(x, job, first->cause, &out);
    return say(x, &out, EXIT_GOOD);
}

static int mend_all(struct fix *x)
{
    struct mend_job job;
    bool left = false, any = false, done = true, written = false;
    job_of(x, &job);
    int r = explain_first(x, &job, &left);
    while (r == EXIT_GOOD && done) {
        job_of(x, &job);
        group(x, &job);
        done = false;
        if (x->n_wanted)
            r = agree_and_do(x, &done);
        any = any || done;
        written = written || (done && writes(&x->plan));
    }
    if (r == EXIT_GOOD && any)
        r = show_result(x, written);
    return r == EXIT_GOOD && left && !(x->c->o.dry_run && x->n_wanted) ? EXIT_BROKEN : r;
}

static const struct cause *named(const char *id)
{
    for (size_t i = 0; i < CAUSE_COUNT; i++)
        if (str_eq(causes[i].id, id))
            return &causes[i];
    return NULL;
}

/* A plan is made of what was there before an earlier run, too. */
static int take_earlier_back(struct fix *x)
{
    const char *prefix = x->p.f->python.prefix;
    bool done = false;
    int r = prefix && !x->c->o.dry_run ? action_take_back(x->c, "tfgpu fix", prefix, &done) : EXIT_GOOD;
    if (r != EXIT_GOOD || !done)
        return r;
    root_close(x->p.root); /* what it has read is kept; now it is otherwise */
    return look(x);
}

int cmd_fix(struct cmd_ctx *c)
{
    struct fix x = {.c = c, .id = c->n_args ? c->args[0] : NULL};
    const struct cause *cause = x.id ? named(x.id) : NULL;
    if (x.id && !cause)
        return cmd_fail(c, EXIT_USAGE, _("'%s' is no cause that check knows; 'tfgpu check' names them in brackets"), x.id);
    int r = look(&x);
    if (r == EXIT_GOOD)
        r = take_earlier_back(&x);
    if (r != EXIT_GOOD)
        return r;
    if (cause)
        choose(&x, cause);
    if (cause && x.n_wanted == 0)
        r = cmd_fail(c, EXIT_BROKEN, _("check does not find %s here now; nothing was changed"), x.id);
    else
        r = cause ? mend_named(&x) : x.j.first_broken ? mend_all(&x) : nothing_broken(&x);
    root_close(x.p.root);
    return r;
}
