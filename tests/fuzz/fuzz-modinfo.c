/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel modules: any bytes; what is read is bounded by the file. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "formats/modinfo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct memsrc m = {data, size};
    struct bytesrc s = bytesrc_mem(&m);
    struct modinfo info;
    arena_init(&a, 0);
    if (modinfo_read(&s, &a, &info, NULL) == 0 && info.version && strlen(info.version) > size)
        abort();
    (void)modinfo_get((const char *)data, size, "version", &a); /* must only not overrun */
    arena_done(&a);
    return 0;
}
