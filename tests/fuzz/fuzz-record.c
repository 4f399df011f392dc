/* SPDX-License-Identifier: Apache-2.0 */
/* RECORD: any bytes; entries lie inside the window, and all lines are seen. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "formats/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char window[RECORD_WINDOW];
    struct memsrc m = {data, size};
    struct bytesrc s = bytesrc_mem(&m);
    struct record r;
    struct record_entry e;
    int got;
    record_init(&r, &s, window);
    while ((got = record_next(&r, &e)) > 0)
        if (e.path.p < window || e.path.p + e.path.n > window + sizeof window || !e.path.n || e.path.n > size)
            abort();
    size_t lines = 0;
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    lines += size && data[size - 1] != '\n';
    if (!got && r.lines != lines)
        abort();
    return 0;
}
