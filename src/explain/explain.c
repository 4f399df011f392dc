/* SPDX-License-Identifier: Apache-2.0 */
/* explain - feeds lines to the matcher, keeps the first line of each expression, and ranks at the end. */
#include "explain/explain.h"
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/util.h"
#include "explain/codes.h"
#include "explain/lines.h"
#include "explain/match.h"

enum { SHOW_MAX = 400, SHOW_BEFORE = 120, VALUE_MAX = 200 };

/* What is known of one expression after some lines. */
struct seen {
    uint64_t count, first, line_number;  /* first: among all lines of all files */
    const char *file, *line;
    struct explain_value *values; size_t n_values;
};

struct explain {
    struct arena *a;
    struct arena own;
    struct match_rule *rules;
    struct seen *seen;          /* of each expression */
    struct matcher *matcher;
    struct lines *lines;
    const char *file;
    const struct line *line;    /* the one that is being searched */
    struct codes *codes;
};

/* One line of clean text: control characters become blanks, invalid UTF-8 a replacement character. */
static const char *clean(struct arena *a, const char *p, size_t n)
{
    struct buf safe;
    buf_init(&safe, 0);
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)p[i] < 0x20 || p[i] == 0x7f)
            buf_addc(&safe, ' ');
        else
            buf_addc(&safe, p[i]);
    struct buf out;
    buf_init(&out, 0);
    buf_add_safe(&out, safe.p ? safe.p : "", safe.len);
    const char *s = arena_strndup(a, out.p ? out.p : "", out.len);
    buf_done(&safe);
    buf_done(&out);
    return s;
}

/* The line, or of a long one the part around the match, cut between characters. */
static const char *shown_line(struct arena *a, const struct line *l, size_t start)
{
    size_t from = start > SHOW_BEFORE && l->n > SHOW_MAX ? start - SHOW_BEFORE : 0;
    size_t to = l->n - from > SHOW_MAX ? from + SHOW_MAX : l->n;
    while (from > 0 && from < to && ((unsigned char)l->p[from] & 0xc0) == 0x80)
        from++;
    while (to < l->n && to > from && ((unsigned char)l->p[to] & 0xc0) == 0x80)
        to--;
    const char *text = clean(a, l->p + from, to - from);
    return from || to < l->n ? arena_printf(a, "%s%s%s", from ? "…" : "", text, to < l->n ? "…" : "") : text;
}

static void on_match(void *ctx, uint32_t rule, const struct match *m)
{
    struct explain *x = ctx;
    if (rule >= EXPLAIN_N_CAUSE_REGEXES) {
        codes_match(x->codes, rule, m);
        return;
    }
    struct seen *s = &x->seen[rule];
    codes_hit(x->codes, rule);
    if (s->count++)
        return;
    s->first = lines_count(x->lines);
    s->line_number = x->line->number;
    s->file = x->file;
    s->line = shown_line(x->a, x->line, m->start);
    for (size_t i = 0; i < m->n_groups; i++) {
        struct str v = str_trim(m->groups[i].value);
        if (v.n == 0)
            continue;
        struct explain_value *e = ARENA_PUSH(x->a, s->values, s->n_values);
        e->name = arena_strdup(x->a, m->groups[i].name);
        e->value = clean(x->a, v.p, v.n < VALUE_MAX ? v.n : VALUE_MAX);
    }
}

/* A line has several codes. */
static void on_more(void *ctx, uint32_t rule, const struct match *m)
{
    struct explain *x = ctx;
    if (rule >= EXPLAIN_N_CAUSE_REGEXES)
        codes_match(x->codes, rule, m);
}

static void on_line(void *ctx, const struct line *line)
{
    struct explain *x = ctx;
    x->line = line;
    codes_begin(x->codes, line, x->file, lines_count(x->lines));
    matcher_line(x->matcher, line->p, line->n, line->old, on_match, x);
    for (size_t after; codes_again(x->codes, &after);)
        matcher_line(x->matcher, line->p, line->n, after, on_more, x);
    codes_end(x->codes, shown_line, x->a);
}

int explain_new(struct arena *a, struct explain **ret, struct err *e)
{
    struct explain *x = ARENA_NEW(a, struct explain);
    x->a = a;
    arena_init(&x->own, 0);
    x->rules = arena_array(&x->own, EXPLAIN_N_REGEXES + 1, sizeof *x->rules);
    x->seen = arena_array(&x->own, EXPLAIN_N_REGEXES + 1, sizeof *x->seen);
    for (size_t i = 0; i < EXPLAIN_N_REGEXES; i++) {
        const struct explain_regex *r = &explain_regexes[i];
        const char **literals = arena_array(&x->own, r->n_literals, sizeof *literals);
        for (size_t k = 0; k < r->n_literals; k++)
            literals[k] = explain_str(explain_literals[r->first_literal + k]);
        x->rules[i] = (struct match_rule){explain_str(r->re), literals, r->n_literals};
    }
    int r = matcher_new(x->rules, EXPLAIN_N_REGEXES, 0, &x->matcher, e);
    if (r < 0) {
        arena_done(&x->own);
        return r;
    }
    x->lines = lines_new(on_line, x);
    x->codes = codes_new(a);
    *ret = x;
    return 0;
}

void explain_free(struct explain *x)
{
    if (!x)
        return;
    matcher_free(x->matcher);
    lines_free(x->lines);
    arena_done(&x->own);
}

void explain_file(struct explain *x, const char *name)
{
    x->file = name;
}

