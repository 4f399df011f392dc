/* SPDX-License-Identifier: Apache-2.0 */
/* pydata - what is known of Python packages around TensorFlow. */
#include "knowledge/pydata.h"
#include <string.h>
#include "base/util.h"
struct source_row { const char *dist, *since; const char *const *files; };
#include "pydata_gen.h"

const struct tf_dist *pydata_tf_dist(const char *name)
{
    for (size_t i = 0; i < TG_COUNT(tf_dists); i++)
        if (str_eq(tf_dists[i].name, name))
            return &tf_dists[i];
    return NULL;
}

const struct imported_module *pydata_module(const char *name, size_t n)
{
    size_t lo = 0, hi = TG_COUNT(imported_modules);
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2, len = strlen(imported_modules[mid].name);
        int r = memcmp(name, imported_modules[mid].name, n < len ? n : len);
        if (!r && n == len)
            return &imported_modules[mid];
        if (r < 0 || (!r && n < len))
            hi = mid;
        else
            lo = mid + 1;
    }
    return NULL;
}

const struct imported_module *pydata_modules(size_t *ret_n)
{
    *ret_n = TG_COUNT(imported_modules);
    return imported_modules;
}

const struct imported_module *pydata_module_of(const char *dist)
{
    for (size_t i = 0; i < TG_COUNT(imported_modules); i++)
        if (str_eq(imported_modules[i].dist, dist))
            return &imported_modules[i];
    return NULL;
}

const struct extension_row *pydata_extensions(const char *dist, const char *version)
{
    const struct extension_row *best = NULL;
    for (size_t i = 0; i < TG_COUNT(extension_rows); i++)
        if (str_eq(extension_rows[i].dist, dist) && (!best || (version && ver_cmp(extension_rows[i].since, version) <= 0)))
            best = &extension_rows[i];
    return best;
}

const struct numpy_marks *pydata_numpy_marks(void)
{
    return &numpy_marks;
}

const char *const *pydata_protobuf_files(void)
{
    return protobuf_files;
}

const struct numpy_user *pydata_numpy_users(void)
{
    return numpy_users;
}

const struct tf_python *pydata_newest_tf_python(void)
{
    return &tf_pythons[TG_COUNT(tf_pythons) - 1];
}

const char *pydata_replaced_by(const char *path)
{
    for (size_t i = 0; i < TG_COUNT(replaced_objects); i++)
        if (str_eq(replaced_objects[i].object, path))
            return replaced_objects[i].by;
    return NULL;
}

bool pydata_opened(const char *path)
{
    size_t lo = 0, hi = TG_COUNT(opened_objects);
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int r = strcmp(path, opened_objects[mid]);
        if (!r)
            return true;
        if (r < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return false;
}

const char *const *pydata_sources(const char *dist, const char *version)
{
    const char *const *best = NULL;
    for (size_t i = 0; i < TG_COUNT(source_rows); i++)
        if (str_eq(source_rows[i].dist, dist) && (!best || (version && ver_cmp(source_rows[i].since, version) <= 0)))
            best = source_rows[i].files;
    return best;
}
