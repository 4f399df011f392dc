/* SPDX-License-Identifier: Apache-2.0 */
/* proof - what the rules of layer 6 and the renderers say alike about a proof. Pure. */
#ifndef TG_RULES_PROOF_H
#define TG_RULES_PROOF_H
#include "rules/judge.h"

/* "312 TFLOP/s", "91.4 GFLOP/s" */
const char *proof_rate(struct arena *a, uint64_t mflops);
/* "GPU:0 matmul float16"; of the whole process when `device` is NULL: the step's name */
const char *proof_step(struct arena *a, const char *device, const char *op, const char *dtype);
/* Did all operations on this device give right results, at least one of them? */
bool proof_device_right(const struct fact_proof *p, const char *device);
#endif
