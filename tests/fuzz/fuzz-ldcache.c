/* SPDX-License-Identifier: Apache-2.0 */
/* ld.so.cache: any bytes; every string that comes out ends inside the image. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "formats/ldcache.h"

static void inside(const uint8_t *data, size_t size, const char *s)
{
    const uint8_t *p = (const uint8_t *)s;
    if (s && (p < data || p >= data + size || strlen(s) >= size))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct ldcache_cpu cpus[] = {{1, true, true, 6}, {4, true, false, 2}, {3, false, true, 2}};
    struct ldcache c;
    struct ldcache_entry e;
    if (ldcache_parse(data, size, &c, NULL) < 0)
        return 0;
    for (uint32_t i = 0; i < c.count && i < 1000; i++) {
        if (!ldcache_entry(&c, i, &e))
            continue;
        inside(data, size, e.soname);
        inside(data, size, e.path);
        inside(data, size, e.hwcap);
        for (size_t k = 0; k < sizeof cpus / sizeof *cpus; k++)
            inside(data, size, ldcache_lookup(&c, e.soname, &cpus[k]));
    }
    inside(data, size, ldcache_lookup(&c, "libx.so.1", &cpus[0]));
    return 0;
}
