/* SPDX-License-Identifier: Apache-2.0 */
/* pyvenv.cfg: any bytes; what is read must be text inside them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "formats/pyvenv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct pyvenv_cfg c;
    arena_init(&a, 0);
    pyvenv_parse((const char *)data, size, &a, &c);
    const char *const all[] = {c.home, c.version, c.executable, c.prompt, c.implementation, c.uv};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] && strlen(all[i]) > size)
            abort();
    arena_done(&a);
    return 0;
}
