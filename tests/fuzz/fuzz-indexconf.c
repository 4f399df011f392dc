/* SPDX-License-Identifier: Apache-2.0 */
/* Where a uv.toml or an engine's help names a package index: any bytes; an address from a help text has a scheme and no blank. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "act/index_conf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    arena_init(&a, 0);
    char *text = malloc(size ? size : 1); /* of just this size, so that a step beyond shows */
    if (!text)
        abort();
    if (size)
        memcpy(text, data, size);
    const char *url = index_of_help(&a, text, size);
    if (url && (strncmp(url, "http", 4) != 0 || strpbrk(url, " \t\r\n")))
        abort();
    (void)index_of_uv_toml(&a, text, size);
    free(text);
    arena_done(&a);
    return 0;
}
