/* SPDX-License-Identifier: Apache-2.0 */
/* conda_init - what `conda init` does to a shell's start-up file, as one step of a plan: shown, and taken back by undo. */
#ifndef TG_ACT_CONDA_INIT_H
#define TG_ACT_CONDA_INIT_H
#include "act/plan.h"
#include "base/root.h"

/* Appends a step that adds conda's marked block at the end of the start-up file of the user's shell (SHELL: bash or zsh; where the file is
 * a link, of the file that it leads to). A file that has such a block already gets no step.
 * program: conda or mamba, absolute, in the bin/ or condabin/ of an installation
 * earlier: of the same action, cut short: its step is the one, whether the file has the block by now or not. No steps: there was none
 * errors: -EINVAL: a shell, a program or a path for which no block can be written; those of reading the file; `e` says which */
int conda_init_step(struct arena *a, struct root *root, const char *program, const struct plan *earlier, struct plan *p, struct err *e);
#endif
