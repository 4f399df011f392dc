/* SPDX-License-Identifier: Apache-2.0 */
/* .pth and ._pth files: any bytes; lines must lie inside and their numbers must grow. */
#include <stdint.h>
#include <stdlib.h>
#include "formats/pth.h"

static void walk(const char *text, size_t size, bool isolated)
{
    size_t pos = 0;
    uint32_t line = 0, last = 0;
    struct pth_line l;
    while (isolated ? pth_next_isolated(text, size, &pos, &line, &l) : pth_next(text, size, &pos, &line, &l)) {
        if (l.text.p < text || l.text.p + l.text.n > text + size || l.text.n == 0 || l.line <= last || pos > size)
            abort();
        last = l.line;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    walk((const char *)data, size, false);
    walk((const char *)data, size, true);
    return 0;
}
