/* SPDX-License-Identifier: Apache-2.0 */
/* engines - the programs that make Python environments, as steps of a plan. They do the work; here is only what is typed.
 *
 * One row an engine (engines.c): how it is found and asked for its version, what makes the environment, what fills it, what it needs
 * to make the same again, how it is used. To take it away is the same for all: undo removes the folder that the first step made.
 */
#ifndef TG_ACT_ENGINES_H
#define TG_ACT_ENGINES_H
#include "act/plan.h"
#include "base/root.h"
#include "formats/lockfile.h"

enum engine { ENGINE_UV, ENGINE_VENV, ENGINE_CONDA, N_ENGINES };
struct engine_job {
    const char *dir;               /* the environment: a folder that does not exist */
    const char *program;           /* uv, conda, mamba or micromamba, absolute; VENV: NULL */
    const char *python;            /* "3.11" */
    const char *interpreter;       /* of that version, absolute; NULL: the engine finds one or gets it (VENV cannot) */
    const char *cuda;              /* that TensorFlow was built for, "12.5.1"; NULL: none */
    bool elsewhere;                /* it is made for another driver than this machine's */
    const char *const *pins; size_t n_pins; /* as pip takes them: "tensorflow[and-cuda]==2.20.0" */
    struct lockfile *locked;       /* not NULL: first exactly these files, with their checksums, nothing resolved, nothing built; then the pins, which
                                    * change none of them */
};
/* Program names that are looked for, best first, NULL-terminated; empty for VENV. */
const char *const *engine_programs(enum engine e);
/* The version in what PROGRAM --version prints ("uv 0.9.5 (d5f39331a 2025-10-21)", "mamba 1.5.8\nconda 24.3.0", "2.3.2"); NULL: there is none. */
const char *engine_version(struct arena *a, const char *output);
/* Starts PROGRAM --version. A program that is found, but does not work (the shim of a version manager without a version), is none.
 * ret:    in the arena
 * errors: -ENOENT: it does not start, ends with a failure, says no version or takes longer than 20 s; `e` says which */
int engine_ask(struct arena *a, const char *program, const char **ret, struct err *e);
/* Appends the steps: make the environment, then fill it. The folder goes when they are undone. */
void engine_steps(struct arena *a, enum engine e, const struct engine_job *job, struct plan *p);
/* Appends steps that write into share/tfgpu of the environment, now that it is there, what the engine needs to make the same again: nothing
 * for UV and VENV.
 * errors: those of reading what is installed; then nothing is appended */
int engine_export(struct arena *a, enum engine e, const struct engine_job *job, struct root *root, struct plan *p, struct err *err);
/* What a user types to work in it ("source /x/bin/activate"). */
const char *engine_use(struct arena *a, enum engine e, const struct engine_job *job);
#endif
