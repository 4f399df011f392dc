/* SPDX-License-Identifier: Apache-2.0 */
/* pci.ids: any bytes; a name that is found is that of a line with this id. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "formats/pciids.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct memsrc m = {data, size};
    struct bytesrc s = bytesrc_mem(&m);
    const char *name = NULL;
    arena_init(&a, 0);
    if (pciids_find(&s, 0x10de, 0x2204, &a, &name, NULL) == 1 && *name && !memmem(data, size, name, strlen(name)))
        abort();
    arena_done(&a);
    return 0;
}
