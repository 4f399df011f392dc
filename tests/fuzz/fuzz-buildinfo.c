/* SPDX-License-Identifier: Apache-2.0 */
/* buildinfo: any bytes; strings end inside the arena's copies and lists hold no NULL. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "formats/buildinfo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct buildinfo b;
    struct err e;
    arena_init(&a, 0);
    if (buildinfo_parse((const char *)data, size, &a, &b, &e) == 0) {
        size_t total = (b.cuda_version ? strlen(b.cuda_version) : 0) + (b.cudnn_version ? strlen(b.cudnn_version) : 0);
        for (size_t i = 0; i < b.n_capabilities; i++)
            total += strlen(b.capabilities[i]);
        if (total > size)
            abort();
    }
    arena_done(&a);
    return 0;
}
