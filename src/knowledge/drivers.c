/* SPDX-License-Identifier: Apache-2.0 */
/* drivers - look-ups in the driver tables. */
#include "knowledge/drivers.h"
#include "base/util.h"
#include "drivers_gen.h"

const struct driver_floor *driver_floor(uint32_t cuda_major)
{
    for (size_t i = 0; i < TG_COUNT(driver_floors); i++)
        if (driver_floors[i].cuda == cuda_major)
            return &driver_floors[i];
    return NULL;
}

const char *driver_max_cuda(const char *version)
{
    const char *best = NULL;
    uint32_t branch;
    if (!version || !ver_major(version, &branch))
        return NULL;
    for (size_t i = 0; i < TG_COUNT(driver_branches); i++)
        if (driver_branches[i].branch <= branch)
            best = driver_branches[i].cuda;
    return best;
}

uint32_t driver_branch_for(const char *cuda)
{
    for (size_t i = 0; i < TG_COUNT(driver_branches); i++)
        if (ver_cmp(driver_branches[i].cuda, cuda) >= 0)
            return driver_branches[i].branch;
    return 0;
}

static uint32_t branch_of(const struct driver_cc_branch *rows, size_t n, uint32_t cc)
{
    for (size_t i = 0; i < n; i++)
        if (rows[i].lo <= cc && cc <= rows[i].hi)
            return rows[i].branch;
    return 0;
}

uint32_t driver_last_branch(uint32_t cc)
{
    return branch_of(driver_last_branch_rows, TG_COUNT(driver_last_branch_rows), cc);
}

uint32_t driver_first_branch(uint32_t cc)
{
    return branch_of(driver_first_branch_rows, TG_COUNT(driver_first_branch_rows), cc);
}

uint32_t driver_open_module_min_cc(void)
{
    return open_module_min_cc;
}

bool driver_lacks_forward_compat(const char *gpu)
{
    for (size_t i = 0; i < TG_COUNT(no_forward_compat); i++)
        if (str_starts(gpu, no_forward_compat[i]))
            return true;
    return false;
}

const struct driver_dir *driver_dirs(size_t *ret_n)
{
    *ret_n = TG_COUNT(driver_dir_rows);
    return driver_dir_rows;
}
