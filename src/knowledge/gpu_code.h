/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_code - how a GPU runs a file with GPU code. */
#ifndef TG_KNOWLEDGE_GPU_CODE_H
#define TG_KNOWLEDGE_GPU_CODE_H
#include <stddef.h>
#include <stdint.h>

struct gpu_code {
    const uint32_t *sass; size_t n_sass;             /* sm numbers with machine code */
    const uint32_t *sass_exact; size_t n_sass_exact; /* that runs on that very chip only (sm_90a) */
    const uint32_t *ptx; size_t n_ptx;               /* compute numbers with PTX */
};
enum arch_fit { ARCH_NONE /* no GPU code in the file */, ARCH_NATIVE, ARCH_JIT, ARCH_TOO_OLD, ARCH_TOO_NEW };

/* cc: compute capability times ten. Machine code of the same major and an equal or lower minor version is native; PTX of an equal or
 * lower version is compiled by the driver. Source: CUDA C++ Programming Guide, binary compatibility and PTX compatibility. */
enum arch_fit gpu_code_fit(const struct gpu_code *s, uint32_t cc);
#endif
