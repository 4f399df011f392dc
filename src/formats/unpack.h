/* SPDX-License-Identifier: Apache-2.0 */
/* unpack - gzip (RFC 1952) and Zstandard (RFC 8878) as streams: packed bytes in, unpacked bytes out, constant memory. */
#ifndef TG_FORMATS_UNPACK_H
#define TG_FORMATS_UNPACK_H
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

enum unpack_kind { UNPACK_GZIP, UNPACK_ZSTD };
enum {
    UNPACK_RATIO = 250,      /* more than this is no log but a bomb, once `free_bytes` came out */
    UNPACK_WINDOW_LOG = 27,  /* a Zstandard frame that wants a larger window is refused, as the program zstd does */
};

/* Gets what comes out; the bytes are gone when it returns. Not 0 stops: unpack_feed returns it. */
typedef int unpack_fn(void *ctx, const void *p, size_t n);

struct unpack;
/* free_bytes: so much may come out whatever the ratio
 * errors:     -ENOMEM
 * memory:     40 kB for gzip; for Zstandard what the frame's window wants, 8 MiB at the program's usual levels, at most 128 MiB */
int unpack_new(enum unpack_kind kind, uint64_t free_bytes, unpack_fn *fn, void *ctx, struct unpack **ret);
struct unpack *unpack_free(struct unpack *u); /* NULL is fine; gives NULL */
/* The archive, in pieces of any size. Members and frames may follow each other, and zeros the last of them.
 * errors: `e` has one translated line; what was fine before has come out
 *         -EBADMSG damaged, or something else follows; -E2BIG a bomb, or too large a window; what `fn` returned (`e` is not set)
 * cost:   as zlib and libzstd unpack */
int unpack_feed(struct unpack *u, const void *p, size_t n, struct err *e);
/* The archive ends. -ENODATA: in the middle of a member, which was cut. */
int unpack_end(struct unpack *u, struct err *e);
#endif
