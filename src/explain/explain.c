/* SPDX-License-Identifier: Apache-2.0 */
/* explain - feeds lines to the matcher, keeps the first line of each expression, and ranks at the end. */
#include "explain/explain.h"
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/util.h"
#include "explain/codes.h"
#include "explain/lines.h"
#include "explain/listed.h"
#include "explain/match.h"
#include "explain/timeline.h"

enum { SHOW_MAX = 400, SHOW_BEFORE = 120, VALUE_MAX = 200 };

struct explain {
    struct arena *a;
    const struct explain_catalog *k;
    struct arena own;
    struct match_rule *rules;
    struct sightings *seen;     /* of each expression */
    struct matcher *matcher;
    struct lines *lines;
    struct places places;
    const struct lines_part *part; /* what is being searched */
    struct line line;           /* the line of it that matches, while it does */
    bool matches;
    struct codes *codes;
    struct listed *listed;      /* of each expression */
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

static const char *value_text(struct arena *a, struct str v)
{
    v = str_trim(v);
    return clean(a, v.p, v.n < VALUE_MAX ? v.n : VALUE_MAX);
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
    const struct line *l = &x->line;
    struct explain_value *values = NULL;
    if (!x->matches) {
        x->matches = true;
        x->line = (struct line){.p = m->line.p, .n = m->line.n, .number = x->part->number + m->row, .before = x->part->before + m->row};
        codes_begin(x->codes, l, l->before);
    }
    if (catalog_is_code_regex(rule)) {
        codes_match(x->codes, rule, m);
        return;
    }
    codes_hit(x->codes, rule);
    for (size_t i = 0; i < m->n_groups; i++)
        if (listed_wants(&x->listed[rule], m->groups[i].name, str_trim(m->groups[i].value)))
            listed_add(x->a, &x->listed[rule], m->groups[i].name, value_text(x->a, m->groups[i].value));
    struct sighting *s = sightings_add(&x->places, &x->seen[rule], l->p, l->n, l->number, l->before);
    if (!s)
        return;
    s->line = shown_line(x->a, l, m->start);
    for (size_t i = 0; i < m->n_groups; i++) {
        struct str v = str_trim(m->groups[i].value);
        if (v.n == 0)
            continue;
        struct explain_value *e = ARENA_PUSH(x->a, values, s->n_values);
        e->name = arena_strdup(x->a, m->groups[i].name);
        e->value = value_text(x->a, v);
    }
    s->values = values;
}

/* A line has several codes. */
static void on_more(void *ctx, uint32_t rule, const struct match *m)
{
    struct explain *x = ctx;
    if (catalog_is_code_regex(rule))
        codes_match(x->codes, rule, m);
}

/* All that matches the line came. */
static void on_end(void *ctx)
{
    struct explain *x = ctx;
    for (size_t after; codes_again(x->codes, &after);)
        matcher_again(x->matcher, after, on_more, x);
    codes_end(x->codes, &x->places, shown_line, x->a);
    x->matches = false;
}

static void on_lines(void *ctx, const struct lines_part *part)
{
    struct explain *x = ctx;
    x->part = part;
    matcher_search(x->matcher, part->p, part->n, part->old, on_match, on_end, x);
}

int explain_new(struct arena *a, const struct explain_catalog *k, const char *engine, struct explain **ret, struct err *e)
{
    struct explain *x = ARENA_NEW(a, struct explain);
    x->a = a;
    x->k = k;
    places_init(&x->places, a);
    arena_init(&x->own, 0);
    x->rules = arena_array(&x->own, k->n_regexes + 1, sizeof *x->rules);
    x->seen = arena_array(&x->own, k->n_regexes + 1, sizeof *x->seen);
    x->listed = arena_array(&x->own, k->n_regexes + 1, sizeof *x->listed);
    for (size_t i = 0; i < k->n_regexes; i++) {
        const struct explain_regex *r = &k->regexes[i];
        const char **literals = arena_array(&x->own, r->n_literals, sizeof *literals);
        for (size_t j = 0; j < r->n_literals; j++)
            literals[j] = catalog_text(k, k->literals[r->first_literal + j]);
        x->rules[i] = (struct match_rule){catalog_text(k, r->re), literals, r->n_literals, .once = !catalog_is_code_regex((uint32_t)i)};
    }
    for (size_t i = 0; i < k->n_patterns; i++) /* of the others it counts only that they are there */
        x->rules[k->patterns[i].re].once = false;
    int r = matcher_new(x->rules, k->n_regexes, 0, engine, &x->matcher, e);
    if (r < 0) {
        arena_done(&x->own);
        return r;
    }
    x->lines = lines_new(on_lines, x);
    x->codes = codes_new(a, x->k);
    *ret = x;
    return 0;
}

void explain_again(struct explain *x, struct arena *a)
{
    x->a = a;
    places_init(&x->places, a);
    memset(x->seen, 0, x->k->n_regexes * sizeof *x->seen);
    memset(x->listed, 0, x->k->n_regexes * sizeof *x->listed);
    matcher_reset(x->matcher);
    lines_free(x->lines);
    x->lines = lines_new(on_lines, x);
    x->codes = codes_new(a, x->k);
    x->matches = false;
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
    places_file(&x->places, name);
}

void explain_cell(struct explain *x, uint32_t cell)
{
    places_cell(&x->places, cell);
}

void explain_cell_run(struct explain *x, uint32_t cell, uint32_t run)
{
    places_run(&x->places, cell, run);
}

void explain_feed(struct explain *x, const void *p, size_t n)
{
    places_feed(&x->places, p, n);
    lines_feed(x->lines, p, n);
    places_feed(&x->places, NULL, 0);
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

static void add_values(struct arena *a, struct explain_value **values, size_t *n, const struct sighting *s)
{
    for (size_t i = 0; i < s->n_values; i++) {
        bool have = false;
        for (size_t k = 0; k < *n; k++)
            have |= str_eq((*values)[k].name, s->values[i].name);
        if (!have)
            *ARENA_PUSH(a, *values, *n) = s->values[i];
    }
}

/* A line that several patterns of an entry match shows it once. */
static void merge(struct arena *a, struct sighting **all, size_t *n, const struct sightings *s)
{
    size_t had = *n;
    for (size_t i = 0; i < s->n; i++) {
        const struct sighting *y = &s->list[i];
        struct sighting *x = NULL;
        for (size_t k = 0; k < had && !x; k++)
            if (place_same((*all)[k].place, y->place))
                x = &(*all)[k];
        if (!x) {
            *ARENA_PUSH(a, *all, *n) = *y;
            continue;
        }
        uint64_t count = x->count > y->count ? x->count : y->count;
        if (y->at < x->at)
            *x = *y;
        x->count = count;
    }
}

/* One of what was found; all patterns of its entry stand together: patterns[from, to), none of a code. */
struct judged { struct explained x; size_t from, to; };

static bool gather(const struct explain *x, size_t from, size_t to, struct judged *ret)
{
    struct explained *e = &ret->x;
    struct sighting *seen = NULL;
    *ret = (struct judged){.x = {.entry = &x->k->entries[x->k->patterns[from].entry]}, .from = from, .to = to};
    for (size_t i = from; i < to; i++)
        if (holds(x, &x->k->patterns[i]))
            merge(x->a, &seen, &e->n_seen, &x->seen[x->k->patterns[i].re]);
    for (size_t i = 0; i < e->n_seen; i++)
        e->count += seen[i].count;
    e->seen = seen;
    return e->n_seen > 0;
}

/* The values of the first line, then what other patterns add. */
static void set_values(const struct explain *x, struct judged *j)
{
    struct explain_value *values = NULL;
    if (j->from == j->to)
        return;
    add_values(x->a, &values, &j->x.n_values, &j->x.seen[0]);
    for (size_t i = j->from; i < j->to; i++)
        if (holds(x, &x->k->patterns[i]))
            add_values(x->a, &values, &j->x.n_values, &x->seen[x->k->patterns[i].re].list[0]);
    struct listed all = {0};
    for (size_t i = j->from; i < j->to; i++)
        if (holds(x, &x->k->patterns[i]))
            listed_merge(x->a, &all, &x->listed[x->k->patterns[i].re]);
    for (size_t i = 0; i < j->x.n_values; i++)
        if (all.n > 1 && str_eq(values[i].name, all.name))
            values[i].all = listed_join(x->a, &all);
    j->x.values = values;
}

static int by_rank(const void *pa, const void *pb)
{
    const struct explained *a = &((const struct judged *)pa)->x, *b = &((const struct judged *)pb)->x;
    if (a->entry->kind != b->entry->kind)
        return a->entry->kind < b->entry->kind ? -1 : 1;
    if (a->is_later != b->is_later)
        return a->is_later ? 1 : -1;
    if (a->is_later && a->after_us != b->after_us)
        return a->after_us < b->after_us ? -1 : 1;
    if (a->entry->kind == KIND_CAUSE && !a->code != !b->code)
        return a->code ? 1 : -1; /* a code that no cause speaks of explains less than a cause */
    if (a->entry->kind == KIND_CAUSE && a->entry->chain != b->entry->chain)
        return a->entry->chain < b->entry->chain ? -1 : 1;
    if (sighting_before(a->seen, b->seen) != sighting_before(b->seen, a->seen))
        return sighting_before(a->seen, b->seen) ? -1 : 1;
    if (a->entry->chain != b->entry->chain)
        return a->entry->chain < b->entry->chain ? -1 : 1;
    return a->entry < b->entry ? -1 : a->entry > b->entry;
}

/* The best cause that was found and that this symptom can stand for. */
static const struct explain_entry *cause_of(const struct explain_catalog *k, const struct explain_entry *s, const struct explained *found, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t m = 0; m < s->n_may_be; m++)
            if (found[i].entry->kind == KIND_CAUSE && found[i].entry == &k->entries[k->may_be[s->first_may_be + m]])
                return found[i].entry;
    return NULL;
}

static const struct explain_entry *entry_of_regex(const void *ctx, uint32_t regex)
{
    const struct explain *x = ctx;
    for (size_t i = 0; i < x->k->n_patterns; i++)
        if (x->k->patterns[i].re == regex && holds(x, &x->k->patterns[i]))
            return &x->k->entries[x->k->patterns[i].entry];
    return NULL;
}

/* Does one of the entry's patterns hold? */
static bool has_entry(const void *ctx, const struct explain_entry *entry)
{
    const struct explain *x = ctx;
    for (size_t i = 0; i < x->k->n_patterns; i++)
        if (&x->k->entries[x->k->patterns[i].entry] == entry && holds(x, &x->k->patterns[i]))
            return true;
    return false;
}

static void judge_codes(struct explain *x, struct explain_answer *ret, struct judged **r, size_t *n)
{
    const struct codes_found found = {x, entry_of_regex, has_entry};
    ret->driver = codes_driver(x->codes);
    ret->n_codes = codes_judge(x->codes, &found, &ret->codes);
    for (size_t i = 0; i < ret->n_codes; i++) {
        struct judged one = {0};
        bool have = !codes_answer(x->a, x->k, &ret->codes[i], &one.x);
        for (size_t k = 0; !have && k < *n; k++)
            have = (*r)[k].x.entry == one.x.entry; /* two codes of one cause */
        if (!have)
            *ARENA_PUSH(x->a, *r, *n) = one;
    }
}

/* Which place failed first: by the causes that break something, where there are any. */
static struct timeline failures(struct arena *a, const struct judged *r, size_t n)
{
    struct timeline t = {0};
    for (int all = 0; all < 2 && !t.on; all++) {
        const struct sighting **s = NULL;
        size_t n_s = 0;
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < r[i].x.n_seen; k++)
                if (r[i].x.entry->kind == KIND_CAUSE && (all || r[i].x.entry->severity == SEV_BROKEN))
                    *ARENA_PUSH(a, s, n_s) = &r[i].x.seen[k];
        t = timeline_of(s, n_s);
    }
    return t;
}

