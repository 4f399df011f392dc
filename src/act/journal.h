/* SPDX-License-Identifier: Apache-2.0 */
/* journal - what an action is going to do, has done and found before, on disk and synced before it is done. Killed at any instant, the
 * machine is before or after a step, and the journal knows which. Knows nothing of how a step is done.
 *
 * One folder an action under $XDG_STATE_HOME/tfgpu/actions: plan.json (it exists: the action exists), log (one JSON line an
 * event; a last line without an end does not count) and keep/N (the bytes of a file that step N replaced). docs/formats/journal.md.
 */
#ifndef TG_ACT_JOURNAL_H
#define TG_ACT_JOURNAL_H
#include <stdbool.h>
#include <stddef.h>
#include <time.h>
#include "act/place.h"
#include "act/plan.h"
#include "base/arena.h"
#include "base/err.h"

enum step_stage {
    STEP_PENDING, /* not begun, or taken back */
    STEP_BEGUN,   /* between before and after */
    STEP_DONE,
    STEP_UNDOING, /* between after and before */
};
struct step_record {
    enum step_stage stage;
    struct state before;               /* of its path, when it began */
    const char **made; size_t n_made;  /* folders on the way that it makes */
    struct timespec done;              /* when it was done, by this machine's clock */
};

struct journal {
    struct arena *a;
    const char *id;           /* its folder's name: sorts by time */
    int dir, log;             /* open while it is in use */
    struct plan plan;
    struct step_record *steps; size_t n_steps; /* one a step */
    bool finished;            /* every step is done, and it is said so */
    bool undone;              /* all was taken back */
};

/* The folder of all actions. make: where it is missing it is made; else *ret_dir is -1 then, which has no actions.
 * errors: -ENOENT: neither XDG_STATE_HOME nor HOME says where */
int journal_home(struct arena *a, bool make, int *ret_dir, struct err *e);

/* A new action: its plan is on disk when this returns. The home must be locked (act/lock.h). */
int journal_new(struct arena *a, int home, const struct plan *p, struct journal *ret, struct err *e);
/* write: events are to be added, and the home is locked (act/lock.h). Else nothing on disk is changed, and another tfgpu may be at work on it.
 * errors: -ENOENT: no such action; -EBADMSG: its files are damaged */
int journal_open(struct arena *a, int home, const char *id, bool write, struct journal *ret, struct err *e);
void journal_close(struct journal *j);
/* Ids of all actions, oldest first. What was cut short before its plan was written is none. */
int journal_list(struct arena *a, int home, const char ***ret, size_t *ret_n, struct err *e);

/* The plan has other steps behind its first `n`, which stay; none of those that go may have begun. */
int journal_replan(struct journal *j, size_t n, const struct step *steps, size_t n_steps, struct err *e);

/* Events. Each is on disk when the call returns, and *j says so too. */
int journal_begin(struct journal *j, size_t i, const struct state *before, const char **made, size_t n_made, struct err *e);
int journal_stage(struct journal *j, size_t i, enum step_stage stage, struct err *e);
int journal_finish(struct journal *j, struct err *e);
int journal_undone(struct journal *j, struct err *e);
/* The name under which step i's old bytes are kept, in the journal's folder. */
const char *journal_keep(struct journal *j, size_t i);
#endif
