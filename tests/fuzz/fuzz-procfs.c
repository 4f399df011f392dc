/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's texts about memory, limits, control groups and links; any bytes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "formats/procfs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct arena a;
    struct proc_limit limit;
    uint64_t v;
    arena_init(&a, 0);
    if (meminfo_get(text, size, "MemTotal", &v) && v % 1024 != 0)
        abort();
    if (proc_limit_get(text, size, "Max locked memory", &limit) && limit.unlimited && limit.value != 0)
        abort();
    const char *unified = cgroup_path(text, size, NULL, &a), *memory = cgroup_path(text, size, "memory", &a);
    if ((unified && *unified != '/') || (memory && *memory != '/'))
        abort();
    uint32_t n;
    if (cpu_list_count(text, size, "Cpus_allowed_list", &n) && n == 0)
        abort();
    (void)cpu_quota(text, size, &n);
    (void)sysfs_number(text, size, &v);
    if (pcie_generation(arena_strndup(&a, text, size)) > 7)
        abort();
    arena_done(&a);
    return 0;
}
