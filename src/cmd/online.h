/* SPDX-License-Identifier: Apache-2.0 */
/* online - solve and setup with what the package index has today (--online). */
#ifndef TG_CMD_ONLINE_H
#define TG_CMD_ONLINE_H
#include "cmd/cmd.h"
#include "solve/solve.h"

/* With --online: asks the index of the ask's engine, and lets the ask stand on it. Without: nothing. Once what is asked for is stated. */
int online_ask(struct cmd_ctx *c, struct solve_ask *ask);
#endif
