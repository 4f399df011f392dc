/* SPDX-License-Identifier: Apache-2.0 */
/* act - carries a plan out, and takes it back.
 *
 * Each step is journaled before it is done. When a step fails, or the user stops it, all that was done is taken back. Killed in the
 * midst, the same command goes on where it was (act_start finds the journal), and act_back brings back what was there.
 */
#ifndef TG_ACT_ACT_H
#define TG_ACT_ACT_H
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include "act/journal.h"
#include "act/plan.h"
#include "base/arena.h"
#include "base/err.h"

enum act_phase { ACT_BEGINS, ACT_IS_DONE, ACT_WAS_DONE /* by an earlier run */, ACT_GOES_BACK };

struct act {
    struct arena *a;
    int home, lock;           /* of all actions */
    struct journal j;         /* of this one */
    bool resumed;             /* it was begun by an earlier run */
    sigset_t signals;         /* those that our caller held back */
    bool holds;               /* SIGINT, SIGTERM and SIGHUP, from act_go on until the action is closed */
    /* Called at each step; NULL: nobody watches. */
    void (*watch)(void *ctx, const struct plan *p, size_t i, enum act_phase phase);
    /* What the programs print; on our standard output and error it is already. NULL: not wanted. */
    void (*seen)(void *ctx, int stream, const char *p, size_t n);
    void *ctx;
};

/* Takes the lock and the journal: of the unfinished action with the same command and subject if there is one, else a new one.
 * An unfinished one that had other steps is taken back first.
 * errors: -EWOULDBLOCK: another tfgpu is at work; -EINVAL: the plan may not be done; those of reading and writing the journal.
 * After an error nothing is held. */
int act_start(struct arena *a, const struct plan *p, struct act *x, struct err *e);
/* Was the same command about the same subject begun and cut short? Nothing is locked or changed.
 * ret_plan: what it was going to do, where *ret is true; NULL: not wanted */
int act_is_pending(struct arena *a, const struct plan *p, bool *ret, struct plan *ret_plan, struct err *e);
/* The newest action about `subject` that was cut short and whose command is `command`, or begins with it and a blank; *ret_id NULL: there is none. */
int act_cut_short(struct arena *a, const char *command, const char *subject, const char **ret_id, struct err *e);
/* Does what is not done yet. From here on until the action is closed, what asks us to stop is not acted on but between two steps. On failure all is taken back (-ECANCELED: the user stopped it); where even that fails, the journal stays
 * unfinished and `e` says so. */
int act_go(struct act *x, struct err *e);
/* More steps, known only now; then act_go again. `again` of theirs may be a step of the first ones. Those of an earlier run that
 * differ are taken back. */
int act_more(struct act *x, size_t n_first, const struct step *steps, size_t n_steps, struct err *e);
/* Takes all back. On failure as act_go. */
int act_back(struct act *x, struct err *e);
/* Were we asked to stop since act_go? Then act_go, act_more and act_finish take all back. */
bool act_is_stopped(void);
/* All is well: the action is finished and can be undone as a whole. Closes everything. errors: -ECANCELED: the user stopped it, as act_go */
int act_finish(struct act *x, struct err *e);
void act_close(struct act *x); /* without finishing: the journal stays as it is */

/* An earlier action, finished or not; act_back takes it back. write: with the lock held; else it can be looked at only, and nothing on disk
 * is changed.
 * errors: -ENOENT; -EALREADY: it was undone; -EWOULDBLOCK */
int act_open(struct arena *a, const char *id, bool write, struct act *x, struct err *e);
/* What the user changed since it was done, which going back would lose: one line each. Nothing: n is 0. */
int act_changed(struct act *x, const char ***ret, size_t *ret_n, struct err *e);
#endif
