/* SPDX-License-Identifier: Apache-2.0 */
/* A notebook gives the same text however it is cut into pieces; each cell's text is whole lines, and cells come in order. The first
 * byte is the size of the pieces. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "formats/ipynb.h"
#include "formats/jsonflow.h"

struct outcome { struct buf text; uint32_t cell, ended; int r; };

static void text(void *ctx, uint32_t cell, const char *p, size_t n)
{
    struct outcome *o = ctx;
    if (n == 0 || cell < o->cell || cell == o->ended || cell == 0)
        abort();
    o->cell = cell;
    buf_add(&o->text, p, n);
}

static void cell_end(void *ctx, uint32_t cell, uint32_t run)
{
    struct outcome *o = ctx;
    if (cell != o->cell || cell == o->ended || o->text.p[o->text.len - 1] != '\n')
        abort();
    o->ended = cell;
    buf_addf(&o->text, "%u:%u\n", cell, run);
}

static void read_by(const uint8_t *data, size_t size, size_t step, struct outcome *o)
{
    const struct ipynb_ops ops = {text, cell_end, o};
    struct err e = {0};
    *o = (struct outcome){0};
    buf_init(&o->text, 0);
    struct ipynb *b = ipynb_new(&ops);
    for (size_t i = 0; o->r == 0 && i < size; i += step)
        o->r = ipynb_feed(b, (const char *)data + i, size - i < step ? size - i : step, &e);
    int end = ipynb_end(b, &e);
    o->r = o->r ? o->r : end;
    if ((o->r < 0) != (e.msg[0] != '\0') || o->cell != o->ended)
        abort();
    ipynb_free(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct outcome one, all;
    if (size == 0)
        return 0;
    (void)ipynb_looks_so((const char *)data + 1, size - 1);
    read_by(data + 1, size - 1, data[0] ? data[0] : 1, &one);
    read_by(data + 1, size - 1, size, &all);
    if (one.r != all.r || one.text.len != all.text.len || (one.text.len && memcmp(one.text.p, all.text.p, one.text.len) != 0))
        abort();
    buf_done(&one.text);
    buf_done(&all.text);
    return 0;
}
