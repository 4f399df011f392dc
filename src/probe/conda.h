/* SPDX-License-Identifier: Apache-2.0 */
/* conda - where the conda family (conda, mamba, micromamba) keeps its environments. */
#ifndef TG_PROBE_CONDA_H
#define TG_PROBE_CONDA_H
#include "base/root.h"

struct conda_env { const char *name, *prefix, *real, *why; }; /* real: canonical prefix; name: folder's name, "base" for an installation itself */

/* From CONDA_EXE, MAMBA_ROOT_PREFIX, the usual folders, their envs/, CONDA_ENVS_PATH and ~/.conda/environments.txt; each
 * once, folders that exist only. `only`: look for this name alone (fewer listings), or NULL. */
void conda_list(struct root *r, struct arena *a, const char *only, struct conda_env **ret, size_t *ret_n);
#endif
