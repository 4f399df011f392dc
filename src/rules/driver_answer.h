/* SPDX-License-Identifier: Apache-2.0 */
/* driver_answer - what the driver's own answers mean, decided in one place: for the rules of layers 1, 2 and 5 and the prediction. Pure. */
#ifndef TG_RULES_DRIVER_ANSWER_H
#define TG_RULES_DRIVER_ANSWER_H
#include <stdbool.h>
#include "rules/judge.h"

/* Codes of cuInit and of the device queries that rules tell apart. Source: cuda.h, nvml.h. */
enum {
    CUDA_OUT_OF_MEMORY = 2, CUDA_STUB = 34, CUDA_INSUFFICIENT_DRIVER = 35, CUDA_NEWER_DRIVER = 36, CUDA_UNAVAILABLE = 46, CUDA_NO_DEVICE = 100,
    CUDA_INVALID_DEVICE = 101, CUDA_NOT_LICENSED = 102, CUDA_OPERATING_SYSTEM = 304, CUDA_NOT_READY = 802, CUDA_MISMATCH = 803, CUDA_NO_COMPAT = 804,
    CUDA_MPS_FIRST = 805, CUDA_MPS_LAST = 810, CUDA_UNKNOWN = 999,
    NVML_NOT_LOADED = 9, NVML_LOST = 15, NVML_RESET = 16, NVML_BLOCKED = 17, NVML_MISMATCH = 18, NVML_UNKNOWN = 999,
};

/* cuInit's code, or that of cuDeviceGetCount where cuInit succeeded; 0: both succeeded, or CUDA did not get so far. */
int32_t answer_cuda_code(const struct facts *f);
/* CUDA answered and shows this process at least one GPU: what files alone made suspicious is no obstacle. */
bool answer_serves(const struct facts *f);
/* CUDA or the management library lists a GPU: one is there, and the kernel's part of its driver runs. */
bool answer_shows_gpu(const struct facts *f);
/* CUDA answered whole and shows none, by code 100 or by a count of 0. */
bool answer_no_device(const struct facts *f);
/* TensorFlow asks NVML before it lists a GPU, and lists none when NVML cannot be opened or does not start. */
bool answer_needs_nvml(const struct facts *f);
/* "cuInit: CUDA_ERROR_NO_DEVICE (100), no device that CUDA can use" */
const char *answer_code_text(struct arena *a, const char *call, int32_t code, bool nvml);

/* Which of the devices that CUDA shows TensorFlow lists. */
enum listed {
    LISTED,
    LISTED_NOT_OLD,     /* compute capability below TensorFlow's minimum */
    LISTED_NOT_SMALL,   /* too few multiprocessors beside a larger one */
};
enum listed answer_listed(const struct facts *f, const struct fact_cuda_device *d);
/* Fewest multiprocessors that count, with several GPUs. */
uint32_t answer_min_multiprocessors(const struct facts *f);
/* A device whose answer TensorFlow cannot do without failed: listing raises an error, and no GPU is had. NULL: none. */
const struct fact_cuda_device *answer_fatal_device(const struct facts *f);
#endif
