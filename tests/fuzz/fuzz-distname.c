/* SPDX-License-Identifier: Apache-2.0 */
/* Names of dist-info, egg-info and conda-meta entries: any text; the parts must lie inside. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "formats/distname.h"

static void inside(struct str s, const char *name)
{
    if (s.n && (s.p < name || s.p + s.n > name + strlen(name)))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct distname d;
    struct condaname c;
    char *name = malloc(size + 1);
    if (!name)
        return 0;
    memcpy(name, data, size);
    name[size] = '\0';
    if (distname_parse(name, &d) != DIST_NONE) {
        inside(d.name, name);
        inside(d.version, name);
    }
    if (condaname_parse(name, &c)) {
        inside(c.name, name);
        inside(c.version, name);
        inside(c.build, name);
        if (!c.name.n || !c.version.n || !c.build.n)
            abort();
    }
    free(name);
    return 0;
}
