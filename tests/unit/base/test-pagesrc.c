/* SPDX-License-Identifier: Apache-2.0 */
/* pagesrc: gives what its source gives, asks it seldom, and passes holes of a capture on. */
#include "base/pagesrc.h"
#include <errno.h>
#include "../tap.h"

enum { SIZE = 100000, HOLE = 5000, HOLE_END = 5100 };

static unsigned char bytes[SIZE];

/* The bytes, of which HOLE .. HOLE_END are not known. */
static long read_holed(void *ctx, uint64_t off, void *dst, size_t n)
{
    unsigned *calls = ctx;
    ++*calls;
    if (off >= SIZE)
        return 0;
    if (n > SIZE - off)
        n = (size_t)(SIZE - off);
    if (off < HOLE_END && off + n > HOLE)
        return -ENODATA;
    memcpy(dst, bytes + off, n);
    return (long)n;
}

int main(void)
{
    unsigned calls = 0, wrong = 0;
    unsigned char got[3000];
    struct bytesrc s = {.size = SIZE, .read = read_holed, .ctx = &calls};
    struct arena a;
    arena_init(&a, 0);
    struct pagesrc *p = pagesrc_new(&a, &s);
    struct bytesrc q = pagesrc_src(p);
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (unsigned char)(i * 7 + i / 251);
    for (uint64_t off = 20000; off < 20400; off += 3)
        wrong += bytesrc_read_exact(&q, off, got, 8) != 0 || memcmp(got, bytes + off, 8) != 0;
    ok(!wrong && calls <= 2 && pagesrc_reads(p) == calls, "a hundred reads in one neighbourhood cost at most two");
    for (uint64_t off = 10000, i = 0; i < 2000; i++, off = off * 7919 % (SIZE - 4000)) {
        size_t n = (size_t)(i * 37 % sizeof got) + 1;
        bool holed = off < HOLE_END + 1024 && off + n + 1024 > HOLE;
        wrong += !holed && (bytesrc_read_exact(&q, off, got, n) != 0 || memcmp(got, bytes + off, n) != 0);
    }
    ok(!wrong, "reads of all sizes all over the file, more than are remembered");
    ok(bytesrc_read_exact(&q, SIZE - 5, got, 5) == 0 && memcmp(got, bytes + SIZE - 5, 5) == 0, "the last bytes");
    ok(bytesrc_read_exact(&q, SIZE - 5, got, 6) == -EBADMSG, "beyond the end");
    ok(q.read(q.ctx, SIZE - 5, got, 100) == 5, "a read that the end cuts is short");
    ok(q.read(q.ctx, SIZE + 5, got, 100) == 0, "behind the end there is nothing");
    ok(bytesrc_read_exact(&q, HOLE - 8, got, 8) == 0 && memcmp(got, bytes + HOLE - 8, 8) == 0, "known bytes beside a hole are given");
    ok(bytesrc_read_exact(&q, HOLE_END, got, 8) == 0, "and behind it");
    ok(bytesrc_read_exact(&q, HOLE + 10, got, 8) == -ENODATA, "a hole is not known, never zeroes");
    arena_done(&a);
    return tap_done();
}
