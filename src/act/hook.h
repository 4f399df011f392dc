/* SPDX-License-Identifier: Apache-2.0 */
/* hook - lets an environment's activation, and its Jupyter kernels, set LD_LIBRARY_PATH. Pure: texts in, steps out. What is added stands
 * between two marks, and takes the place of what stands there already.
 */
#ifndef TG_ACT_HOOK_H
#define TG_ACT_HOOK_H
#include <stdbool.h>
#include <stddef.h>
#include "act/plan.h"

enum hook_kind { HOOK_SH, HOOK_FISH, HOOK_CSH, HOOK_KERNEL };
/* A file that is there, or (text NULL) that a conda environment reads once it is. */
struct hook_file { enum hook_kind kind; const char *path; const char *text; size_t n; };

/* Can the folders be written down so that sh, fish, csh and the loader all read the same? */
bool hook_can_say(const char *const *dirs, size_t n_dirs);
/* Appends the folders that the file's lines between the marks name already. */
void hook_dirs(struct arena *a, const struct hook_file *f, const char ***ret, size_t *ret_n);
/* Appends one WRITE step a file: the folders come before what LD_LIBRARY_PATH holds; deactivation brings that back (csh: stays set).
 * Files that cannot be read as what they are (a kernel.json that is no object) are passed over.
 * returns: how many shell files are among them, without which nothing is gained */
size_t hook_steps(struct arena *a, const char *const *dirs, size_t n_dirs, const struct hook_file *files, size_t n_files, struct plan *p);
#endif
