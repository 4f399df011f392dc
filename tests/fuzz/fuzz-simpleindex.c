/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of a package index: any bytes; each file has a name, and no text is longer than the limit. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "formats/simpleindex.h"

static void on_file(void *ctx, const struct simpleindex_file *f)
{
    (void)ctx;
    if (!*f->name || strlen(f->name) >= SIMPLEINDEX_TEXT || strlen(f->url) >= SIMPLEINDEX_TEXT || strlen(f->requires_python) >= SIMPLEINDEX_TEXT || strchr(f->url, '#'))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err e = {0};
    if (simpleindex_read((const char *)data, size, on_file, NULL, &e) < 0 && !e.msg[0])
        abort();
    return 0;
}
