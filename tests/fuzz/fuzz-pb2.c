/* SPDX-License-Identifier: Apache-2.0 */
/* Heads of generated protobuf files: any text. */
#include <stdint.h>
#include <stdlib.h>
#include "formats/pb2.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pb2 r = pb2_parse((const char *)data, size), half = pb2_parse((const char *)data, size / 2);
    if (size < 16 && (r.style != PB2_UNKNOWN || half.style != PB2_UNKNOWN)) /* no text that short says anything */
        abort();
    return 0;
}
