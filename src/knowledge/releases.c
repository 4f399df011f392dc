/* SPDX-License-Identifier: Apache-2.0 */
/* releases - look-ups in the tables of what can be installed. */
#include "knowledge/releases.h"
#include "base/util.h"
#include "releases_gen.h"

const struct release *releases_all(size_t *ret_n)
{
    *ret_n = TG_COUNT(releases);
    return releases;
}

const struct framework_release *framework_releases_all(size_t *ret_n)
{
    *ret_n = TG_COUNT(framework_releases);
    return framework_releases;
}

const struct wheel_version *wheel_versions_of(const char *dist, size_t *ret_n)
{
    *ret_n = 0;
    for (size_t i = 0; i < TG_COUNT(wheel_dists); i++)
        if (str_eq(wheel_dists[i].name, dist)) {
            *ret_n = wheel_dists[i].n;
            return wheel_versions + wheel_dists[i].first;
        }
    return NULL;
}

const char *wheel_dist_name(size_t i)
{
    return i < TG_COUNT(wheel_dists) ? wheel_dists[i].name : NULL;
}

bool wheel_dist_known(const char *dist)
{
    size_t n;
    return wheel_versions_of(dist, &n) != NULL;
}

const struct wheel_code *wheel_code_of(const char *dist, const char *version, size_t i)
{
    for (size_t k = 0; k < TG_COUNT(wheel_codes); k++)
        if (str_eq(wheel_codes[k].dist, dist) && str_eq(wheel_codes[k].version, version) && i-- == 0)
            return &wheel_codes[k];
    return NULL;
}

unsigned release_python_suggest(void)
{
    return RELEASE_PYTHON_SUGGEST;
}

const char *ptx_isa_cuda(const char *isa)
{
    for (size_t i = 0; isa && i < TG_COUNT(ptx_isas); i++)
        if (str_eq(ptx_isas[i].isa, isa))
            return ptx_isas[i].cuda;
    return NULL;
}
