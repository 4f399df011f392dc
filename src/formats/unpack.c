/* SPDX-License-Identifier: Apache-2.0 */
/* unpack - gzip and Zstandard as streams. */
#include "formats/unpack.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>
#include "base/i18n.h"

enum { OUT = 128 * 1024, GZIP_ONLY = 16 };

struct unpack {
    enum unpack_kind kind;
    unpack_fn *fn;
    void *ctx;
    uint64_t free_bytes, in, out;
    uint64_t members;       /* that ended */
    bool inside;            /* of a member */
    z_stream z;
    ZSTD_DStream *zstd;
    unsigned char *buf;
};

int unpack_new(enum unpack_kind kind, uint64_t free_bytes, unpack_fn *fn, void *ctx, struct unpack **ret)
{
    struct unpack *u = calloc(1, sizeof *u);
    if (!u)
        return -ENOMEM;
    *u = (struct unpack){.kind = kind, .fn = fn, .ctx = ctx, .free_bytes = free_bytes, .buf = malloc(OUT)};
    bool good = u->buf && (kind == UNPACK_ZSTD || inflateInit2(&u->z, MAX_WBITS + GZIP_ONLY) == Z_OK);
    if (good && kind == UNPACK_ZSTD) {
        u->zstd = ZSTD_createDStream();
        good = u->zstd && !ZSTD_isError(ZSTD_DCtx_setParameter(u->zstd, ZSTD_d_windowLogMax, UNPACK_WINDOW_LOG));
    }
    if (!good) {
        unpack_free(u);
        return -ENOMEM;
    }
    *ret = u;
    return 0;
}

struct unpack *unpack_free(struct unpack *u)
{
    if (!u)
        return NULL;
    if (u->kind == UNPACK_GZIP)
        (void)inflateEnd(&u->z);
    (void)ZSTD_freeDStream(u->zstd);
    free(u->buf);
    free(u);
    return NULL;
}

static int damaged(const struct unpack *u, struct err *e)
{
    if (u->members && !u->inside)
        return err_set(e, -EBADMSG, _("something else follows the archive, from byte %llu on"), (unsigned long long)u->in);
    return err_set(e, -EBADMSG, _("the archive is damaged behind byte %llu"), (unsigned long long)u->in);
}

static int hand_out(struct unpack *u, size_t n, struct err *e)
{
    u->out += n;
    int r = n ? u->fn(u->ctx, u->buf, n) : 0;
    if (r == 0 && u->out > u->free_bytes && u->out / UNPACK_RATIO > u->in)
        return err_set(e, -E2BIG, _("it unpacks to more than %d times its size, as no log does; stopped after %llu MiB"), UNPACK_RATIO, (unsigned long long)(u->out >> 20));
    return r;
}

/* One step each: some input in, some output out. What was eaten is added to u->in. */
static int step_gzip(struct unpack *u, const unsigned char *p, size_t n, struct err *e)
{
    uInt take = n < (1u << 30) ? (uInt)n : 1u << 30;
    u->z.next_in = (Bytef *)(uintptr_t)p; /* zlib's interface lacks a const */
    u->z.avail_in = take;
    u->z.next_out = u->buf;
    u->z.avail_out = OUT;
    int z = inflate(&u->z, Z_NO_FLUSH);
    if (z == Z_MEM_ERROR)
        return err_set(e, -ENOMEM, _("out of memory"));
    bool bad = z != Z_OK && z != Z_STREAM_END && z != Z_BUF_ERROR;
    u->inside |= !bad; /* of what looks like no member nothing is inside */
    u->in += take - u->z.avail_in;
    int r = hand_out(u, OUT - u->z.avail_out, e);
    if (r != 0)
        return r;
    if (bad)
        return damaged(u, e);
    if (z == Z_STREAM_END) {
        u->members++;
        u->inside = false;
        (void)inflateReset(&u->z);
    }
    return 0;
}

static int step_zstd(struct unpack *u, const unsigned char *p, size_t n, struct err *e)
{
    ZSTD_inBuffer in = {.src = p, .size = n};
    ZSTD_outBuffer out = {.dst = u->buf, .size = OUT};
    size_t z = ZSTD_decompressStream(u->zstd, &out, &in);
    u->in += in.pos;
    int r = hand_out(u, out.pos, e);
    if (r != 0)
        return r;
    if (ZSTD_isError(z) && ZSTD_getErrorCode(z) == ZSTD_error_frameParameter_windowTooLarge)
        return err_set(e, -E2BIG, _("packed with a window that is too large; unpack it on the way: zstd --long=31 -dc FILE | tfgpu explain"));
    if (ZSTD_isError(z) && ZSTD_getErrorCode(z) == ZSTD_error_memory_allocation)
        return err_set(e, -ENOMEM, _("out of memory"));
    if (ZSTD_isError(z))
        return damaged(u, e);
    u->inside = z != 0;
    u->members += z == 0;
    return 0;
}

int unpack_feed(struct unpack *u, const void *data, size_t n, struct err *e)
{
    const unsigned char *p = data, *end = p + n;
    bool full = false; /* the last step filled its output: there may be more without further input */
    while (p < end || full) {
        uint64_t in = u->in, out = u->out;
        if (u->members && !u->inside && p < end && *p == 0) { /* tapes and disks fill up with zeros */
            p++;
            u->in++;
            full = false;
            continue;
        }
        if (!u->inside && p == end)
            break;
        int r = u->kind == UNPACK_GZIP ? step_gzip(u, p, (size_t)(end - p), e) : step_zstd(u, p, (size_t)(end - p), e);
        if (r != 0)
            return r;
        p += u->in - in;
        full = u->out - out == OUT;
        if (u->in == in && u->out == out && u->inside && p < end)
            return damaged(u, e); /* neither eats nor gives: cannot be, but must not go on for ever */
    }
    return 0;
}

int unpack_end(struct unpack *u, struct err *e)
{
    if (u->inside || (u->members == 0 && u->in))
        return err_set(e, -ENODATA, _("the archive ends too early, it was cut after %llu bytes"), (unsigned long long)u->in);
    return 0;
}
