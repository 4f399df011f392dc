/* SPDX-License-Identifier: Apache-2.0 */
/* tf_code - which libraries the installed TensorFlow opens by name, read from its own code (docs/formats/tf-code.md).
 *
 * The sonames are no strings in the file: functions DsoLoader::Get<Lib>DsoHandle put them together. They are interpreted
 * (formats/x86scan), and so is TryDlopenCUDALibraries, whose calls are the mandatory set. Held against it: the learned row of
 * this very file, and NVIDIA's sonames for the CUDA and cuDNN majors that build_info states.
 */
#ifndef TG_PROBE_TF_CODE_H
#define TG_PROBE_TF_CODE_H
#include "base/files.h"
#include "facts_gen.h"
#include "probe/probe.h"

struct tf_code_in {
    const struct files *files;         /* that the next two are opened in */
    const char *framework;             /* libtensorflow_framework.so.2: asked first */
    const char *cc;                    /* libtensorflow_cc.so.2 or _pywrap_tensorflow_internal.so: asked where the former has none; or NULL */
    const struct elf *framework_elf, *cc_elf; /* of the same files; NULL: read here */
    const char *framework_sha256;      /* as RECORD states it (URL-safe base64, no padding); NULL unknown */
    bool row_is_enough;                /* where a learned row has that hash, the code is not read */
    const struct fact_build_info *build;
};

/* Fills t->needs, needs_source and needs_conflict. Order of trust: the learned row, the code where it is understood as a
 * whole, build_info. The other sources are compared with the one used; a difference is put into words in needs_conflict.
 * What no source says leaves needs empty and needs_source none.
 * cost: code: about 70 reads of 4 kB, 0.2 ms */
void tf_code_find(const struct tf_code_in *in, struct arena *a, struct fact_tensorflow *t);

/* The same for the facts of one run: p->f->tensorflow's framework, cc and build. */
void tf_code_needs(struct probe *p);
#endif
