/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's answers as facts: any lines, of both libraries. The first byte chooses the order. */
#include <stdint.h>
#include <stdlib.h>
#include "facts/links.h"
#include "gpu/gpu.h"

static void check(const struct facts *f)
{
    for (size_t i = 0; i < f->n_gpu_links; i++)
        if (!f->gpu_links[i].a || !f->gpu_links[i].b || links_same_pci(f->gpu_links[i].a, f->gpu_links[i].b))
            abort();
    for (size_t i = 0; i < f->n_nvml_processes; i++)
        if (f->nvml_processes[i].device >= f->n_nvml_devices)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct facts f = {0};
    if (size == 0 || size > 64 * 1024)
        return 0;
    enum gpu_lib first = data[0] & 1 ? GPU_CUDA : GPU_NVML, second = data[0] & 1 ? GPU_NVML : GPU_CUDA;
    arena_init(&a, 0);
    gpu_answers(&a, &f, first, (const char *)data + 1, size - 1, NULL);
    gpu_answers(&a, &f, second, (const char *)data + 1, size - 1, NULL);
    check(&f);
    arena_done(&a);
    return 0;
}
