/* SPDX-License-Identifier: Apache-2.0 */
/* lines - lines of a log. Lines that lie whole in what is fed are not copied. */
#include "explain/lines.h"
#include <string.h>
#include "base/arena.h"
#include "explain/screen.h"

enum encoding { ENC_START, ENC_BYTES, ENC_UTF16LE, ENC_UTF16BE };

struct lines {
    line_fn *fn;
    void *ctx;
    struct arena a;
    uint64_t number, total;
    enum encoding encoding;
    unsigned char head[4]; size_t n_head;  /* the input's first bytes, until the encoding is known */
    unsigned char odd; bool has_odd;       /* half of a UTF-16 unit */
    uint32_t high;                         /* first half of a pair, or 0 */
    size_t n, old;                         /* of `part`; how much of it was given out already */
    bool midline;                          /* windows of this line were given out */
    char part[LINES_MAX];                  /* a line that is not whole yet */
    uint32_t *cells;                       /* for screen_show, once it is needed */
    char *shown;
};

struct lines *lines_new(line_fn *fn, void *ctx)
{
    struct arena a;
    arena_init(&a, 0);
    struct lines *l = ARENA_NEW(&a, struct lines);
    l->fn = fn;
    l->ctx = ctx;
    l->a = a;
    return l;
}

void lines_free(struct lines *l)
{
    if (!l)
        return;
    struct arena a = l->a; /* it holds *l */
    arena_done(&a);
}

uint64_t lines_count(const struct lines *l)
{
    return l->total;
}

static void give(struct lines *l, const char *p, size_t n, size_t old)
{
    if (n && p[n - 1] == '\r')
        n--;
    struct line line = {.p = p, .n = n, .number = l->number + 1, .old = old};
    if (n && screen_needed(p, n)) {
        if (!l->cells) {
            l->cells = arena_raw(&l->a, (LINES_MAX + 1) * sizeof *l->cells);
            l->shown = arena_raw(&l->a, 4 * LINES_MAX + 4);
        }
        line.p = l->shown;
        line.n = screen_show(p, n, l->cells, l->shown);
        line.old = old && old < line.n ? old : 0; /* what is counted twice is better than missed */
    }
    l->fn(l->ctx, &line);
}

static void whole(struct lines *l, const char *p, size_t n, size_t old)
{
    give(l, p, n, old);
    l->number++;
    l->total++;
    l->midline = false;
    l->old = 0;
}

/* The window is full and the line goes on: its end stays, so that a message across the border is seen. */
static void window(struct lines *l)
{
    give(l, l->part, l->n, l->old);
    memmove(l->part, l->part + l->n - LINES_OVERLAP, LINES_OVERLAP);
    l->n = l->old = LINES_OVERLAP;
    l->midline = true;
}

static void keep(struct lines *l, const char *p, size_t n)
{
    while (n) {
        size_t room = LINES_MAX - l->n, take = n < room ? n : room;
        memcpy(l->part + l->n, p, take);
        l->n += take;
        p += take;
        n -= take;
        if (l->n == LINES_MAX)
            window(l);
    }
}

static void bytes(struct lines *l, const char *p, size_t n)
{
    while (n) {
        const char *nl = memchr(p, '\n', n);
        size_t len = nl ? (size_t)(nl - p) : n;
        if (!nl || l->n || len > LINES_MAX) {
            keep(l, p, len);
            if (nl) {
                size_t have = l->n;
                l->n = 0;
                whole(l, l->part, have, l->old);
            }
        } else {
            whole(l, p, len, 0);
        }
        p += len + (nl != NULL);
        n -= len + (nl != NULL);
    }
}

static void code_point(struct lines *l, uint32_t c)
{
    char u[4];
    size_t n = 0;
    if (c < 0x80) {
        u[n++] = (char)c;
    } else if (c < 0x800) {
        u[n++] = (char)(0xc0 | c >> 6);
        u[n++] = (char)(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        u[n++] = (char)(0xe0 | c >> 12);
        u[n++] = (char)(0x80 | (c >> 6 & 0x3f));
        u[n++] = (char)(0x80 | (c & 0x3f));
    } else {
        u[n++] = (char)(0xf0 | c >> 18);
        u[n++] = (char)(0x80 | (c >> 12 & 0x3f));
        u[n++] = (char)(0x80 | (c >> 6 & 0x3f));
        u[n++] = (char)(0x80 | (c & 0x3f));
    }
    bytes(l, u, n);
}

static void utf16_unit(struct lines *l, uint32_t u)
{
    uint32_t high = l->high;
    l->high = 0;
    if (high && u >= 0xdc00 && u < 0xe000) {
        code_point(l, 0x10000 + ((high - 0xd800) << 10) + (u - 0xdc00));
        return;
    }
    if (high)
        code_point(l, 0xfffd);
    if (u >= 0xd800 && u < 0xdc00)
        l->high = u;
    else
        code_point(l, u >= 0xdc00 && u < 0xe000 ? 0xfffd : u);
}

static void utf16(struct lines *l, const unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!l->has_odd) {
            l->odd = p[i];
            l->has_odd = true;
            continue;
        }
        l->has_odd = false;
        utf16_unit(l, l->encoding == ENC_UTF16LE ? (uint32_t)(l->odd | p[i] << 8) : (uint32_t)(l->odd << 8 | p[i]));
    }
}

static void decoded(struct lines *l, const unsigned char *p, size_t n)
{
    if (l->encoding == ENC_BYTES)
        bytes(l, (const char *)p, n);
    else
        utf16(l, p, n);
}

/* The first bytes are enough to tell the encoding, or the input ends with them. */
static void start(struct lines *l)
{
    const unsigned char *h = l->head;
    size_t n = l->n_head, skip = 0;
    l->encoding = ENC_BYTES;
    if (n >= 2 && h[0] == 0xff && h[1] == 0xfe) {
        l->encoding = ENC_UTF16LE;
        skip = 2;
    } else if (n >= 2 && h[0] == 0xfe && h[1] == 0xff) {
        l->encoding = ENC_UTF16BE;
        skip = 2;
    } else if (n >= 3 && h[0] == 0xef && h[1] == 0xbb && h[2] == 0xbf) {
        skip = 3;
    }
    l->n_head = 0;
    decoded(l, h + skip, n - skip);
}

void lines_feed(struct lines *l, const void *data, size_t n)
{
    const unsigned char *p = data;
    while (n && l->encoding == ENC_START) {
        l->head[l->n_head++] = *p++;
        n--;
        if (l->n_head == 3)
            start(l);
    }
    if (n)
        decoded(l, p, n);
}

void lines_end(struct lines *l)
{
    if (l->encoding == ENC_START && l->n_head)
        start(l);
    if (l->high)
        code_point(l, 0xfffd);
    if (l->n > (l->midline ? l->old : 0)) {
        size_t have = l->n;
        l->n = 0;
        whole(l, l->part, have, l->old);
    }
    l->encoding = ENC_START;
    l->number = 0;
    l->n = l->n_head = l->old = 0;
    l->has_odd = l->midline = false;
    l->high = 0;
}
