/* SPDX-License-Identifier: Apache-2.0 */
/* First lines of scripts: any bytes; the interpreter's name must lie inside. */
#include <stdint.h>
#include <stdlib.h>
#include "formats/shebang.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct shebang s;
    if (shebang_parse(text, size, &s) && (s.program.n == 0 || s.program.p < text || s.program.p + s.program.n > text + size))
        abort();
    return 0;
}
