/* SPDX-License-Identifier: Apache-2.0 */
/* calls - which driver functions the child calls, in which order, and where their answers go. Two tables a library:
 * `call` rows are walked by the child, `take` rows turn the lines into facts. To add a call: write a row, and a `run` adaptor when no
 * present one has the function's prototype; then a `take` row for each value of its answer. */
#ifndef TG_GPU_CALLS_H
#define TG_GPU_CALLS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "facts_gen.h"

enum { GPU_TEXT_MAX = 512, GPU_DEVICES_MAX = 64, GPU_PAIR_DEVICES_MAX = 16, GPU_PARTS_MAX = 8, GPU_PIDS_MAX = 64 };

struct gpu_out { char text[GPU_TEXT_MAX]; size_t len; }; /* values of one answer, NUL-terminated */
void gpu_put_i64(struct gpu_out *o, int64_t v);   /* with a blank in front of all but the first */
void gpu_put_u64(struct gpu_out *o, uint64_t v);
void gpu_put_text(struct gpu_out *o, const char *s, size_t max); /* the last value; control characters become blanks */
void gpu_put_uuid(struct gpu_out *o, const char *prefix, const unsigned char bytes[16]);

typedef void gpu_fn(void); /* cast to its true prototype by the adaptor */

struct gpu_pids { uint32_t pid[GPU_PIDS_MAX]; size_t n; };

struct gpu_at { /* what the call is about */
    int i, k;             /* numbers of the devices; k: of the second one */
    void *dev, *other;    /* their handles (CUDA: the ordinal itself) */
    void *sub;            /* handle of a part of `dev` */
    uint32_t pid;
    struct gpu_pids *pids; /* processes that answers name; they are asked about at the end */
};

enum gpu_per {
    GPU_PER_LIB,     /* once */
    GPU_PER_DEVICE,  /* for each device; written "SYMBOL i" */
    GPU_PER_PAIR,    /* for each two devices, both ways; written "SYMBOL i k"; only up to GPU_PAIR_DEVICES_MAX devices */
    GPU_PER_TWO,     /* the same, one way: i < k */
    GPU_PER_PART,    /* for each part of a device that GPU_SPLIT said to have some; written "SYMBOL i k" */
    GPU_PER_PROCESS, /* for each process in at->pids; written "SYMBOL pid N" */
    GPU_AT_END,      /* once, behind all others */
};

enum gpu_role {
    GPU_PLAIN,
    GPU_INIT,        /* without success nothing else is called but GPU_AT_END rows */
    GPU_COUNT,       /* its first value is the number of devices */
    GPU_HANDLE,      /* sets at->dev, or at->sub of a part; without success (and with no handle) nothing else is called for it */
    GPU_SPLIT,       /* its first value is not 0 where the device has parts */
};

struct gpu_call {
    enum gpu_per per;
    enum gpu_role role;
    const char *symbol;
    const char *arg;     /* word behind the numbers, or NULL */
    int number;          /* handed to `run` */
    int (*run)(gpu_fn *fn, struct gpu_at *at, int number, struct gpu_out *out); /* the function's code; values into `out` when it is 0 */
};

enum gpu_kind { GPU_TAKE_TEXT, GPU_TAKE_U32, GPU_TAKE_U64, GPU_TAKE_I32, GPU_TAKE_TRI /* not 0: yes */, GPU_TAKE_MODE /* compute mode, with its `known` flag */ };

struct gpu_take { /* one value of an answer into one field of a record; an earlier row that had an answer wins */
    const char *call;    /* symbol, and the word behind the numbers when there is one: "cuDeviceGetAttribute CLOCK_RATE" */
    unsigned word;       /* which value, from 0; a text takes the rest of the line */
    enum gpu_kind kind;
    size_t at, has;      /* offsets of the field and of its flag; texts and tri values have no flag: 0 */
};

#define GPU_TEXT(r, f) GPU_TAKE_TEXT, offsetof(struct fact_##r, f), 0
#define GPU_U32(r, f) GPU_TAKE_U32, offsetof(struct fact_##r, f), offsetof(struct fact_##r, has_##f)
#define GPU_U64(r, f) GPU_TAKE_U64, offsetof(struct fact_##r, f), offsetof(struct fact_##r, has_##f)
#define GPU_I32(r, f) GPU_TAKE_I32, offsetof(struct fact_##r, f), offsetof(struct fact_##r, has_##f)
#define GPU_TRI(r, f) GPU_TAKE_TRI, offsetof(struct fact_##r, f), 0
#define GPU_MODE(r, f) GPU_TAKE_MODE, offsetof(struct fact_##r, f), offsetof(struct fact_##r, f##_known)

struct gpu_table {
    const struct gpu_call *calls; size_t n_calls;
    const struct gpu_take *api; size_t n_api;         /* into fact_cuda_api, fact_nvml_api */
    const struct gpu_take *device; size_t n_device;   /* into fact_cuda_device, fact_nvml_device */
    int64_t not_supported;                            /* code that says so; it is no failure */
};
extern const struct gpu_table gpu_cuda, gpu_nvml;
#endif
