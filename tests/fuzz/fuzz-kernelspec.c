/* SPDX-License-Identifier: Apache-2.0 */
/* kernel.json: any bytes; an accepted one has a program. */
#include <stdint.h>
#include <stdlib.h>
#include "formats/kernelspec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct kernelspec k;
    struct err e = {0};
    arena_init(&a, 0);
    if (kernelspec_parse((const char *)data, size, &a, &k, &e) == 0) {
        if (!k.n_argv || !k.argv[0])
            abort();
        for (size_t i = 0; i < k.n_env; i++)
            if (kernelspec_getenv(&k, k.env[i].name) == NULL)
                abort();
    } else if (!e.code || !e.msg[0]) {
        abort();
    }
    arena_done(&a);
    return 0;
}
