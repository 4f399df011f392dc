/* SPDX-License-Identifier: Apache-2.0 */
/* A Python file: any bytes. Names lie within them and are words of them; a fault has a line that is there. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "formats/pysource.h"

static void inside(struct str s, const uint8_t *data, size_t size)
{
    if (s.n && ((const uint8_t *)s.p < data || (const uint8_t *)s.p + s.n > data + size))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = {(const char *)data, size};
    struct arena a;
    struct pysource s;
    struct pysource_modules m;
    arena_init(&a, 0);
    pysource_read(text, &a, &s);
    for (size_t i = 0; i < s.n_imports; i++) {
        inside(s.imports[i].name, data, size);
        if (s.imports[i].name.n && s.imports[i].name.p[0] != '*' && !pysource_may_have(text, s.imports[i].name))
            abort();
    }
    if (s.fault ? s.line < 1 || s.line > size + 1 : s.line)
        abort();
    if (pysource_is_plain(text, &a, &m) && s.fault)
        abort();
    for (size_t i = 0; i < m.n_names; i++)
        inside(m.names[i], data, size);
    arena_done(&a);
    return 0;
}
