/* SPDX-License-Identifier: Apache-2.0 */
/* act - plans carried out. */
#include "act/act.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "act/lock.h"
#include "act/steps.h"
#include "base/i18n.h"
#include "base/util.h"

/* Held back while steps are done: what they ask is done between two steps. The programs of the steps get them as ever. */
static const int stop_signals[] = {SIGINT, SIGTERM, SIGHUP};

static void stop_set(sigset_t *ret)
{
    sigemptyset(ret);
    for (size_t i = 0; i < TG_COUNT(stop_signals); i++) {
        struct sigaction now;
        if (sigaction(stop_signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(ret, stop_signals[i]);
    }
}

static void hold_signals(struct act *x)
{
    sigset_t mine;
    if (x->holds)
        return;
    stop_set(&mine);
    (void)sigprocmask(SIG_BLOCK, &mine, &x->signals);
    x->holds = true;
}

bool act_is_stopped(void)
{
    sigset_t pending;
    bool asked = false;
    sigpending(&pending);
    for (size_t i = 0; i < TG_COUNT(stop_signals); i++)
        asked = asked || sigismember(&pending, stop_signals[i]) == 1;
    return asked;
}

/* What was asked is done by now. */
static void release_signals(struct act *x)
{
    sigset_t mine;
    if (!x->holds)
        return;
    x->holds = false;
    stop_set(&mine);
    while (act_is_stopped() && sigtimedwait(&mine, NULL, &(struct timespec){0}) > 0)
        ;
    (void)sigprocmask(SIG_SETMASK, &x->signals, NULL);
}

static void tell(struct act *x, size_t i, enum act_phase phase)
{
    if (x->watch)
        x->watch(x->ctx, &x->j.plan, i, phase);
}

/* -- beginning and end --------------------------------------------------------------------------------------------------- */

static struct act empty(struct arena *a)
{
    return (struct act){.a = a, .home = -1, .lock = -1, .j = {.dir = -1, .log = -1}};
}

static int take_hold(struct arena *a, const char *command, struct act *x, struct err *e)
{
    *x = empty(a);
    int r = journal_home(a, true, &x->home, e);
    if (r == 0)
        r = lock_take(a, x->home, command, &x->lock, e);
    if (r < 0)
        act_close(x);
    return r;
}

void act_close(struct act *x)
{
    release_signals(x);
    journal_close(&x->j);
    if (x->lock >= 0)
        close(x->lock);
    if (x->home >= 0)
        close(x->home);
    x->lock = x->home = -1;
}

static bool is_open(const struct journal *j)
{
    bool whole = j->finished;
    for (size_t i = 0; i < j->n_steps; i++)
        whole = whole && j->steps[i].stage == STEP_DONE;
    return !whole && !j->undone;
}

static bool same_steps(const struct plan *x, const struct plan *y, size_t n)
{
    bool same = x->n_steps >= n && y->n_steps >= n;
    for (size_t i = 0; same && i < n; i++)
        same = step_same(&x->steps[i], &y->steps[i]);
    return same;
}

/* The unfinished action of this plan, if any: then x->j is it. */
static int find_open(struct act *x, const struct plan *p, bool *ret, struct err *e)
{
    const char **ids;
    size_t n;
    int r = journal_list(x->a, x->home, &ids, &n, e);
    *ret = false;
    while (r == 0 && n-- > 0 && !*ret) {
        struct journal j;
        if (journal_open(x->a, x->home, ids[n], x->lock >= 0, &j, NULL) < 0)
            continue; /* a damaged one is none that could be gone on with; 'tfgpu undo' names it */
        if (is_open(&j) && plan_same_action(&j.plan, p)) {
            x->j = j;
            *ret = true;
        } else {
            journal_close(&j);
        }
    }
    return r;
}

int act_is_pending(struct arena *a, const struct plan *p, bool *ret, struct plan *ret_plan, struct err *e)
{
    struct act x = empty(a);
    int r = journal_home(a, false, &x.home, e);
    if (r == 0)
        r = find_open(&x, p, ret, e);
    if (r == 0 && *ret && ret_plan)
        *ret_plan = x.j.plan;
    act_close(&x);
    return r;
}

static bool begins_with(const char *command, const char *word)
{
    size_t n = strlen(word);
    return strncmp(command, word, n) == 0 && (command[n] == '\0' || command[n] == ' ');
}

int act_cut_short(struct arena *a, const char *command, const char *subject, const char **ret_id, struct err *e)
{
    const char **ids;
    size_t n = 0;
    int home = -1, r = journal_home(a, false, &home, e);
    *ret_id = NULL;
    if (r == 0)
        r = journal_list(a, home, &ids, &n, e);
    while (r == 0 && n-- > 0 && !*ret_id) {
        struct journal j;
        if (journal_open(a, home, ids[n], false, &j, NULL) < 0)
            continue;
        if (is_open(&j) && str_eq(j.plan.subject, subject) && begins_with(j.plan.command, command))
            *ret_id = ids[n];
        journal_close(&j);
    }
    if (home >= 0)
        close(home);
    return r;
}

int act_start(struct arena *a, const struct plan *p, struct act *x, struct err *e)
{
    bool found = false;
    int r = plan_check(p, e);
    if (r == 0)
        r = take_hold(a, p->command, x, e);
    if (r < 0)
        return r;
    r = find_open(x, p, &found, e);
    if (r == 0 && found && (x->j.finished || !same_steps(&x->j.plan, p, p->n_steps))) {
        r = act_back(x, e);
        journal_close(&x->j);
        found = false;
    }
    if (r == 0 && !found)
        r = journal_new(a, x->home, p, &x->j, e);
    x->resumed = found;
    if (r < 0)
        act_close(x);
    return r;
}

int act_open(struct arena *a, const char *id, bool write, struct act *x, struct err *e)
{
    *x = empty(a);
    int r = write ? take_hold(a, "tfgpu undo", x, e) : journal_home(a, false, &x->home, e);
    if (r < 0)
        return r;
    r = journal_open(a, x->home, id, write, &x->j, e);
    if (r == 0 && x->j.undone)
        r = err_set(e, -EALREADY, _("action %s was undone already"), id);
    if (r < 0)
        act_close(x);
    return r;
}

/* -- there --------------------------------------------------------------------------------------------------------------- */

/* Steps from `to` on up to `from`, last one first. */
static int revert_range(struct act *x, size_t from, size_t to, struct err *e)
{
    for (size_t i = from + 1; i-- > to; ) {
        if (x->j.steps[i].stage == STEP_PENDING)
            continue;
        tell(x, i, ACT_GOES_BACK);
        int r = step_revert(x, i, e);
        if (r < 0)
            return r;
    }
    return 0;
}

static int go(struct act *x, struct err *e)
{
    int stopped = 0, r = 0;
    for (size_t i = 0; i < x->j.n_steps && r == 0; ) {
        enum step_stage stage = x->j.steps[i].stage;
        if (stopped || act_is_stopped())
            return err_set(e, -ECANCELED, _("stopped"));
        if (stage == STEP_DONE) {
            if (x->resumed)
                tell(x, i, ACT_WAS_DONE);
            i++;
        } else if (stage == STEP_PENDING) {
            tell(x, i, ACT_BEGINS);
            r = step_do(x, i, &stopped, e);
            if (r == 0)
                tell(x, i++, ACT_IS_DONE);
        } else {
            size_t again = x->j.plan.steps[i].again;
            r = revert_range(x, i, again, e);
            i = again;
        }
    }
    return stopped || act_is_stopped() ? err_set(e, -ECANCELED, _("stopped")) : r; /* also where the last program went on regardless */
}

static int give_up(struct act *x, int why, struct err *e)
{
    struct err back = {0};
    int r = act_back(x, &back);
    if (r == 0 || !e)
        return why;
    struct err first = *e;
    return err_set(e, why, _("%.120s; it could not all be taken back (%.100s): 'tfgpu undo' tries again"), first.msg, back.msg);
}

int act_go(struct act *x, struct err *e)
{
    struct err own = {0};
    hold_signals(x);
    int r = go(x, e ? e : &own);
    if (r < 0)
        r = give_up(x, r, e ? e : &own);
    x->resumed = false; /* what an earlier run did is told once */
    return r;
}

int act_more(struct act *x, size_t n_first, const struct step *steps, size_t n_steps, struct err *e)
{
    const struct plan more = {.steps = (struct step *)(uintptr_t)steps, .n_steps = n_steps};
    struct plan rest = x->j.plan;
    rest.steps += n_first;
    rest.n_steps -= n_first;
    if (rest.n_steps == n_steps && same_steps(&rest, &more, n_steps))
        return 0;
    int r = x->j.n_steps > n_first ? revert_range(x, x->j.n_steps - 1, n_first, e) : 0;
    return r < 0 ? r : journal_replan(&x->j, n_first, steps, n_steps, e);
}

/* -- and back ------------------------------------------------------------------------------------------------------------ */

int act_back(struct act *x, struct err *e)
{
    int r = x->j.n_steps ? revert_range(x, x->j.n_steps - 1, 0, e) : 0;
    return r < 0 ? r : journal_undone(&x->j, e);
}

int act_finish(struct act *x, struct err *e)
{
    int r = act_is_stopped() ? give_up(x, err_set(e, -ECANCELED, _("stopped")), e) : x->j.finished ? 0 : journal_finish(&x->j, e);
    act_close(x);
    return r;
}

int act_changed(struct act *x, const char ***ret, size_t *ret_n, struct err *e)
{
    const char **list = NULL;
    size_t n = 0;
    for (size_t i = 0; i < x->j.n_steps; i++) {
        const char *line;
        int r = step_changed(x, i, &line, e);
        if (r < 0)
            return r;
        if (line)
            *ARENA_PUSH(x->a, list, n) = line;
    }
    *ret = list;
    *ret_n = n;
    return 0;
}
