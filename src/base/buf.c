/* SPDX-License-Identifier: Apache-2.0 */
/* buf - a growing byte buffer with a maximum. */
#include "base/buf.h"
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buf_init(struct buf *b, size_t max)
{
    *b = (struct buf){.max = max ? max : (size_t)64 << 20};
}

void buf_done(struct buf *b)
{
    free(b->p);
    *b = (struct buf){.max = b->max};
}

void buf_reset(struct buf *b)
{
    b->len = 0;
    b->full = false;
    if (b->p)
        b->p[0] = '\0';
}

static void reserve(struct buf *b, size_t n)
{
    if (n < b->cap)
        return;
    size_t cap = b->cap ? b->cap : 256;
    while (cap <= n)
        cap *= 2;
    char *p = realloc(b->p, cap);
    if (!p) {
        fputs("tfgpu: out of memory\n", stderr);
        exit(3);
    }
    b->p = p;
    b->cap = cap;
}

void buf_add(struct buf *b, const void *p, size_t n)
{
    if (n > b->max - b->len) {
        n = b->max - b->len;
        b->full = true;
    }
    reserve(b, b->len + n);
    if (n)
        memcpy(b->p + b->len, p, n);
    b->len += n;
    b->p[b->len] = '\0';
}

void buf_adds(struct buf *b, const char *s)
{
    buf_add(b, s, strlen(s));
}

void buf_addc(struct buf *b, char c)
{
    if (b->len + 1 >= b->cap || b->len >= b->max) {
        buf_add(b, &c, 1);
        return;
    }
    b->p[b->len++] = c;
    b->p[b->len] = '\0';
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
    char small[512];
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(small, sizeof small, fmt, ap);
    if (n >= 0 && (size_t)n < sizeof small) {
        buf_add(b, small, (size_t)n);
    } else if (n >= 0) {
        char *p = malloc((size_t)n + 1);
        if (p) {
            vsnprintf(p, (size_t)n + 1, fmt, again);
            buf_add(b, p, (size_t)n);
            free(p);
        } else {
            b->full = true;
        }
    }
    va_end(again);
    va_end(ap);
}

/* Length of the valid, printable UTF-8 sequence at p; 0 when it is none (RFC 3629; C1 controls count as none). */
static size_t utf8_printable(const unsigned char *p, size_t n)
{
    if (p[0] < 0x80)
        return p[0] >= 0x20 && p[0] != 0x7f;
    size_t len = p[0] >= 0xf0 && p[0] < 0xf5 ? 4 : p[0] >= 0xe0 && p[0] < 0xf0 ? 3 : p[0] >= 0xc2 && p[0] < 0xe0 ? 2 : 0;
    if (len == 0 || len > n)
        return 0;
    uint32_t c = p[0] & (0x7fu >> len);
    for (size_t i = 1; i < len; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 0x3f);
    }
    bool overlong = (len == 3 && c < 0x800) || (len == 4 && c < 0x10000) || c > 0x10ffff;
    bool surrogate = c >= 0xd800 && c < 0xe000, control = c < 0xa0;
    bool bidi = (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069); /* would reorder what is shown */
    return overlong || surrogate || control || bidi ? 0 : len;
}

void buf_add_safe(struct buf *b, const char *s, size_t n)
{
    const unsigned char *p = (const unsigned char *)s;
    while (n > 0) {
        size_t len = 0;
        while (len < n && p[len] >= 0x20 && p[len] < 0x7f)
            len++;
        if (!len)
            len = utf8_printable(p, n);
        if (len)
            buf_add(b, p, len);
        else
            buf_addf(b, "\\x%02X", *p);
        len = len ? len : 1;
        p += len;
        n -= len;
    }
}

void buf_add_line(struct buf *b, const char *fmt, ...)
{
    char *p = NULL;
    va_list ap;
    va_start(ap, fmt);
    int n = vasprintf(&p, fmt, ap);
    va_end(ap);
    if (n < 0) {
        b->full = true;
        return;
    }
    buf_add_safe(b, p, (size_t)n);
    buf_addc(b, '\n');
    free(p);
}