static int by_time(const void *pa, const void *pb)
{
    const struct explain_failure *a = pa, *b = pb;
    if (a->after_us != b->after_us)
        return a->after_us < b->after_us ? -1 : 1;
    return a->seen->at < b->seen->at ? -1 : a->seen->at > b->seen->at;
}

/* The first failure of each place; `found` is ranked, so that of two at one time the cause comes before what follows. */
static void list_failures(struct explain *x, const struct timeline *t, const struct explained *found, size_t n, struct explain_answer *ret)
{
    struct explain_failure *f = NULL;
    size_t n_f = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; found[i].entry->kind == KIND_CAUSE && k < found[i].n_seen; k++) {
            const struct explain_failure now = {found[i].entry, &found[i].seen[k], 0};
            struct explain_failure *have = NULL;
            int64_t key, have_key;
            if (!timeline_key(t, now.seen, &key))
                continue;
            for (size_t j = 0; j < n_f && !have; j++)
                if (place_same(f[j].seen->place, now.seen->place))
                    have = &f[j];
            if (!have)
                have = ARENA_PUSH(x->a, f, n_f);
            else if (timeline_key(t, have->seen, &have_key) && have_key <= key)
                continue;
            *have = now;
            have->after_us = key - t->first;
        }
    if (f)
        qsort(f, n_f, sizeof *f, by_time);
    ret->failures = f;
    ret->n_failures = n_f;
}

