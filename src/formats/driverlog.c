/* SPDX-License-Identifier: Apache-2.0 */
/* driverlog - the lines that the driver child writes. */
#include "formats/driverlog.h"
#include <string.h>
#include "base/util.h"

static bool to_number(struct str s, int64_t *ret)
{
    bool minus = s.n > 0 && s.p[0] == '-';
    uint64_t v;
    if (str_to_u64(s.p + minus, s.n - minus, 10, &v) < 0 || v > INT64_MAX)
        return false;
    *ret = minus ? -(int64_t)v : (int64_t)v;
    return true;
}

/* The next word; `s` goes behind it and the blank after it. */
static struct str word(struct str *s)
{
    const char *blank = s->n ? memchr(s->p, ' ', s->n) : NULL;
    size_t n = blank ? (size_t)(blank - s->p) : s->n, skip = n + (blank != NULL);
    struct str w = {s->p, n};
    s->p += skip;
    s->n -= skip;
    return w;
}

static bool is(struct str s, const char *text)
{
    return s.n == strlen(text) && memcmp(s.p, text, s.n) == 0;
}

/* Name and arguments are words that one blank separates; the first begins with a letter. */
static bool is_call(struct str s)
{
    bool letter = s.n && ((s.p[0] >= 'a' && s.p[0] <= 'z') || (s.p[0] >= 'A' && s.p[0] <= 'Z'));
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] == '\0' || (s.p[i] == ' ' && (i + 1 == s.n || s.p[i + 1] == ' ')))
            return false;
    return letter;
}

static uint32_t hash(const char *p, size_t n)
{
    uint32_t h = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)p[i]) * 16777619u;
    return h;
}

static struct driverlog_call *find(const struct driverlog *l, const char *p, size_t n)
{
    uint32_t h = hash(p, n);
    for (size_t i = l->n_calls; i-- > 0;)
        if (l->calls[i].hash == h && strncmp(l->calls[i].what, p, n) == 0 && l->calls[i].what[n] == '\0')
            return &l->calls[i];
    return NULL;
}

static struct driverlog_call *add_call(struct driverlog *l, struct arena *a, struct str what)
{
    struct driverlog_call *c = ARENA_PUSH(a, l->calls, l->n_calls);
    *c = (struct driverlog_call){.what = arena_strndup(a, what.p, what.n), .hash = hash(what.p, what.n), .value = ""};
    return c;
}

static bool add_begin(struct driverlog *l, struct arena *a, struct str what)
{
    if (!is_call(what) || l->n_calls >= DRIVERLOG_CALLS_MAX || find(l, what.p, what.n))
        return false;
    l->at = add_call(l, a, what)->what;
    return true;
}

static bool add_answer(struct driverlog *l, struct arena *a, struct str s)
{
    struct driverlog_call got = {.back = true, .value = ""};
    if (s.n && s.p[0] == '@') {
        struct str time = word(&s);
        got.timed = str_to_u64(time.p + 1, time.n - 1, 10, &got.us) == 0;
        if (!got.timed)
            return false;
    }
    const char *sign = memmem(s.p, s.n, " = ", 3);
    struct str what = {s.p, sign ? (size_t)(sign - s.p) : 0};
    if (!sign || !is_call(what))
        return false;
    s = (struct str){sign + 3, s.n - what.n - 3};
    struct str code = word(&s);
    got.missing = is(code, "missing");
    if ((!got.missing && !to_number(code, &got.code)) || (s.n && memchr(s.p, '\0', s.n)))
        return false;
    struct driverlog_call *c = find(l, what.p, what.n);
    if (c ? c->back : l->n_calls >= DRIVERLOG_CALLS_MAX)
        return false;
    c = c ? c : add_call(l, a, what);
    got.what = c->what;
    got.hash = c->hash;
    if (s.n)
        got.value = arena_strndup(a, s.p, s.n);
    *c = got;
    if (str_eq(l->at, c->what))
        l->at = NULL;
    return true;
}

static bool add_end(struct driverlog *l, struct str s)
{
    static const struct { const char *name; enum driverlog_end end; } ends[] = {
        {"signal", DRIVERLOG_SIGNAL}, {"exit", DRIVERLOG_EXIT}, {"timeout", DRIVERLOG_TIMEOUT},
    };
    int64_t number = 0;
    struct str name = word(&s);
    bool has = s.n && to_number(s, &number) && number >= 0;
    if (is(name, "end"))
        l->end = DRIVERLOG_END;
    else if (is(name, "left"))
        l->left = true;
    else if (is(name, "ms") && has) {
        l->timed = true;
        l->ms = (uint64_t)number;
    } else {
        for (size_t i = 0; has && i < TG_COUNT(ends); i++)
            if (is(name, ends[i].name)) {
                l->end = ends[i].end;
                l->number = number;
                return true;
            }
        return false;
    }
    return true;
}

static bool add_line(struct driverlog *l, struct arena *a, struct str line)
{
    if (line.n < 3 || line.n >= DRIVERLOG_LINE_MAX || line.p[1] != ' ')
        return false;
    struct str rest = {line.p + 2, line.n - 2};
    switch (line.p[0]) {
    case '>': return add_begin(l, a, rest);
    case '<': return add_answer(l, a, rest);
    case '!': return add_end(l, rest);
    }
    return false;
}

void driverlog_parse(const char *p, size_t len, struct arena *a, struct driverlog *ret)
{
    struct str line;
    size_t pos = 0;
    *ret = (struct driverlog){0};
    while (str_line(p, len, &pos, &line))
        if (!add_line(ret, a, line))
            ret->bad++;
}

const struct driverlog_call *driverlog_find(const struct driverlog *l, const char *what)
{
    return find(l, what, strlen(what));
}

bool driverlog_number(const struct driverlog_call *c, size_t n, int64_t *ret)
{
    struct str s = {c->value, strlen(c->value)}, w = {0};
    for (size_t i = 0; i <= n; i++)
        w = word(&s);
    return w.n && to_number(w, ret);
}
