/* SPDX-License-Identifier: Apache-2.0 */
/* setup - what choosing an environment (setup.c) and making it (setup_do.c) share. */
#ifndef TG_CMD_SETUP_H
#define TG_CMD_SETUP_H
#include "act/engines.h"
#include "cmd/beside.h"
#include "cmd/cmd.h"
#include "cmd/engine.h"
#include "solve/solve.h"

struct python { const char *version /* "3.11" */, *path; };
struct setup {
    struct cmd_ctx *c;
    const char *dir;               /* of the environment, absolute */
    const struct facts *machine;
    struct python *pythons; size_t n_pythons; /* on PATH, plain python3 first */
    struct engine_choice engine;
    struct solve_ask ask;
    struct solve_answer answer;
    const struct solve_offer *offer;
    const char *interpreter;       /* for the Python that is planned, or NULL */
    struct lockfile *locked;       /* --lock, or NULL */
    const char *framework;         /* of a lock that has no TensorFlow: "torch"; else NULL */
    struct engine_job job;
    struct beside *beside; size_t n_beside;
};

/* Carries out the plan that was agreed to; repairs what came out, leaves the locks, and says how it is. An exit code; unless EXIT_GOOD, a line is
 * on stderr, or the report names what is broken. */
int setup_do(const struct setup *s, const struct plan *p);
#endif
