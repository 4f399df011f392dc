/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever a file holds, packed or not: the same lines come out of it however it is cut into pieces. The first byte is their size. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "explain/source.h"
#include "formats/unpack.h"

struct outcome { int feed, end; uint64_t lines; size_t found; };

static struct outcome read_by(const uint8_t *data, size_t size, size_t step)
{
    struct arena a;
    struct explain *x;
    struct err e = {0}, end = {0};
    struct outcome r = {0};
    struct explain_answer answer = {0};
    arena_init(&a, 0);
    if (explain_new(&a, &x, &e) < 0)
        abort();
    explain_file(x, "f");
    struct source *s = source_new(x);
    for (size_t i = 0; r.feed == 0 && i < size; i += step)
        r.feed = source_feed(s, data + i, size - i < step ? size - i : step, &e);
    r.end = source_end(s, &end);
    source_free(s);
    explain_judge(x, &answer);
    explain_free(x);
    if ((r.feed < 0 && !e.msg[0]) || (r.end < 0 && !end.msg[0]) || r.feed > 0 || r.end > 0)
        abort();
    r.lines = answer.lines;
    r.found = answer.n;
    arena_done(&a);
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
    if (failure(&one) != failure(&all) || (!failure(&all) && (one.lines != all.lines || one.found != all.found)))
        abort();
    unpack_all(data + 1, size - 1);
    return 0;
}
