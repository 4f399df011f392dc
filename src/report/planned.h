/* SPDX-License-Identifier: Apache-2.0 */
/* planned - a plan, its progress and past actions, for people. */
#ifndef TG_REPORT_PLANNED_H
#define TG_REPORT_PLANNED_H
#include "act/act.h"
#include "base/term.h"

/* The steps from `first` on, numbered, each with what it is good for and what a user would type. */
void report_plan(struct arena *a, const struct plan *p, size_t first, const struct term *term, struct buf *out);
/* One line as a step begins, is done, goes back. */
void report_step(struct arena *a, const struct plan *p, size_t i, enum act_phase phase, const struct term *term, struct buf *out);
/* One line an action: id, state, command and subject. */
void report_action(struct arena *a, const struct journal *j, struct buf *out);
#endif
