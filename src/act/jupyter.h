/* SPDX-License-Identifier: Apache-2.0 */
/* jupyter - a Jupyter kernel for exactly one environment, and a notebook that verifies it, as steps of a plan. */
#ifndef TG_ACT_JUPYTER_H
#define TG_ACT_JUPYTER_H
#include "act/plan.h"

struct jupyter_job {
    const char *dir;            /* the environment */
    const char *kernels;        /* the user's folder of kernels, ".../jupyter/kernels" */
    const char *const *env; size_t n_env; /* NAME=VALUE that the kernel sets */
};
/* Packages that the environment needs for it, as pip takes them; NULL-terminated. */
extern const char *const jupyter_pins[];
/* "tfgpu-NAME" of the environment's folder; characters that Jupyter does not take become "-". ".venv" has the name of the folder it lies in. */
const char *jupyter_kernel_name(struct arena *a, const char *dir);
/* Appends: kernel.json, and the notebook share/tfgpu/verify.ipynb in the environment. */
void jupyter_steps(struct arena *a, const struct jupyter_job *job, struct plan *p);
#endif