void explain_feed(struct explain *x, const void *p, size_t n)
{
    lines_feed(x->lines, p, n);
}

void explain_end(struct explain *x)
{
    lines_end(x->lines);
}

/* A pattern counts when its expression was seen and the log has what it asks for besides. */
static bool holds(const struct explain *x, const struct explain_pattern *p)
{
    return x->seen[p->re].count && (p->also < 0 || x->seen[p->also].count) && (p->unless < 0 || !x->seen[p->unless].count);
}

static void add_values(struct arena *a, struct explain_value **values, size_t *n, const struct seen *s)
{
    for (size_t i = 0; i < s->n_values; i++) {
        bool have = false;
        for (size_t k = 0; k < *n; k++)
            have |= str_eq((*values)[k].name, s->values[i].name);
        if (!have)
            *ARENA_PUSH(a, *values, *n) = s->values[i];
    }
}

/* All patterns of an entry stand together: patterns[from, to). */
static bool gather(const struct explain *x, size_t from, size_t to, struct explained *ret, uint64_t *ret_first)
{
    const struct seen *best = NULL;
    uint64_t count = 0;
    for (size_t i = from; i < to; i++) {
        const struct seen *s = &x->seen[explain_patterns[i].re];
        if (!holds(x, &explain_patterns[i]))
            continue;
        count = s->count > count ? s->count : count;
        if (!best || s->first < best->first)
            best = s;
    }
    if (!best)
        return false;
    struct explain_value *values = NULL;
    *ret = (struct explained){.entry = &explain_entries[explain_patterns[from].entry], .file = best->file, .line_number = best->line_number,
                              .line = best->line, .count = count};
    add_values(x->a, &values, &ret->n_values, best);
    for (size_t i = from; i < to; i++)
        if (holds(x, &explain_patterns[i]))
            add_values(x->a, &values, &ret->n_values, &x->seen[explain_patterns[i].re]);
    ret->values = values;
    *ret_first = best->first;
    return true;
}

struct ranked { struct explained x; uint64_t first; };

static int by_rank(const void *pa, const void *pb)
{
    const struct ranked *a = pa, *b = pb;
    if (a->x.entry->kind != b->x.entry->kind)
        return a->x.entry->kind < b->x.entry->kind ? -1 : 1;
    if (a->x.entry->kind == KIND_CAUSE && a->x.entry->chain != b->x.entry->chain)
        return a->x.entry->chain < b->x.entry->chain ? -1 : 1;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    if (a->x.entry->chain != b->x.entry->chain)
        return a->x.entry->chain < b->x.entry->chain ? -1 : 1;
    return a->x.entry < b->x.entry ? -1 : a->x.entry > b->x.entry;
}

/* The best cause that was found and that this symptom can stand for. */
static const struct explain_entry *cause_of(const struct explain_entry *s, const struct explained *found, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < s->n_may_be; k++)
            if (found[i].entry->kind == KIND_CAUSE && found[i].entry == &explain_entries[explain_may_be[s->first_may_be + k]])
                return found[i].entry;
    return NULL;
}

static const struct explain_entry *entry_of_regex(const void *ctx, uint32_t regex)
{
    const struct explain *x = ctx;
    for (size_t i = 0; i < EXPLAIN_N_PATTERNS; i++)
        if (explain_patterns[i].re == regex && holds(x, &explain_patterns[i]))
            return &explain_entries[explain_patterns[i].entry];
    return NULL;
}

/* Does one of the entry's patterns hold? */
static bool has_entry(const void *ctx, const struct explain_entry *entry)
{
    const struct explain *x = ctx;
    for (size_t i = 0; i < EXPLAIN_N_PATTERNS; i++)
        if (&explain_entries[explain_patterns[i].entry] == entry && holds(x, &explain_patterns[i]))
            return true;
    return false;
}

static void judge_codes(struct explain *x, struct explain_answer *ret, struct ranked **r, size_t *n)
{
    const struct codes_found found = {x, entry_of_regex, has_entry};
    ret->n_codes = codes_judge(x->codes, &found, &ret->codes);
    for (size_t i = 0; i < ret->n_codes; i++) {
        struct ranked one = {.first = ret->codes[i].first};
        bool have = !codes_answer(x->a, &ret->codes[i], &one.x);
        for (size_t k = 0; !have && k < *n; k++)
            have = (*r)[k].x.entry == one.x.entry; /* two codes of one cause */
        if (!have)
            *ARENA_PUSH(x->a, *r, *n) = one;
    }
}

void explain_judge(struct explain *x, struct explain_answer *ret)
{
    struct ranked *r = NULL;
    size_t n = 0, to;
    for (size_t from = 0; from < EXPLAIN_N_PATTERNS; from = to) {
        struct ranked one;
        for (to = from + 1; to < EXPLAIN_N_PATTERNS && explain_patterns[to].entry == explain_patterns[from].entry;)
            to++;
        if (gather(x, from, to, &one.x, &one.first))
            *ARENA_PUSH(x->a, r, n) = one;
    }
    judge_codes(x, ret, &r, &n);
    struct explained *found = arena_array(x->a, n ? n : 1, sizeof *found);
    if (r)
        qsort(r, n, sizeof *r, by_rank);
    for (size_t i = 0; r && i < n; i++)
        found[i] = r[i].x;
    for (size_t i = 0; i < n; i++)
        if (found[i].entry->kind == KIND_SYMPTOM)
            found[i].cause = cause_of(found[i].entry, found, n);
    ret->found = found;
    ret->n = n;
    ret->lines = lines_count(x->lines);
}
