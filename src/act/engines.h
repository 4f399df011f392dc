/* SPDX-License-Identifier: Apache-2.0 */
/* engines - the programs that make Python environments, as steps of a plan. They do the work; here is only what is typed. */
#ifndef TG_ACT_ENGINES_H
#define TG_ACT_ENGINES_H
#include "act/plan.h"

enum engine { ENGINE_UV, ENGINE_VENV, ENGINE_CONDA, N_ENGINES };
struct engine_job {
    const char *dir;               /* the environment: a folder that does not exist */
    const char *program;           /* uv, conda, mamba or micromamba, absolute; VENV: NULL */
    const char *python;            /* "3.11" */
    const char *interpreter;       /* of that version, absolute; NULL: the engine finds one or gets it (VENV cannot) */
    const char *const *pins; size_t n_pins; /* as pip takes them: "tensorflow[and-cuda]==2.20.0" */
};
/* Program names that are looked for, best first, NULL-terminated; empty for VENV. */
const char *const *engine_programs(enum engine e);
/* Appends the steps: make the environment, then fill it. The folder goes when they are undone. */
void engine_steps(struct arena *a, enum engine e, const struct engine_job *job, struct plan *p);
#endif
