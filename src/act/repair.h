/* SPDX-License-Identifier: Apache-2.0 */
/* repair - makes libraries that are installed, but in no folder that the loader searches, reachable: a link in a folder of the environment
 * that is searched, else the activation. Pure: facts in, steps out; which releases need it is found by the loader's simulation alone. */
#ifndef TG_ACT_REPAIR_H
#define TG_ACT_REPAIR_H
#include "act/hook.h"
#include "facts_gen.h"

/* Links for the libraries of TensorFlow's CUDA set that are unreachable in f's environment (its prefix is `dir`); those that they need in turn
 * show only when these are there: gather the facts again then. The folder is one in the environment that exists and that the failed search went
 * through, NVIDIA's before TensorFlow's own.
 * ret_left: how many are unreachable and have no such folder */
void repair_links(struct arena *a, const struct facts *f, const char *dir, struct plan *ret, size_t *ret_left);
/* Where no folder could hold a link: the activation scripts and kernels among `files` set LD_LIBRARY_PATH to the folders of what is unreachable,
 * and to those that they name already. Call it when repair_links had nothing more to add.
 * returns: whether a script is among the steps; without one nothing is gained */
bool repair_hook(struct arena *a, const struct facts *f, const struct hook_file *files, size_t n_files, struct plan *ret);
#endif
