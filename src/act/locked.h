/* SPDX-License-Identifier: Apache-2.0 */
/* locked - a lock in the environment that it is of, as steps of a plan. */
#ifndef TG_ACT_LOCKED_H
#define TG_ACT_LOCKED_H
#include "act/plan.h"
#include "formats/lockfile.h"

/* The lock's own file in an environment, and the requirements and constraints that an engine is given. */
const char *locked_path(struct arena *a, const char *dir);
const char *locked_list(struct arena *a, const char *dir);
const char *locked_versions(struct arena *a, const char *dir);
/* Appends the step that writes the lock; the steps that write both. */
void locked_keep(struct arena *a, const char *dir, struct lockfile *l, struct plan *p);
void locked_put(struct arena *a, const char *dir, struct lockfile *l, struct plan *p);
/* Appends the step that writes the versions, as pip's constraints: what is installed beside the lock's packages leaves them as they are. */
void locked_hold(struct arena *a, const char *dir, const struct lockfile *l, struct plan *p);
#endif
