/* SPDX-License-Identifier: Apache-2.0 */
/* engine - which engine makes an environment: one that is there and answers, else one that is got first. */
#ifndef TG_CMD_ENGINE_H
#define TG_CMD_ENGINE_H
#include "act/engines.h"
#include "act/plan.h"
#include "cmd/cmd.h"

struct engine_choice {
    enum engine engine;
    const char *program;    /* absolute; NULL: VENV has none */
    const char *version;    /* NULL: it is not there yet */
    bool missing;           /* `get` has to be carried out first */
    struct plan get;
};
/* asked: --engine named `wanted`; else uv before venv. python: an interpreter at hand, absolute, which can make a folder for uv, or NULL.
 * With conda missing the publisher is asked for the checksum of its installer: the network is used.
 * Returns the exit code; a line is on stderr when it is not EXIT_GOOD. */
int engine_choose(struct cmd_ctx *c, struct root *root, bool asked, enum engine wanted, const char *python, struct engine_choice *ret);
/* Shows what is missing and is going to be got, as part of what the user agrees to; nothing where nothing is missing. */
int engine_show(struct cmd_ctx *c, const struct engine_choice *e);
/* Gets it. The user has agreed. */
int engine_get(struct cmd_ctx *c, struct engine_choice *e);
/* Is there room for the environment `dir`, and for those that make `n` with it, with this engine? Else EXIT_ACTION, and a line on stderr. */
int engine_has_room(struct cmd_ctx *c, struct root *root, const struct engine_choice *e, const char *dir, size_t n, bool cuda);
#endif
