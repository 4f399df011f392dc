/* SPDX-License-Identifier: Apache-2.0 */
/* ask - the options that say for what machine solve and setup plan, and what is wanted. */
#ifndef TG_CMD_ASK_H
#define TG_CMD_ASK_H
#include "cmd/cmd.h"
#include "solve/solve.h"

enum { OS_AUTO, OS_LINUX, OS_WSL, OS_MACOS }; /* the choices of --os */

/* What the options state takes the place of what *ask says. EXIT_USAGE: one of them makes no sense; a line on stderr. */
int ask_stated(struct cmd_ctx *c, struct solve_ask *ask);
/* The C library that the system's own shell would get: what an interpreter that is still to be installed will have. NULL: unknown. In the arena. */
const char *ask_glibc(struct probe *p);
#endif
