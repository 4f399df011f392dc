/* SPDX-License-Identifier: Apache-2.0 */
/* releases - look-ups in the tables of what can be installed. */
#include "knowledge/releases.h"
#include "base/util.h"
#include "releases_gen.h"

const struct release *releases_all(const struct known *k, size_t *ret_n)
{
    *ret_n = k ? k->n_releases : TG_COUNT(releases);
    return k ? k->releases : releases;
}

const struct framework_release *framework_releases_all(const struct known *k, size_t *ret_n)
{
    *ret_n = k ? k->n_frameworks : TG_COUNT(framework_releases);
    return k ? k->frameworks : framework_releases;
}

const struct framework *framework_of(const char *name)
{
    for (size_t i = 0; i < TG_COUNT(frameworks); i++)
        if (str_eq(frameworks[i].name, name))
            return &frameworks[i];
    return NULL;
}

static const struct wheel_version *versions_in(const struct wheel_dist *d, size_t n, const char *dist, size_t *ret_n)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(d[i].name, dist)) {
            *ret_n = d[i].n;
            return d[i].v;
        }
    return NULL;
}

const struct wheel_version *wheel_versions_of(const struct known *k, const char *dist, size_t *ret_n)
{
    const struct wheel_version *v = k ? versions_in(k->dists, k->n_dists, dist, ret_n) : NULL;
    if (v)
        return v;
    *ret_n = 0;
    return versions_in(wheel_dists, TG_COUNT(wheel_dists), dist, ret_n);
}

const char *wheel_dist_name(size_t i)
{
    return i < TG_COUNT(wheel_dists) ? wheel_dists[i].name : NULL;
}

bool wheel_dist_known(const char *dist)
{
    size_t n;
    return wheel_versions_of(NULL, dist, &n) != NULL;
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
