/* SPDX-License-Identifier: Apache-2.0 */
/* beside - the other frameworks that setup was asked for: in TensorFlow's environment, or in one of their own beside it. */
#ifndef TG_CMD_BESIDE_H
#define TG_CMD_BESIDE_H
#include "act/engines.h"
#include "base/root.h"
#include "cmd/cmd.h"
#include "solve/solve.h"

/* An environment of its own. Its folder is called like TensorFlow's, with the framework's name behind it (".venv-torch"). */
struct beside {
    const struct solve_apart *want;
    struct engine_job job;
    bool kernel; /* it gets what a Jupyter kernel needs */
};

/* In TensorFlow's environment: each framework of the offer has to start once it is installed. */
void beside_together(struct arena *a, const struct solve_offer *o, const struct engine_job *job, struct plan *p);
/* Appends the steps that make one: its folder joins those of the plan, so it is agreed to, taken back and undone with TensorFlow's.
 * beside:      with a copy of TensorFlow's job, of which folder, Python and pins become its own; the strings live in the arena
 * interpreter: of x->python, absolute, or NULL */
void beside_steps(struct arena *a, enum engine e, const struct solve_apart *x, const char *interpreter, struct plan *p, struct beside *beside);
/* EXIT_USAGE with a line on stderr where one of the folders exists. */
int beside_free(struct cmd_ctx *c, struct root *root, const struct beside *v, size_t n);
/* What of this is planned, for the lines above the plan; how to work in them, for those below the verdict. */
void beside_introduce(const struct solve_offer *o, const struct beside *v, size_t n, struct buf *out);
void beside_use(struct arena *a, enum engine e, const struct beside *v, size_t n, struct buf *out);
#endif
