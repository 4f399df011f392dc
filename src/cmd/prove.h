/* SPDX-License-Identifier: Apache-2.0 */
/* prove - options and progress of `check --prove`. */
#ifndef TG_CMD_PROVE_H
#define TG_CMD_PROVE_H
#include "cmd/cmd.h"
#include "probe/prove.h"

/* What --prove, --quick and --prove-timeout ask for. EXIT_USAGE (with a line on stderr) when they make no sense. */
int prove_options(const struct cmd_ctx *c, struct prove_ask *ret);
/* Fill the facts of layer 6 when that was asked for, or when the captured tree states them. What runs now is shown on stderr when
 * that is a terminal. */
void prove_run(const struct cmd_ctx *c, struct probe *p, const struct prove_ask *ask);
#endif
