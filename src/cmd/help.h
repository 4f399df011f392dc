/* SPDX-License-Identifier: Apache-2.0 */
/* help - --help and the man page's OPTIONS, made from the tables. */
#ifndef TG_CMD_HELP_H
#define TG_CMD_HELP_H
#include "base/buf.h"
#include "cmd/cmd.h"

void help_overview(struct arena *a, const struct term *t, struct buf *out);
void help_command(struct arena *a, const struct term *t, const struct cmd *cmd, struct buf *out);
/* roff; cmd NULL: the common options and the list of commands */
void help_man(struct arena *a, const struct cmd *cmd, struct buf *out);
#endif
