/* SPDX-License-Identifier: Apache-2.0 */
/* place - one path of a plan: reached from a folder of the plan without following a link on the way, looked at, and replaced in one step.
 *
 * The folders of a plan are the user's own words and may lead through links; what lies below them may not: a link there could lead
 * anywhere.
 */
#ifndef TG_ACT_PLACE_H
#define TG_ACT_PLACE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include "act/plan.h"
#include "base/arena.h"
#include "base/err.h"

struct place {
    int dir;          /* the folder that holds it; place_close() */
    const char *path; /* whole, for messages */
    const char *name; /* in `dir` */
};

enum state_kind { STATE_ABSENT, STATE_FILE, STATE_LINK, STATE_FOLDER, STATE_OTHER };
struct state {
    enum state_kind kind;
    unsigned mode;      /* FILE */
    const char *sha256; /* FILE: hex */
    const char *target; /* LINK */
};

/* The folders on the way to `path` that do not exist yet, outermost first (absolute, in the arena). */
int place_missing(struct arena *a, const struct plan *p, const char *path, const char ***ret, size_t *ret_n, struct err *e);
/* Opens the folder that holds `path`; missing ones are made (0755) if `make` is set, else -ENOENT.
 * errors: -ELOOP: a link on the way; -ENOTDIR, -EACCES, -EROFS, …; `e` names the path */
int place_open(struct arena *a, const struct plan *p, const char *path, bool make, struct place *ret, struct err *e);
/* The same for a folder above those of the plan: on the user's own part of the way, where links are the user's. */
int place_open_above(struct arena *a, const char *path, struct place *ret);
void place_close(struct place *p);

/* What is there. A link is not followed. cost: a file is read to its end. */
int place_look(struct arena *a, const struct place *p, struct state *ret, struct err *e);
bool state_same(const struct state *x, const struct state *y);

/* Copy the file's bytes, with fsync, to a new or emptied file `name` in the folder `to` (mode 0600). */
int place_copy(const struct place *p, int to, const char *name, struct err *e);

/* The path becomes a file, a link, or nothing: one rename or unlink, and the folder is synced. What was there, unless a folder, is gone.
 * temp: a name in the same folder that is ours; it may be left over from before */
int place_put_bytes(const struct place *p, const char *temp, const void *bytes, size_t n, unsigned mode, struct err *e);
int place_put_file(const struct place *p, const char *temp, int from, unsigned mode, struct err *e); /* from: an open file, read from its beginning */
int place_put_link(const struct place *p, const char *temp, const char *target, struct err *e);
int place_unlink(const struct place *p, struct err *e);      /* not a folder; absent is fine */
int place_rename(const struct place *p, const char *to, struct err *e); /* within the folder; `to` must not exist */
int place_rename_back(const struct place *p, const char *from, struct err *e);

/* The folder `name` beside the path, or the path itself where name is NULL, goes with all that is in it: renamed to `temp` first, so that
 * it is whole or gone. Links are removed, not followed; file systems mounted in it are not entered (-EXDEV). Absent is fine. */
int place_remove_tree(const struct place *p, const char *temp, struct err *e);
/* A copy of the folder as `kept` beside it: folders are made anew, links copied, files hard-linked, or copied where the file system has no
 * hard links. `part` is its name until it is whole; one that is left over goes first. What is mounted in it is not taken (-EXDEV). */
int place_keep(const struct place *p, const char *kept, const char *part, struct err *e);
/* The folder becomes what it was when place_keep ended; what place_keep left half done goes. Cut short, the same call goes on. */
int place_keep_back(const struct place *p, const char *kept, const char *part, struct err *e);
/* Was it made after that? false also where the file system does not say. */
bool place_is_younger(const struct place *p, const struct timespec *than);
/* A file below it that was changed later than `since`, relative to the path, or NULL. Compiled Python files do not count. errors: those of reading it */
int place_newer(struct arena *a, const struct place *p, const struct timespec *since, const char **ret, struct err *e);
#endif
