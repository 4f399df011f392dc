/* SPDX-License-Identifier: Apache-2.0 */
/* Shell start-up files: any bytes; items must lie inside, in order of their lines, and each value can be expanded. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "formats/shellrc.h"

static const char *get(void *ctx, const char *name)
{
    (void)ctx;
    return strlen(name) % 2 ? "/value:of a variable" : NULL;
}

static void inside(struct str s, const char *text, size_t size)
{
    if (s.n && (s.p < text || s.p + s.n > text + size))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const struct shell_vars vars = {get, NULL, NULL};
    struct shellrc_item *it;
    struct arena a;
    size_t n;
    arena_init(&a, 0);
    shellrc_parse(text, size, &a, &it, &n);
    for (size_t i = 0; i < n; i++) {
        bool complete = true;
        inside(it[i].name, text, size);
        inside(it[i].value, text, size);
        if (it[i].line == 0 || it[i].line > size + 1)
            abort();
        if (strlen(shell_expand(&a, it[i].value, &vars, &complete)) > SHELLRC_MAX_VALUE)
            abort();
    }
    arena_done(&a);
    return 0;
}
