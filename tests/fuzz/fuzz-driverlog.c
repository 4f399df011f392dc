/* SPDX-License-Identifier: Apache-2.0 */
/* The driver child's lines: any bytes; every call is found again, and the facts take whatever they say. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "formats/driverlog.h"
#include "gpu/gpu.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct driverlog l;
    arena_init(&a, 0);
    driverlog_parse((const char *)data, size, &a, &l);
    if (l.n_calls + l.bad > size + 1)
        abort();
    for (size_t i = 0; i < l.n_calls; i++) {
        int64_t n;
        (void)driverlog_number(&l.calls[i], i % 3, &n);
        if (driverlog_find(&l, l.calls[i].what) != &l.calls[i] || strlen(l.calls[i].value) > size)
            abort();
    }
    struct facts f = {0};
    gpu_answers(&a, &f, GPU_CUDA, (const char *)data, size, NULL);
    gpu_answers(&a, &f, GPU_NVML, (const char *)data, size, NULL);
    arena_done(&a);
    return 0;
}
