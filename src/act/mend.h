/* SPDX-License-Identifier: Apache-2.0 */
/* mend - what tfgpu fix does about a finding: a table from causes to makers of steps. Pure: facts and a finding in, steps out, or the reason
 * why it is not for a program to do. Only what the user may do inside the environment is ever planned.
 */
#ifndef TG_ACT_MEND_H
#define TG_ACT_MEND_H
#include "act/hook.h"
#include "act/plan.h"
#include "rules/judge.h"

enum mend_answer {
    MEND_PLANNED,    /* steps were appended */
    MEND_ROOT,       /* it changes the system: needs root */
    MEND_WINDOWS,    /* on the Windows side */
    MEND_HOST,       /* on the host of the container or virtual machine */
    MEND_SHELL,      /* it is set in the user's own shell, job or start-up file */
    MEND_FILES,      /* files of the user's own would have to go or be renamed */
    MEND_CHOICE,     /* there is more than one way */
    MEND_SYSTEM,     /* this Python belongs to the system, or its packages lie outside the environment */
    MEND_CONDA,      /* conda's own packages */
    MEND_SHARED,     /* another framework in the environment pins the same packages */
    MEND_NO_ENGINE,  /* neither pip is in the environment nor uv on PATH */
    MEND_NO_PLACE,   /* no folder or activation script could make it reachable */
    MEND_NONE,       /* nothing that can be done here changes it */
};

struct mend_job {
    const struct facts *f;
    const char *uv;      /* absolute; NULL: not on PATH */
    const struct hook_file *files; size_t n_files; /* activation scripts and kernels of the environment */
};

/* Appends the steps for x. The plan's folders are the environment's prefix and those of the kernels. */
enum mend_answer mend_steps(struct arena *a, const struct mend_job *job, const struct finding *x, struct plan *p);
/* Can both be done in one go, each as it was made from what is there now? Then they change other packages, or other files. A plan of packages
 * and one of files go one after the other: what the engine brings may need other links. */
bool mend_apart(const struct plan *x, const struct plan *y);
/* Its links show what else is missing only when they are there: gather the facts again and call it once more, until nothing is added. */
bool mend_goes_on(const struct finding *x);
const char *mend_answer_text(enum mend_answer r); /* "it needs root", translated; PLANNED: NULL */
#endif
