/* SPDX-License-Identifier: Apache-2.0 */
/* lines - lines of a log. Lines that lie whole in what is fed, and are shown as they are, are not copied. */
#include "explain/lines.h"
#include <string.h>
#include "base/arena.h"
#include "explain/screen.h"

enum { SHOWN_MAX = 8 * LINES_MAX, STRIP_MAX = 4 * LINES_MAX, DECODED_MAX = 4096 };
enum encoding { ENC_START, ENC_BYTES, ENC_UTF16LE, ENC_UTF16BE };

struct lines {
    lines_fn *fn;
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
    char *shown; size_t n_shown;           /* lines that were changed by it, and others between them */
    uint64_t lines_shown;
    char decoded[DECODED_MAX + 4]; size_t n_decoded; /* of UTF-16 */
};

struct lines *lines_new(lines_fn *fn, void *ctx)
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

/* Give out whole lines, without the last newline. */
static void give(struct lines *l, const char *p, size_t n, uint64_t count)
{
    const struct lines_part part = {.p = p, .n = n, .number = l->number + 1, .before = l->total};
    l->fn(l->ctx, &part);
    l->number += count;
    l->total += count;
}

static void flush(struct lines *l)
{
    if (l->lines_shown)
        give(l, l->shown, l->n_shown - 1, l->lines_shown);
    l->n_shown = l->lines_shown = 0;
}

static void show_memory(struct lines *l)
{
    if (l->cells)
        return;
    l->cells = arena_raw(&l->a, (LINES_MAX + 1) * sizeof *l->cells);
    l->shown = arena_raw(&l->a, SHOWN_MAX);
}

/* A line, or a window of it, that is alone in `part`. */
static void give_part(struct lines *l)
{
    const char *p = l->part;
    struct lines_part part = {.p = p, .n = l->n, .number = l->number + 1, .before = l->total, .old = l->old};
    if (part.n && p[part.n - 1] == '\r')
        part.n--;
    if (screen_needed(p, part.n)) {
        show_memory(l);
        part.n = screen_show(p, part.n, l->cells, l->shown);
        part.p = l->shown;
        part.old = l->old < part.n ? l->old : 0; /* what is counted twice is better than missed */
    }
    l->fn(l->ctx, &part);
}

static void end_part(struct lines *l)
{
    give_part(l);
    l->number++;
    l->total++;
    l->midline = false;
    l->n = l->old = 0;
}

/* The window is full and the line goes on: its end stays, so that a message across the border is seen. */
static void window(struct lines *l)
{
    give_part(l);
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

/* One line, which ends at `newline`. */
static void show_line(struct lines *l, const char *p, const char *newline)
{
    size_t len = (size_t)(newline - p);
    len -= len && p[len - 1] == '\r';
    if (SHOWN_MAX - l->n_shown < 4 * len + 5)
        flush(l);
    l->n_shown += screen_show(p, len, l->cells, l->shown + l->n_shown);
    l->shown[l->n_shown++] = '\n';
    l->lines_shown++;
}

/* Whole lines from p on that need no more than to lose their colours, up to STRIP_MAX bytes of them. Returns their length. */
static size_t strip(struct lines *l, const char *p, size_t n)
{
    size_t len, take = n <= STRIP_MAX ? n : (size_t)((const char *)memrchr(p, '\n', STRIP_MAX) - p) + 1;
    if (SHOWN_MAX - l->n_shown < take + SCREEN_SLACK)
        flush(l);
    char *out = l->shown + l->n_shown;
    size_t done = screen_strip(p, take, out, &len);
    if (done < take) {  /* not the line in which it ends */
        const char *before = memrchr(p, '\n', done), *shown = memrchr(out, '\n', len);
        done = before ? (size_t)(before - p) + 1 : 0;
        len = shown ? (size_t)(shown - out) + 1 : 0;
    }
    l->n_shown += len;
    l->lines_shown += count_newlines(p, done);
    return done;
}

/* Whole lines, some of which are not shown as they are. */
static void show(struct lines *l, const char *p, size_t n)
{
    show_memory(l);
    for (const char *end = p + n; p < end;) {
        p += strip(l, p, (size_t)(end - p));
        if (p == end)
            break;
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        show_line(l, p, newline);
        p = newline + 1;
    }
    flush(l);
}

/* Whole lines, none longer than LINES_MAX. */
static void whole(struct lines *l, const char *p, size_t n)
{
    size_t newlines, odd = screen_first(p, n, &newlines);
    if (odd < n) {
        const char *before = memrchr(p, '\n', odd);
        size_t as_is = before ? (size_t)(before - p) + 1 : 0;
        if (as_is)
            give(l, p, as_is - 1, newlines);
        show(l, p + as_is, n - as_is);
    } else if (n) {
        give(l, p, n - 1, newlines);
    }
}

/* Length of the lines from p on that are not longer than LINES_MAX. */
static size_t without_long(const char *p, size_t n)
{
    size_t done = 0;
    while (n - done > LINES_MAX + 1) {
        const char *nl = memrchr(p + done, '\n', LINES_MAX + 1);
        if (!nl)
            return done;
        done = (size_t)(nl - p) + 1;
    }
    return n;
}

/* The end of a line that is in `part` already, or the whole of a long one. What is left of it. */
static size_t to_part(struct lines *l, const char *p, size_t n)
{
    const char *nl = memchr(p, '\n', n);
    size_t len = nl ? (size_t)(nl - p) : n;
    keep(l, p, len);
    if (!nl)
        return n;
    end_part(l);
    return len + 1;
}

static void bytes(struct lines *l, const char *p, size_t n)
{
    while (n) {
        const char *last = l->n ? NULL : memrchr(p, '\n', n);
        size_t done = last ? without_long(p, (size_t)(last - p) + 1) : 0;
        if (done)
            whole(l, p, done);
        else
            done = to_part(l, p, n);
        p += done;
        n -= done;
    }
}

static void flush_decoded(struct lines *l)
{
    bytes(l, l->decoded, l->n_decoded);
    l->n_decoded = 0;
}

static void code_point(struct lines *l, uint32_t c)
{
    char *u = l->decoded;
    size_t n = l->n_decoded;
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
    l->n_decoded = n;
    if (n >= DECODED_MAX)
        flush_decoded(l);
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
    flush_decoded(l);
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
    flush_decoded(l);
    if (l->n > (l->midline ? l->old : 0))
        end_part(l);
    l->encoding = ENC_START;
    l->number = 0;
    l->n = l->n_head = l->old = 0;
    l->has_odd = l->midline = false;
    l->high = 0;
}
