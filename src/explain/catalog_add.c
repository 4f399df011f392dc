/* SPDX-License-Identifier: Apache-2.0 */
/* catalog_add - the shipped tables copied, and the rows of a site's causes put behind them: offsets of the shipped ones stay what they are. */
#include <string.h>
#include "base/buf.h"
#include "base/util.h"
#include "explain/literals.h"
#include "explain/site.h"

enum { ROOM = LITERALS_MOST - EXPLAIN_N_LITERALS }; /* literals of a site: what both engines hold beside the shipped ones */
_Static_assert(ROOM >= 4000, "a site has too little room");

struct maker {
    struct arena *a;
    struct buf texts;
    struct explain_entry *entries; size_t n_entries;
    const char **origins;
    struct explain_step *steps; size_t n_steps;
    uint32_t *references; size_t n_references;
    uint16_t *may_be; size_t n_may_be;
    struct explain_regex *regexes; size_t n_regexes;
    uint32_t *literals; size_t n_literals;
    struct explain_pattern *patterns; size_t n_patterns;
    bool *replaced;             /* shipped entries whose patterns are gone */
    bool zh;
};

static uint32_t text(struct maker *k, const char *s)
{
    size_t at = k->texts.len;
    if (!s)
        return 0;
    buf_add(&k->texts, s, strlen(s) + 1);
    return k->texts.full ? 0 : (uint32_t)at;
}

static uint32_t chosen(struct maker *k, struct site_text t)
{
    return text(k, k->zh && t.zh ? t.zh : t.en);
}

static size_t find(const struct maker *k, const char *id)
{
    size_t i = 0;
    while (i < k->n_entries && !str_eq(k->texts.p + k->entries[i].id, id))
        i++;
    return i;
}

static int16_t add_regex(struct maker *k, const struct site_regex *x)
{
    if (!x->re)
        return -1;
    struct explain_regex *r = &k->regexes[k->n_regexes];
    *r = (struct explain_regex){text(k, x->re), (uint32_t)k->n_literals, (uint32_t)x->n_literals};
    for (size_t i = 0; i < x->n_literals; i++)
        k->literals[k->n_literals++] = text(k, x->literals[i]);
    return (int16_t)k->n_regexes++;
}

static void add_patterns(struct maker *k, const struct site_cause *c, size_t entry)
{
    for (size_t i = 0; i < c->n_patterns; i++) {
        const struct site_pattern *p = &c->patterns[i];
        k->patterns[k->n_patterns++] = (struct explain_pattern){(uint16_t)entry, (uint16_t)add_regex(k, &p->re), add_regex(k, &p->also), add_regex(k, &p->unless)};
    }
}

static void add_entry(struct maker *k, const struct site_cause *c, size_t at)
{
    struct explain_entry e = {.id = text(k, c->id), .title = chosen(k, c->title), .text = chosen(k, c->text), .why = chosen(k, c->why), .confirm = text(k, c->confirm),
                              .kind = c->kind, .layer = c->layer, .severity = c->severity, .chain = c->chain,
                              .first_step = (uint32_t)k->n_steps, .n_steps = (uint32_t)c->n_steps, .first_reference = (uint32_t)k->n_references, .n_references = (uint32_t)c->n_references};
    for (size_t i = 0; i < c->n_steps; i++) {
        const struct site_step *s = &c->steps[i];
        k->steps[k->n_steps++] = (struct explain_step){s->when, text(k, s->command), chosen(k, s->note), s->side, s->needs_root};
    }
    for (size_t i = 0; i < c->n_references; i++)
        k->references[k->n_references++] = text(k, c->references[i].text);
    k->entries[at] = e;
    k->origins[at] = c->file;
    k->n_entries += at == k->n_entries;
}

/* Once all entries are there. Ids that nobody has are left out; `kb lint` tells of them. */
static void add_may_be(struct maker *k, const struct site_cause *c, size_t at)
{
    struct explain_entry *e = &k->entries[at];
    e->first_may_be = (uint32_t)k->n_may_be;
    for (size_t i = 0; i < c->n_may_be; i++) {
        size_t of = find(k, c->may_be[i].text);
        if (of < k->n_entries)
            k->may_be[k->n_may_be++] = (uint16_t)of;
    }
    e->n_may_be = (uint32_t)k->n_may_be - e->first_may_be;
}

/* The patterns of an entry together, in the order of entries. */
static void sort_patterns(struct maker *k)
{
    struct explain_pattern *out = arena_array(k->a, k->n_patterns + 1, sizeof *out);
    size_t *at = arena_array(k->a, k->n_entries + 1, sizeof *at), n = 0;
    for (size_t i = 0; i < k->n_patterns; i++)
        at[k->patterns[i].entry + 1]++;
    for (size_t i = 0; i < k->n_entries; i++)
        at[i + 1] += at[i];
    for (size_t i = 0; i < k->n_patterns; i++, n++)
        out[at[k->patterns[i].entry]++] = k->patterns[i];
    k->patterns = out;
}

