/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_arch - rules of layer 2 that hold the GPUs' compute capability against the code inside the libraries. Pure. */
#ifndef TG_RULES_GPU_ARCH_H
#define TG_RULES_GPU_ARCH_H
#include "rules/judge.h"

enum arch_fit { ARCH_NONE /* no GPU code in the file */, ARCH_NATIVE, ARCH_JIT, ARCH_TOO_OLD, ARCH_TOO_NEW };
/* How a GPU of this compute capability (89 = 8.9) runs a library with this code: machine code of the same major and an
 * equal or lower minor version is native; PTX of an equal or lower version is compiled by the driver.
 * Source: CUDA C++ Programming Guide, binary compatibility and PTX compatibility. */
enum arch_fit gpu_arch_fit(const struct fact_arch_set *s, uint32_t cc);

void rule_gpu_arch_old(struct judge *g);
void rule_gpu_arch_new(struct judge *g);
void rule_gpu_jit(struct judge *g);
#endif
