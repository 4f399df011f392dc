/* SPDX-License-Identifier: Apache-2.0 */
/* record - RECORD of an installed wheel, read as a stream. */
#include "formats/record.h"
#include <errno.h>
#include <limits.h>
#include <string.h>

enum { MOSTLY_PASSED_OVER = 1 << 20, FIRST_LOOK = 4096 };

void record_init(struct record *r, const struct bytesrc *src, char buf[RECORD_WINDOW])
{
    *r = (struct record){.src = src, .buf = buf};
}

/* Move what is left to the front and read behind it. Bytes added, 0 at the end, negative errno. */
static long refill(struct record *r)
{
    size_t left = r->have - r->pos;
    if (left == RECORD_WINDOW)
        return -E2BIG;
    if (r->pos)
        memmove(r->buf, r->buf + r->pos, left);
    r->pos = 0;
    r->have = left;
    if (r->off >= r->src->size)
        return 0;
    size_t room = RECORD_WINDOW - left;
    if (!r->off && r->src->size > MOSTLY_PASSED_OVER) /* its first lines say from where on it is read */
        room = FIRST_LOOK;
    long n = r->src->read(r->src->ctx, r->off, r->buf + left, room);
    if (n > 0) {
        r->have += (size_t)n;
        r->off += (uint64_t)n;
    }
    return n;
}

int record_line_refilled(struct record *r, struct str *ret)
{
    size_t seen = r->have - r->pos;
    for (;;) {
        const char *p = r->buf + r->pos, *nl = r->pos + seen < r->have ? memchr(p + seen, '\n', r->have - r->pos - seen) : NULL;
        size_t n = nl ? (size_t)(nl - p) : r->have - r->pos;
        if (!nl) {
            seen = n;
            long got = refill(r);
            if (got < 0)
                return (int)got;
            if (got > 0)
                continue;
            if (!n)
                return 0;
            p = r->buf + r->pos;
        }
        r->pos += nl ? n + 1 : n;
        r->lines++;
        *ret = (struct str){p, n && p[n - 1] == '\r' ? n - 1 : n};
        return 1;
    }
}

/* How the line that begins behind `at` compares with the prefix: <0, 0, >0; its offset in *ret_start. INT_MIN: no such line here. */
static int compare_at(struct record *r, uint64_t at, const char *prefix, uint64_t *ret_start)
{
    char part[512];
    size_t len = strlen(prefix);
    long n = r->src->read(r->src->ctx, at, part, sizeof part);
    const char *nl = n > 0 ? memchr(part, '\n', (size_t)n) : NULL;
    if (!nl || (size_t)(part + n - nl - 1) < len)
        return INT_MIN;
    *ret_start = at + (uint64_t)(nl + 1 - part);
    return strncmp(nl + 1, prefix, len);
}

bool record_skip(struct record *r, const char *prefix)
{
    enum { NEAR = 4096 };
    uint64_t here = r->off - (r->have - r->pos), lo = here, hi = r->src->size, start = here;
    while (hi - lo > NEAR) {
        uint64_t mid = lo + (hi - lo) / 2, at;
        int c = compare_at(r, mid, prefix, &at);
        if (c < 0)
            return false;
        if (c == 0)
            lo = start = at;
        else
            hi = mid;
    }
    if (start < r->off) { /* the window holds it already */
        r->pos = start > here ? r->have - (size_t)(r->off - start) : r->pos;
        return true;
    }
    r->off = start;
    r->pos = r->have = 0;
    return true;
}

/* A field in quotes: "" stands for one. Returns what follows the field, or NULL when the quote does not end. */
static const char *unquote(struct str line, struct str *ret)
{
    char *w = (char *)line.p + 1; /* the caller's window is writable */
    const char *end = line.p + line.n;
    *ret = (struct str){w, 0};
    for (const char *p = line.p + 1; p < end; p++) {
        if (*p == '"' && (p + 1 == end || p[1] != '"'))
            return p + 1;
        if (*p == '"')
            p++;
        *w++ = *p;
        ret->n++;
    }
    return NULL;
}

static bool next_field(struct str *line, struct str *ret)
{
    const char *end = line->p + line->n, *stop;
    if (line->n && *line->p == '"') {
        stop = unquote(*line, ret);
        if (!stop || (stop < end && *stop != ','))
            return false;
    } else {
        stop = line->n ? memchr(line->p, ',', line->n) : NULL;
        stop = stop ? stop : end;
        *ret = (struct str){line->p, (size_t)(stop - line->p)};
    }
    const char *rest = stop < end ? stop + 1 : end;
    *line = (struct str){rest, (size_t)(end - rest)};
    return true;
}

bool record_parse(struct str line, struct record_entry *ret)
{
    struct record_entry en = {0};
    struct str hash, size;
    if (!next_field(&line, &en.path) || !en.path.n || !next_field(&line, &hash) || !next_field(&line, &size))
        return false;
    if (memchr(en.path.p, 0, en.path.n))
        return false;
    const char *eq = hash.n ? memchr(hash.p, '=', hash.n) : NULL;
    if (eq) {
        en.hash_name = (struct str){hash.p, (size_t)(eq - hash.p)};
        en.hash = (struct str){eq + 1, hash.n - en.hash_name.n - 1};
    }
    size = str_trim(size);
    en.has_size = size.n && !str_to_u64(size.p, size.n, 10, &en.size);
    if ((size.n && !en.has_size) || (hash.n && !eq))
        return false;
    *ret = en;
    return true;
}

int record_next(struct record *r, struct record_entry *ret)
{
    struct str l;
    int got;
    while ((got = record_line(r, &l)) > 0) {
        if (l.n && record_parse(l, ret))
            return 1;
        r->bad += l.n > 0;
    }
    return got;
}
