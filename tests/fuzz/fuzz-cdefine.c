/* SPDX-License-Identifier: Apache-2.0 */
/* cdefine: any bytes; a number is given only when the name is in the text. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "formats/cdefine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"CUDNN_MAJOR", "CUDNN_MINOR", "N"};
    uint32_t v;
    for (size_t i = 0; i < 3; i++)
        if (cdefine_number((const char *)data, size, names[i], &v) && !memmem(data, size, names[i], strlen(names[i])))
            abort();
    return 0;
}
