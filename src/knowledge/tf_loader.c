/* SPDX-License-Identifier: Apache-2.0 */
/* tf_loader - look-ups in the generated tables. */
#include "knowledge/tf_loader.h"
#include <string.h>
#include "tf_loader_gen.h"

const char *const *tf_loader_namespaces(void) { return namespaces; }

const struct tf_function *tf_loader_functions(size_t *ret_n)
{
    *ret_n = TG_COUNT(functions);
    return functions;
}

const struct tf_function *tf_loader_find(const char *name, size_t n)
{
    for (size_t i = 0; i < TG_COUNT(functions); i++)
        if (strlen(functions[i].name) == n && memcmp(functions[i].name, name, n) == 0)
            return &functions[i];
    return NULL;
}

const struct tf_function *tf_loader_fallback(uint32_t cuda_major, size_t i)
{
    for (size_t k = 0; k < TG_COUNT(fallback); k++)
        if (fallback[k].cuda == cuda_major && i-- == 0)
            return tf_loader_find(fallback[k].function, strlen(fallback[k].function));
    return NULL;
}

const char *tf_loader_fallback_driver(void) { return fallback_driver; }

const char *tf_loader_cpu_guard(void) { return cpu_guard; }

const struct tf_cpu_feature *tf_loader_cpu_features(size_t *ret_n)
{
    *ret_n = TG_COUNT(cpu_features);
    return cpu_features;
}
const char *tf_loader_cudnn_version_symbol(void) { return cudnn_version_symbol; }
const char *tf_loader_cudnn_version_asks(void) { return cudnn_version_asks; }

const struct tf_learned *tf_learned_find(const char *framework_sha256)
{
    for (size_t i = 0; i < TG_COUNT(learned); i++)
        if (str_eq(learned[i].framework, framework_sha256))
            return &learned[i];
    return NULL;
}

const struct tf_learned_need *tf_learned_needs(const struct tf_learned *l) { return learned_needs + l->first; }
