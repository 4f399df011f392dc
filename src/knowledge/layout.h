/* SPDX-License-Identifier: Apache-2.0 */
/* layout - where CUDA libraries lie and which belong together: typed access to data/tables/cuda_layout.yaml. */
#ifndef TG_KNOWLEDGE_LAYOUT_H
#define TG_KNOWLEDGE_LAYOUT_H
#include "base/arena.h"

/* i-th part of cuDNN of this major version as a soname ("libcudnn_ops.so.9"), or NULL behind the last. */
const char *layout_cudnn_part(struct arena *a, unsigned major, unsigned i);

struct layout_vars { const char *site, *prefix, *cuda, *major; }; /* fill {site} {prefix} {cuda} {major}; NULL: rows with it are left out */
enum layout_list { LAYOUT_TOOLKIT_DIRS, LAYOUT_XLA_ROOTS };
/* i-th folder of a list with its variables filled; NULL behind the last; "" for a row that is left out. */
const char *layout_dir(struct arena *a, enum layout_list list, const struct layout_vars *v, unsigned i);

/* NULL-terminated lists of paths below tensorflow/. */
const char *const *layout_cudnn_headers(void);
const char *const *layout_import_chain(void);
#endif
