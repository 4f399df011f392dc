/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_peaks - how fast a GPU may be at most, by its data sheet. Data: data/tables/gpu_peaks.yaml. */
#ifndef TG_KNOWLEDGE_GPU_PEAKS_H
#define TG_KNOWLEDGE_GPU_PEAKS_H
#include <stdbool.h>
#include <stdint.h>

struct gpu_peaks {
    const char *name;     /* as the table has it */
    uint32_t fp32_gflops; /* never 0 */
    uint32_t tf32_gflops, fp16_gflops; /* on tensor cores, dense, float32 accumulator; 0: none, or not known */
};

/* name:         as the driver reports it ("NVIDIA GeForce RTX 4090"), or NULL; the whole name has to be equal
 * memory_bytes: tells two cards of one name apart; 0: not known, then the name decides
 * false:        not in the table; `ret` is untouched */
bool gpu_peaks_find(const char *name, uint64_t memory_bytes, struct gpu_peaks *ret);
#endif
