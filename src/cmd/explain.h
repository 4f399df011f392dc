/* SPDX-License-Identifier: Apache-2.0 */
/* explain - the parts of the command explain. */
#ifndef TG_CMD_EXPLAIN_H
#define TG_CMD_EXPLAIN_H
#include "cmd/cmd.h"
#include "explain/explain.h"
#include "explain/site.h"

/* The site's causes: $XDG_CONFIG_HOME/tfgpu/causes.d (~/.config without it), then /etc/tfgpu/causes.d. */
void explain_site(struct cmd_ctx *c, struct site_found *ret);
/* The engine that TFGPU_ENGINE asks for, or NULL. */
const char *explain_engine(void);
/* What is shipped, with the site's causes among it. Files that are left out are named on standard error, a line each.
 * found: what was found, or NULL. Cost: two failing opens where there are none. */
const struct explain_catalog *explain_catalog_of(struct cmd_ctx *c, struct site_found *found);
/* The page of a cause or a code, or one line on standard error. no_file: it was not a file either. */
int explain_page(struct cmd_ctx *c, const struct explain_catalog *k, const char *name, bool no_file);
/* Runs c->args as a command, explains what it printed on standard error when it has ended. Gives its exit code; 128 + n when signal n
 * ended it; 127 there is no such command, 126 it cannot be executed, with one line on standard error. */
int explain_run(struct cmd_ctx *c, struct explain *x, const struct facts *facts, struct explain_answer *answer);
/* The facts of --snapshot, or NULL without it. EXIT_GOOD, or one line is on stderr. */
int explain_machine_file(struct cmd_ctx *c, struct facts **ret);
/* x->machine, where the first answer is a symptom that the log does not resolve: from `file`, else from this machine's files, unless
 * --no-machine. Cost: nothing elsewhere; what `check` costs without the driver. */
void explain_machine(struct cmd_ctx *c, const struct facts *file, struct explain_answer *x);
#endif
