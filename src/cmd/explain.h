/* SPDX-License-Identifier: Apache-2.0 */
/* explain - the parts of the command explain. */
#ifndef TG_CMD_EXPLAIN_H
#define TG_CMD_EXPLAIN_H
#include "cmd/cmd.h"
#include "explain/explain.h"

/* Runs c->args as a command, explains what it printed on standard error when it has ended. Gives its exit code; 128 + n when signal n
 * ended it; 127 there is no such command, 126 it cannot be executed, with one line on standard error. */
int explain_run(struct cmd_ctx *c, struct explain *x, struct explain_answer *answer);
#endif
