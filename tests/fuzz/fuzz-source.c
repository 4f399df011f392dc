/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever a file holds, packed or not: the same text comes out of it however it is cut into pieces. The first byte is their size. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "explain/source.h"
#include "formats/unpack.h"

struct outcome { int feed, end; struct buf text; bool open; };

static void add(void *ctx, const void *p, size_t n)
{
    struct outcome *o = ctx;
    buf_add(&o->text, p, n);
}

static void end(void *ctx)
{
    struct outcome *o = ctx;
    buf_adds(&o->text, "<end>");
}

static void cell(void *ctx, uint32_t number)
{
    struct outcome *o = ctx;
    if (o->open)
        abort();
    o->open = true;
    buf_addf(&o->text, "<%u>", number);
}

static void cell_run(void *ctx, uint32_t number, uint32_t run)
{
    struct outcome *o = ctx;
    o->open = false;
    buf_addf(&o->text, "<%u:%u>", number, run);
}

static struct outcome read_by(const uint8_t *data, size_t size, size_t step)
{
    struct err e = {0}, late = {0};
    struct outcome r = {0};
    const struct source_sink sink = {&r, add, end, cell, cell_run};
    buf_init(&r.text, 0);
    struct source *s = source_new(&sink);
    for (size_t i = 0; r.feed == 0 && i < size; i += step)
        r.feed = source_feed(s, data + i, size - i < step ? size - i : step, &e);
    r.end = source_end(s, &late);
    source_free(s);
    if ((r.feed < 0 && !e.msg[0]) || (r.end < 0 && !late.msg[0]) || r.feed > 0 || r.end > 0 || r.open)
        abort();
    return r;
}

static int failure(const struct outcome *x)
{
    return x->end == -EMEDIUMTYPE || !x->feed ? x->end : x->feed;
}

static int count(void *ctx, const void *p, size_t n)
{
    *(uint64_t *)ctx += n;
    return !p;
}

/* A bomb is stopped soon after what is free. */
static void unpack_all(const uint8_t *data, size_t size)
{
    enum { FREE = 1 << 16, STEP = 1 << 18 };
    for (enum unpack_kind kind = UNPACK_GZIP; kind <= UNPACK_ZSTD; kind++) {
        struct unpack *u;
        struct err e = {0};
        uint64_t out = 0;
        if (unpack_new(kind, FREE, count, &out, &u) < 0)
            abort();
        int r = unpack_feed(u, data, size, &e);
        if (r == 0)
            r = unpack_end(u, &e);
        if ((r < 0) != (e.code < 0) || out > FREE + STEP + (uint64_t)UNPACK_RATIO * size)
            abort();
        unpack_free(u);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct outcome one = read_by(data + 1, size - 1, data[0] ? data[0] : 1), all = read_by(data + 1, size - 1, size);
    if (failure(&one) != failure(&all) || one.text.len != all.text.len || (all.text.len && memcmp(one.text.p, all.text.p, all.text.len) != 0))
        abort();
    buf_done(&one.text);
    buf_done(&all.text);
    unpack_all(data + 1, size - 1);
    return 0;
}
