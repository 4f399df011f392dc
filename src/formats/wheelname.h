/* SPDX-License-Identifier: Apache-2.0 */
/* wheelname - what the name of a wheel file says: "numpy-2.2.0-cp312-cp312-manylinux_2_17_x86_64.manylinux2014_x86_64.whl".
 * Format: Python packaging specifications, "Binary distribution format" and "Platform compatibility tags". */
#ifndef TG_FORMATS_WHEELNAME_H
#define TG_FORMATS_WHEELNAME_H
#include <stdbool.h>
#include <stdint.h>
#include "base/util.h"

struct wheelname {
    struct str name, version; /* as written; slices of the name */
    uint32_t pythons;         /* bit m: CPython 3.m with the GIL can use it */
    unsigned glibc_minor;     /* of glibc 2; 0: any */
};

/* false: no wheel's name, or one that no CPython 3 on Linux x86-64 with glibc can use; then `ret` is untouched */
bool wheelname_parse(const char *file, struct wheelname *ret);
#endif
