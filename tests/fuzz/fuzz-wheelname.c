/* SPDX-License-Identifier: Apache-2.0 */
/* Names of wheels: any bytes; an accepted one has a name, a version and a Python. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "formats/wheelname.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct wheelname w;
    arena_init(&a, 0);
    const char *name = arena_strndup(&a, (const char *)data, size);
    if (wheelname_parse(name, &w) && (!w.name.n || !w.version.n || !w.pythons || w.version.p + w.version.n > name + strlen(name)))
        abort();
    arena_done(&a);
    return 0;
}
