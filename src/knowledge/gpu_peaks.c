/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_peaks - look-ups in the table of peak rates. */
#include "knowledge/gpu_peaks.h"
#include <strings.h>
#include "base/util.h"
#include "gpu_peaks_gen.h"

static const char maker[] = "NVIDIA ";

/* Usable memory is a little less than what the name says, and counted in other units: within a seventh. */
static bool same_memory(uint64_t bytes, uint32_t gb)
{
    uint64_t want = (uint64_t)gb * 1000000000, apart = bytes > want ? bytes - want : want - bytes;
    return !gb || !bytes || apart <= want / 7;
}

bool gpu_peaks_find(const char *name, uint64_t memory_bytes, struct gpu_peaks *ret)
{
    if (name && strncasecmp(name, maker, sizeof maker - 1) == 0)
        name += sizeof maker - 1;
    for (size_t i = 0; name && i < TG_COUNT(peak_rows); i++)
        if (strcasecmp(name, peak_rows[i].name) == 0 && same_memory(memory_bytes, peak_rows[i].memory_gb)) {
            *ret = (struct gpu_peaks){peak_rows[i].name, peak_rows[i].fp32_gflops, peak_rows[i].tf32_gflops, peak_rows[i].fp16_gflops};
            return true;
        }
    return false;
}
