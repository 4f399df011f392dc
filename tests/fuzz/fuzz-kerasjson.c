/* SPDX-License-Identifier: Apache-2.0 */
/* keras.json: any bytes; what is refused has a name and a value. */
#include <stdint.h>
#include <stdlib.h>
#include "formats/kerasjson.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct kerasjson k;
    arena_init(&a, 0);
    kerasjson_read((const char *)data, size, &a, &k);
    if (!k.key != !k.value || (k.number && !k.key))
        abort();
    arena_done(&a);
    return 0;
}
