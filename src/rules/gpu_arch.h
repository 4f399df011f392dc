/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_arch - rules of layer 2 that hold the GPUs' compute capability against the code inside the libraries. Pure. */
#ifndef TG_RULES_GPU_ARCH_H
#define TG_RULES_GPU_ARCH_H
#include "knowledge/gpu_code.h"
#include "rules/judge.h"

/* How a GPU of this compute capability (89 = 8.9) runs a library with this code: knowledge/gpu_code.h. */
enum arch_fit gpu_arch_fit(const struct fact_arch_set *s, uint32_t cc);

void rule_gpu_arch_old(struct judge *g);
void rule_gpu_arch_new(struct judge *g);
void rule_gpu_jit(struct judge *g);
#endif
