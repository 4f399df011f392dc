/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"
#include "knowledge/gpu_peaks.h"

#define GB 1000000000ull

int main(void)
{
    struct gpu_peaks k = {0};
    ok(gpu_peaks_find("NVIDIA GeForce RTX 3090", 0, &k) && k.fp32_gflops == 35600 && k.fp16_gflops == 71200, "with the maker's name");
    ok_str(k.name, "GeForce RTX 3090", "named as in the table");
    ok(gpu_peaks_find("Tesla T4", 0, &k) && !k.tf32_gflops, "without it; no such units");
    k = (struct gpu_peaks){0};
    ok(!gpu_peaks_find("NVIDIA GeForce RTX 3090 Ti", 0, &k) && !k.name, "a name that goes on is another card");
    ok(!gpu_peaks_find("NVIDIA GeForce RTX 3070 Laptop GPU", 0, &k) && !gpu_peaks_find("NVIDIA A100-SXM4-40GB MIG 1g.5gb", 0, &k), "nor a laptop's, nor a slice");
    ok(gpu_peaks_find("NVIDIA GeForce RTX 3080", 10 * GB, &k) && !gpu_peaks_find("NVIDIA GeForce RTX 3080", 12884901888ull, &k), "memory tells two of one name apart");
    ok(gpu_peaks_find("NVIDIA H200", 150754820096ull, &k), "the driver counts a little less, in other units");
    ok(!gpu_peaks_find(NULL, 0, &k) && !gpu_peaks_find("", 0, &k) && !gpu_peaks_find("NVIDIA ", 0, &k), "no name");
    return tap_done();
}
