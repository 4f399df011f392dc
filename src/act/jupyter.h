/* SPDX-License-Identifier: Apache-2.0 */
/* jupyter - a Jupyter kernel for exactly one environment, and a notebook that verifies it, as steps of a plan. */
#ifndef TG_ACT_JUPYTER_H
#define TG_ACT_JUPYTER_H
#include "act/plan.h"
#include "probe/kernel_use.h"

struct jupyter_job {
    const char *dir;            /* the environment */
    struct root *root;          /* to see which names are taken */
    bool conda;                 /* its variable is CONDA_PREFIX too */
    const char *framework;      /* "torch": it has no TensorFlow, and gets no notebook; NULL: TensorFlow */
    const char *const *env; size_t n_env; /* further NAME=VALUE that the kernel sets */
};
/* Packages that the environment needs, as pip takes them: that of the kernel, then what the notebook needs, NULL-terminated. */
extern const char *const jupyter_pins[];
extern const char jupyter_kernel_pin[];
/* The user's own folder of kernels, ".../jupyter/kernels"; NULL: there is no home. */
const char *jupyter_folder(struct arena *a, const struct root *root);
/* Appends: kernel.json, and for TensorFlow the notebook share/tfgpu/verify.ipynb in the environment.
 * The kernel is "tfgpu-NAME", NAME of the environment's folder (".venv" has that of the folder it lies in, with the framework's behind it; what
 * Jupyter does not take becomes "-"). Where a kernel of that name starts anything else, it gets a number behind: it is never written over, nor hidden. Nothing is
 * appended without a home. */
void jupyter_steps(struct arena *a, const struct jupyter_job *job, struct plan *p);

/* Appends the step that makes a kernel start the interpreter `to`, with the environment variables that named the old place; `to` NULL:
 * kernel.json is removed, and with that the kernel; pictures that lie beside it stay. What else kernel.json says stays.
 * errors: -EBADMSG, or those of reading it; `e` names the file */
int jupyter_repair(struct arena *a, struct root *root, const struct kernel_use *u, const char *to, struct plan *p, struct err *e);
#endif