static size_t literals_of(const struct site_cause *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n_patterns; i++)
        n += c->patterns[i].re.n_literals + c->patterns[i].also.n_literals + c->patterns[i].unless.n_literals;
    return n;
}

#define COPY(k, field, from, had, more) \
    memcpy((k)->field = arena_array((k)->a, (had) + (more) + 1, sizeof *(k)->field), (from), (had) * sizeof *(k)->field)

/* Room for what is shipped and for these causes, the former filled in. */
static void start(struct maker *k, const struct site_cause *from, size_t n)
{
    const struct explain_catalog s = catalog_shipped();
    size_t steps = 0, references = 0, may_be = 0, patterns = 0, literals = 0;
    for (size_t i = 0; i < n; i++) {
        steps += from[i].n_steps;
        references += from[i].n_references;
        may_be += from[i].n_may_be;
        patterns += from[i].n_patterns;
        literals += literals_of(&from[i]);
    }
    COPY(k, entries, s.entries, EXPLAIN_N_ENTRIES, n);
    COPY(k, steps, s.steps, EXPLAIN_N_STEPS_TABLE, steps);
    COPY(k, references, s.references, EXPLAIN_N_REFERENCES, references);
    COPY(k, may_be, s.may_be, EXPLAIN_N_MAY_BE, may_be);
    COPY(k, regexes, s.regexes, EXPLAIN_N_REGEXES, 3 * patterns);
    COPY(k, literals, s.literals, EXPLAIN_N_LITERALS, literals);
    k->patterns = arena_array(k->a, EXPLAIN_N_PATTERNS + patterns + 1, sizeof *k->patterns);
    k->origins = arena_array(k->a, EXPLAIN_N_ENTRIES + n + 1, sizeof *k->origins);
    k->replaced = arena_array(k->a, EXPLAIN_N_ENTRIES + n + 1, sizeof *k->replaced);
    k->n_entries = EXPLAIN_N_ENTRIES;
    k->n_steps = EXPLAIN_N_STEPS_TABLE;
    k->n_references = EXPLAIN_N_REFERENCES;
    k->n_may_be = EXPLAIN_N_MAY_BE;
    k->n_regexes = EXPLAIN_N_REGEXES;
    k->n_literals = EXPLAIN_N_LITERALS;
    buf_init(&k->texts, 0);
    buf_add(&k->texts, s.texts, EXPLAIN_TEXTS_BYTES);
}

/* How many from the engines can hold beside the shipped ones. */
static size_t that_fit(const struct site_cause *from, size_t n)
{
    size_t literals = 0, regexes = EXPLAIN_N_REGEXES, i = 0;
    for (; i < n; i++) {
        literals += literals_of(&from[i]);
        regexes += 3 * from[i].n_patterns;
        if (literals > ROOM || regexes > INT16_MAX)
            break;
    }
    return i;
}

size_t catalog_add(struct arena *a, const struct site_cause *from, size_t n, bool zh, struct explain_catalog *ret)
{
    struct maker k = {.a = a, .zh = zh};
    n = that_fit(from, n);
    start(&k, from, n);
    size_t *at = arena_array(a, n + 1, sizeof *at);
    for (size_t i = 0; i < n; i++) { /* first those that have texts */
        at[i] = find(&k, from[i].id);
        if (from[i].extends || (at[i] < k.n_entries && k.origins[at[i]]))
            continue; /* a file of more weight has it */
        k.replaced[at[i]] = true;
        add_entry(&k, &from[i], at[i]);
    }
    for (size_t i = 0; i < EXPLAIN_N_PATTERNS; i++)
        if (!k.replaced[explain_patterns[i].entry])
            k.patterns[k.n_patterns++] = explain_patterns[i];
    for (size_t i = 0; i < n; i++) {
        bool own = k.origins[at[i]] == from[i].file;
        if (!own && !from[i].extends)
            continue;
        add_patterns(&k, &from[i], at[i]);
        if (own)
            add_may_be(&k, &from[i], at[i]);
    }
    sort_patterns(&k);
    *ret = (struct explain_catalog){.texts = arena_strndup(a, k.texts.p, k.texts.len), .entries = k.entries, .n_entries = k.n_entries, .steps = k.steps, .references = k.references,
                                    .may_be = k.may_be, .regexes = k.regexes, .n_regexes = k.n_regexes, .literals = k.literals,
                                    .patterns = k.patterns, .n_patterns = k.n_patterns, .origins = k.origins};
    buf_done(&k.texts);
    return n;
}
