/* SPDX-License-Identifier: Apache-2.0 */
/* steps - doing one step of an action and taking it back. Only act.c uses it. */
#ifndef TG_ACT_STEPS_H
#define TG_ACT_STEPS_H
#include "act/act.h"

/* Does a step that is pending. On failure it may have begun; step_revert() then.
 * ret_stopped: the user asked to stop while its program ran (a signal's number, else 0) */
int step_do(struct act *x, size_t i, int *ret_stopped, struct err *e);
/* Back to what was there before it began, whatever it has done of it. errors: -EBUSY: somebody else changed it since; it stays. */
int step_revert(struct act *x, size_t i, struct err *e);
/* What somebody else changed of it since it was done, as a line; NULL: nothing. */
int step_changed(struct act *x, size_t i, const char **ret, struct err *e);
#endif
