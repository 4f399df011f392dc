/* SPDX-License-Identifier: Apache-2.0 */
/* bytesrc - bytes that are read piecewise: a parser of gigabyte files sees its input through this and never maps it. */
#ifndef TG_BASE_BYTESRC_H
#define TG_BASE_BYTESRC_H
#include <stddef.h>
#include <stdint.h>

struct bytesrc {
    uint64_t size; /* of the whole, in bytes */
    /* Copy up to n bytes from `off`. Returns the number copied (short only at the end), or a negative errno;
     * -ENODATA: this range exists but is not known (a capture holds only what was read). */
    long (*read)(void *ctx, uint64_t off, void *dst, size_t n);
    void *ctx;
};

/* Exactly n bytes or a negative errno (-EBADMSG when the range leaves the file). */
int bytesrc_read_exact(const struct bytesrc *s, uint64_t off, void *dst, size_t n);

struct memsrc { const unsigned char *p; size_t len; };
/* A source over memory; `m` must live as long as the source. */
struct bytesrc bytesrc_mem(struct memsrc *m);
#endif
