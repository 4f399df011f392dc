/* SPDX-License-Identifier: Apache-2.0 */
/* kernels - the Jupyter kernels of this machine and the interpreter that each one runs.
 * Search order: jupyter_core.paths.jupyter_path, jupyter_client.kernelspec. */
#ifndef TG_PROBE_KERNELS_H
#define TG_PROBE_KERNELS_H
#include "base/root.h"
#include "facts_gen.h"
#include "formats/kernelspec.h"

struct kernel {
    enum fact_state state;   /* of kernel.json: PRESENT, DENIED, MALFORMED */
    const char *name;        /* folder's name, in lower case as Jupyter compares it */
    const char *file;        /* kernel.json */
    const char *folder;      /* …/kernels/<name> */
    struct kernelspec spec;  /* PRESENT only */
    const char *python;      /* program it runs, absolute; NULL: argv[0] leads nowhere, or it is no Python kernel */
};

/* All kernels; a name that occurs twice is listed twice, the one that Jupyter takes first. `prefix`: of a further environment
 * whose share/jupyter counts, or NULL. `server`: the
 * interpreter that `jupyter` runs with, "" when there is none, NULL: look for it. `ret` in the arena. cost: one listing per place, one read per kernel. */
void kernels_list(struct root *r, struct arena *a, const char *prefix, const char *server, struct kernel **ret, size_t *ret_n);
/* Index of the program that runs in argv: behind `env` and what it sets. */
size_t kernel_program(const struct kernelspec *k);
/* A value of kernel.json's env with ${NAME} and $NAME replaced from the environment of the examined process. */
const char *kernel_expand(struct root *r, struct arena *a, const char *value);
#endif
