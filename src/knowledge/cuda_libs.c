/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_libs - look-ups in the generated table. */
#include "knowledge/cuda_libs.h"
#include <string.h>
#include "cuda_libs_gen.h"

const struct cuda_lib *cuda_lib_find(const char *file_name)
{
    const char *so = file_name ? strstr(file_name, ".so") : NULL;
    size_t n = so ? (size_t)(so - file_name) : 0;
    for (size_t i = 0; n && i < TG_COUNT(libs); i++)
        if (strlen(libs[i].stem) == n && memcmp(libs[i].stem, file_name, n) == 0)
            return &libs[i];
    return NULL;
}

const struct cuda_version_way *cuda_lib_ways(const struct cuda_lib *l, size_t *ret_n)
{
    *ret_n = l->n_ways;
    return ways + l->first_way;
}

const char *cuda_lib_soname(const struct cuda_lib *l, uint32_t major)
{
    for (size_t i = 0; i < l->n_sonames; i++)
        if (sonames[l->first_soname + i].cuda == major)
            return sonames[l->first_soname + i].soname;
    return NULL;
}

bool cuda_major_of_soname(const char *soname, uint32_t *ret)
{
    uint32_t major = 0;
    size_t hits = 0;
    for (size_t i = 0; i < TG_COUNT(sonames); i++) {
        if (!str_eq(sonames[i].soname, soname))
            continue;
        major = sonames[i].cuda;
        hits++;
    }
    if (hits != 1)
        return false;
    *ret = major;
    return true;
}

bool cuda_major_of_ptx_isa(uint32_t isa_major, uint32_t *ret)
{
    for (size_t i = 0; i < TG_COUNT(ptx_isa); i++) {
        if (ptx_isa[i].isa == isa_major) {
            *ret = ptx_isa[i].cuda;
            return true;
        }
    }
    return false;
}
