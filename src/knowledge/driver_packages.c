/* SPDX-License-Identifier: Apache-2.0 */
/* driver_packages - data/tables/driver_packages.yaml. */
#include "knowledge/driver_packages.h"
#include "base/util.h"
#include "driver_packages_gen.h"

const struct driver_packages *driver_packages_of(const char *id, const char *version)
{
    uint32_t major = 0;
    bool known = ver_major(version, &major);
    for (size_t i = 0; i < TG_COUNT(rows); i++) {
        const struct driver_packages *r = &rows[i];
        bool fits = !r->majors;
        for (const unsigned *m = r->majors; m && *m && known; m++)
            fits = fits || *m == major;
        for (const char *const *s = r->ids; fits && *s; s++)
            if (str_eq(*s, id))
                return r;
    }
    return NULL;
}
