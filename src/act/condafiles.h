/* SPDX-License-Identifier: Apache-2.0 */
/* condafiles - environment.yml and explicit files of the conda family. docs/formats/conda.md. */
#ifndef TG_ACT_CONDAFILES_H
#define TG_ACT_CONDAFILES_H
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/root.h"

/* environment.yml: conda-forge alone, the conda packages `specs`, then what pip installs into it. Anything may stand in the texts. */
void condafiles_environment(const char *const *specs, size_t n_specs, const char *const *pins, size_t n_pins, struct buf *out);
/* The explicit file of the environment `dir` ("@EXPLICIT", one address with its MD5 or SHA-256 a line), in the order of the names, from its conda-meta.
 * errors: -ENOENT: no conda environment; -EBADMSG: a record without address; those of reading; `e` names the file */
int condafiles_explicit(struct arena *a, struct root *root, const char *dir, struct buf *out, struct err *e);
#endif
