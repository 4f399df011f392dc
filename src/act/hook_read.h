/* SPDX-License-Identifier: Apache-2.0 */
/* hook_read - the files of an environment that hook.h adds to, read. */
#ifndef TG_ACT_HOOK_READ_H
#define TG_ACT_HOOK_READ_H
#include "act/hook.h"
#include "base/root.h"
#include "facts_gen.h"

/* bin/activate and its sisters, or the files that conda reads; then kernel.json of each Jupyter kernel that runs this environment's Python.
 * What is not there, a link, too big or not readable is left out. */
void hook_read(struct arena *a, struct root *root, const struct facts *f, struct hook_file **ret, size_t *ret_n);
#endif
