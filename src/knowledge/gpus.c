/* SPDX-License-Identifier: Apache-2.0 */
/* gpus - look-ups in the table of NVIDIA GPUs. */
#include "knowledge/gpus.h"
#include <errno.h>
#include <string.h>
#include <strings.h>
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

static const char *without_maker(const char *s)
{
    static const char *const words[] = {"NVIDIA ", "GeForce ", "Quadro ", "Tesla "};
    for (size_t i = 0; i < TG_COUNT(words); i++)
        if (strncasecmp(s, words[i], strlen(words[i])) == 0)
            s += strlen(words[i]);
    return s;
}

/* 2 the same, 1 the whole words that a longer name begins with, 0 neither */
static int name_match(const char *have, const char *asked)
{
    size_t n = strlen(asked);
    if (n == 0 || strncasecmp(have, asked, n) != 0)
        return 0;
    return !have[n] ? 2 : have[n] == ' ' || have[n] == '-' ? 1 : 0;
}

int gpu_by_name(const char *name, struct gpu_info *ret)
{
    const struct gpu_row *best = NULL;
    const char *asked = without_maker(name);
    int how = 0;
    bool mixed = false;
    for (size_t i = 0; i < TG_COUNT(gpu_rows); i++) {
        int m = name_match(without_maker(gpu_names + gpu_rows[i].name), asked);
        if (m == 0 || m < how)
            continue;
        mixed = m == how && (mixed || gpu_chips[gpu_rows[i].chip].cc != gpu_chips[best->chip].cc);
        if (m > how || !best)
            best = &gpu_rows[i];
        how = m;
    }
    if (!best || mixed)
        return best ? -EEXIST : -ENOENT;
    from_chip(&gpu_chips[best->chip], ret);
    ret->name = gpu_names + best->name;
    return 0;
}
