/* SPDX-License-Identifier: Apache-2.0 */
/* METADATA and WHEEL: any bytes; what is read must be text inside the head. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "formats/metadata.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct metadata m = {0};
    struct err e = {0};
    const char **tags, *text = (const char *)data;
    size_t n;
    arena_init(&a, 0);
    if (!metadata_parse(text, size, &a, &m, &e)) {
        for (size_t i = 0; i < m.n_requires_dist; i++)
            if (strlen(m.requires_dist[i]) > size)
                abort();
        if (m.name && strlen(metadata_normal_name(&a, m.name, strlen(m.name))) > strlen(m.name))
            abort();
    } else if (!e.code || !e.msg[0]) {
        abort();
    }
    (void)metadata_parse_wheel(text, size, &a, &tags, &n, &e);
    (void)metadata_head_complete(text, size);
    arena_done(&a);
    return 0;
}
