/* SPDX-License-Identifier: Apache-2.0 */
/* modules.dep.bin: any bytes; a value that is found lies in the file. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "formats/kmodidx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const keys[] = {"nvidia", "nouveau", "", "nvidia_uvm"};
    struct arena a;
    struct memsrc m = {data, size};
    struct bytesrc s = bytesrc_mem(&m);
    arena_init(&a, 0);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const char *value = NULL;
        if (kmodidx_find(&s, keys[i], &a, &value, NULL) == 1 && strlen(value) > size)
            abort();
    }
    arena_done(&a);
    return 0;
}
