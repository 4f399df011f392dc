/* SPDX-License-Identifier: Apache-2.0 */
/* hooks - LD_LIBRARY_PATH of the judged process: the caller's, unless the kernel or the environment's activation sets it. */
#ifndef TG_PROBE_HOOKS_H
#define TG_PROBE_HOOKS_H
#include "probe/probe.h"

/* Is the judged environment the one that is active in the shell (VIRTUAL_ENV, CONDA_PREFIX)? Needs f->python.prefix. */
bool hooks_env_is_active(struct probe *p);
/* Fills f->ld_library_path, _from, _unknown. A chosen kernel: kernel.json's env. An environment that is active already
 * (VIRTUAL_ENV, CONDA_PREFIX): the caller's value, its hooks have run. Any other: etc/conda/activate.d/ *.sh, conda's stored
 * variables, bin/activate and bin/postactivate. Needs f->python and f->env_active. cost: one listing or two small files */
void hooks_ld_library_path(struct probe *p);
#endif
