/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>
#include "base/buf.h"
#include "base/util.h"
#include "formats/unpack.h"

enum { TEXT = 300000 };
static struct arena a;
static struct buf got;
static struct err e;
static char text[TEXT];
struct packed { unsigned char *p; size_t n; };

static int take(void *ctx, const void *p, size_t n)
{
    buf_add(&got, p, n);
    return ctx && got.len > *(const size_t *)ctx ? -EINTR : 0;
}

static struct packed pack_gzip(const void *p, size_t n)
{
    struct packed r = {arena_raw(&a, n + 1000), 0};
    z_stream z = {0};
    if (deflateInit2(&z, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        abort();
    z.next_in = (Bytef *)(uintptr_t)p;
    z.avail_in = (uInt)n;
    z.next_out = r.p;
    z.avail_out = (uInt)n + 1000;
    if (deflate(&z, Z_FINISH) != Z_STREAM_END)
        abort();
    r.n = z.total_out;
    (void)deflateEnd(&z);
    return r;
}

static struct packed pack_zstd(const void *p, size_t n)
{
    size_t room = ZSTD_compressBound(n);
    struct packed r = {arena_raw(&a, room), 0};
    ZSTD_CCtx *c = ZSTD_createCCtx();
    (void)ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
    r.n = ZSTD_compress2(c, r.p, room, p, n);
    (void)ZSTD_freeCCtx(c);
    return r;
}

static struct packed join(struct packed x, struct packed y)
{
    struct packed r = {arena_raw(&a, x.n + y.n + 1), x.n + y.n};
    memcpy(r.p, x.p, x.n);
    memcpy(r.p + x.n, y.p, y.n);
    return r;
}

/* What unpack_feed or unpack_end says; `got` has what came out. */
static int unpacked(enum unpack_kind kind, struct packed x, size_t step, uint64_t free_bytes, size_t *stop_at)
{
    struct unpack *u;
    int r = 0;
    buf_reset(&got);
    e = (struct err){0};
    if (unpack_new(kind, free_bytes, take, stop_at, &u) < 0)
        abort();
    for (size_t i = 0; r == 0 && i < x.n; i += step)
        r = unpack_feed(u, x.p + i, x.n - i < step ? x.n - i : step, &e);
    if (r == 0)
        r = unpack_end(u, &e);
    unpack_free(u);
    return r;
}

static bool is_text(size_t from, size_t n)
{
    return got.len == from + n && memcmp(got.p + from, text, n) == 0;
}

static void test_kind(enum unpack_kind kind, struct packed (*pack)(const void *, size_t), const char *name)
{
    static const size_t steps[] = {1, 13, 1u << 20};
    struct packed one = pack(text, TEXT), none = pack("", 0), zeros = {arena_alloc(&a, 600), 600}, junk = {(unsigned char *)arena_strdup(&a, "junk"), 4};
    for (size_t i = 0; i < TG_COUNT(steps); i++) {
        ok(unpacked(kind, one, steps[i], 0, NULL) == 0 && is_text(0, TEXT), "%s in pieces of %zu", name, steps[i]);
        ok(unpacked(kind, join(one, join(none, one)), steps[i], 0, NULL) == 0 && is_text(TEXT, TEXT), "%s: three after each other, by %zu", name, steps[i]);
        ok(unpacked(kind, join(one, zeros), steps[i], 0, NULL) == 0 && is_text(0, TEXT), "%s: zeros at the end, by %zu", name, steps[i]);
        ok(unpacked(kind, join(one, junk), steps[i], 0, NULL) == -EBADMSG && is_text(0, TEXT), "%s: %s", name, e.msg);
    }
    struct packed cut = {one.p, one.n - 1}, half = {one.p, one.n / 2}, head = {one.p, 3};
    ok(unpacked(kind, cut, 1000, 0, NULL) == -ENODATA && got.len, "%s cut: %s", name, e.msg);
    ok(unpacked(kind, half, 1000, 0, NULL) == -ENODATA && got.len && memcmp(got.p, text, got.len) == 0, "%s cut in half: what was there came out", name);
    ok(unpacked(kind, head, 1000, 0, NULL) == -ENODATA, "%s cut in its head", name);
    ok(unpacked(kind, join(one, half), 1000, 0, NULL) == -ENODATA && got.len > TEXT, "%s: the second one is cut", name);
    ok(unpacked(kind, junk, 1000, 0, NULL) == -EBADMSG, "%s: %s", name, e.msg);
    struct packed bad = join(one, (struct packed){one.p, 0});
    bad.p[one.n - (kind == UNPACK_GZIP ? 6 : 2)] ^= 0x10; /* the check sum */
    ok(unpacked(kind, bad, 1000, 0, NULL) == -EBADMSG, "%s damaged: %s", name, e.msg);
    size_t stop_at = 1000;
    ok(unpacked(kind, one, 5000, 0, &stop_at) == -EINTR && !e.code, "%s: the taker stops it", name);
    size_t big = 64u << 20;
    struct packed bomb = pack(arena_alloc(&a, big), big);
    ok(unpacked(kind, bomb, 1000, 1u << 20, NULL) == -E2BIG && got.len < 2u << 20, "%s bomb: %s", name, e.msg);
    ok(unpacked(kind, bomb, 1000, big, NULL) == 0, "%s: below the free bytes nothing is a bomb", name);
}

static void test_window(void)
{
    /* RFC 8878, 3.1.1.1: magic, descriptor (no single segment), window of 2^31 bytes, an empty last block */
    struct packed x = {(unsigned char *)arena_strndup(&a, "\x28\xb5\x2f\xfd\0\xa8\1\0\0", 9), 9};
    ok(unpacked(UNPACK_ZSTD, x, 9, 0, NULL) == -E2BIG && strstr(e.msg, "--long"), "a huge window: %s", e.msg);
}

int main(void)
{
    uint32_t x = 1;
    arena_init(&a, 0);
    buf_init(&got, 0);
    for (size_t i = 0; i < TEXT; i++) {
        x = x * 1103515245 + 12345;
        text[i] = i % 60 == 59 ? '\n' : i % 3 ? 'x' : (char)('a' + (x >> 16) % 26);
    }
    test_kind(UNPACK_GZIP, pack_gzip, "gzip");
    test_kind(UNPACK_ZSTD, pack_zstd, "zstd");
    test_window();
    buf_done(&got);
    arena_done(&a);
    return tap_done();
}
