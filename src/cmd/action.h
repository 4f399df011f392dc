/* SPDX-License-Identifier: Apache-2.0 */
/* action - what commands that change something share: the plan is shown, the user asked, the steps are told as they are done. */
#ifndef TG_CMD_ACTION_H
#define TG_CMD_ACTION_H
#include "act/act.h"
#include "cmd/cmd.h"

/* EXIT_GOOD: --yes, or a yes at the terminal. Else a line on stderr, and EXIT_USAGE where nobody can be asked, EXIT_BROKEN on a no. */
int action_confirm(struct cmd_ctx *c, const char *question);
/* Shows the plan; --dry-run: that is all (*ret_go false). Asks. */
int action_agree(struct cmd_ctx *c, const struct plan *p, bool *ret_go);
/* act_start and act_go with the steps told on standard error; the action is open afterwards. EXIT_ACTION, EXIT_INTERRUPT, …: a line on stderr. */
int action_run(struct cmd_ctx *c, const struct plan *p, struct act *x);
int action_more(struct cmd_ctx *c, struct act *x, size_t n_first, const struct plan *more);
/* All is well: act_finish. */
int action_finish(struct cmd_ctx *c, struct act *x);
/* What is done between the steps did not go well, or the user stopped it: an action that is still open is taken back. Returns the exit code: `code`, or
 * a worse one. */
int action_abandon(struct cmd_ctx *c, struct act *x, int code);
/* Takes back what an earlier run of the command about that subject left half done; *ret_done: there was something. */
int action_take_back(struct cmd_ctx *c, const char *command, const char *subject, bool *ret_done);
int action_failed(struct cmd_ctx *c, int error, const struct err *e);
#endif
