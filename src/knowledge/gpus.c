/* SPDX-License-Identifier: Apache-2.0 */
/* gpus - look-ups in the table of NVIDIA GPUs. */
#include "knowledge/gpus.h"
#include <string.h>
#include "gpus_gen.h"

static void from_chip(const struct gpu_chip *c, struct gpu_info *ret)
{
    *ret = (struct gpu_info){.chip = c->name, .arch = gpu_archs[c->arch], .cc = c->cc};
}

bool gpu_by_device(uint32_t device_id, struct gpu_info *ret)
{
    size_t lo = 0, hi = TG_COUNT(gpu_rows);
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (gpu_rows[mid].id < device_id)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo < TG_COUNT(gpu_rows) && gpu_rows[lo].id == device_id) {
        const char *name = gpu_names + gpu_rows[lo].name;
        from_chip(&gpu_chips[gpu_rows[lo].chip], ret);
        ret->name = *name ? name : NULL;
        return true;
    }
    for (size_t i = 0; i < TG_COUNT(gpu_ranges); i++)
        if (gpu_ranges[i].first <= device_id && device_id <= gpu_ranges[i].last) {
            from_chip(&gpu_chips[gpu_ranges[i].chip], ret);
            return true;
        }
    return false;
}

bool gpu_by_chip(struct str chip, struct gpu_info *ret)
{
    const struct gpu_chip *best = NULL;
    for (size_t i = 0; i < TG_COUNT(gpu_chips); i++) {
        const struct gpu_chip *c = &gpu_chips[i];
        size_t n = strlen(c->name);
        bool head = chip.n >= n && memcmp(chip.p, c->name, n) == 0;
        if (!head || (chip.n > n && chip.p[n] >= '0' && chip.p[n] <= '9'))
            continue;
        if (!best || n > strlen(best->name)) /* GB10B and GB100 share a head; the longest fits best */
            best = c;
    }
    if (!best)
        return false;
    from_chip(best, ret);
    return true;
}
