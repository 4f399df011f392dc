/* SPDX-License-Identifier: Apache-2.0 */
/* buf - a growing byte buffer with a maximum. */
#ifndef TG_BASE_BUF_H
#define TG_BASE_BUF_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct buf {
    char *p;      /* always NUL-terminated once something was added; NULL before */
    size_t len;   /* bytes, without the NUL */
    size_t cap;
    size_t max;   /* adding beyond it sets `full` and drops the rest */
    bool full;
};

void buf_init(struct buf *b, size_t max); /* max 0: 64 MiB */
void buf_done(struct buf *b);
void buf_reset(struct buf *b); /* empties, keeps the memory */
void buf_add(struct buf *b, const void *p, size_t n);
void buf_adds(struct buf *b, const char *s);
void buf_addc(struct buf *b, char c);
void buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Add untrusted text for a terminal: C0, DEL and C1 control characters and invalid UTF-8 become \xHH. */
void buf_add_safe(struct buf *b, const char *s, size_t n);
/* One such line, with its newline: what stands in it may be a path of the user's. */
void buf_add_line(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#endif