/* The first line that shows it, and how long after the first failure that was. */
static void place_in_time(const struct timeline *t, struct explained *e)
{
    int64_t key;
    timeline_sort(t, e->seen, e->n_seen);
    e->file = e->seen[0].place->file;
    e->line_number = e->seen[0].line_number;
    e->line = e->seen[0].line;
    e->has_after = timeline_key(t, &e->seen[0], &key);
    e->after_us = e->has_after ? key - t->first : 0;
    e->is_later = e->has_after && e->entry->kind == KIND_CAUSE && e->after_us > TIMELINE_TOGETHER_US;
}

void explain_judge(struct explain *x, struct explain_answer *ret)
{
    struct judged *r = NULL;
    size_t n = 0, to;
    for (size_t from = 0; from < x->k->n_patterns; from = to) {
        struct judged one;
        for (to = from + 1; to < x->k->n_patterns && x->k->patterns[to].entry == x->k->patterns[from].entry;)
            to++;
        if (gather(x, from, to, &one))
            *ARENA_PUSH(x->a, r, n) = one;
    }
    judge_codes(x, ret, &r, &n);
    struct timeline t = failures(x->a, r, n);
    for (size_t i = 0; i < n; i++) {
        place_in_time(&t, &r[i].x);
        set_values(x, &r[i]);
    }
    if (r)
        qsort(r, n, sizeof *r, by_rank);
    struct explained *found = arena_array(x->a, n ? n : 1, sizeof *found);
    for (size_t i = 0; r && i < n; i++)
        found[i] = r[i].x;
    for (size_t i = 0; i < n; i++)
        if (found[i].entry->kind == KIND_SYMPTOM)
            found[i].cause = cause_of(x->k, found[i].entry, found, n);
    ret->catalog = x->k;
    ret->found = found;
    ret->n = n;
    ret->lines = lines_count(x->lines);
    list_failures(x, &t, found, n, ret);
}
