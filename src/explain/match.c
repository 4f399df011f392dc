/* SPDX-License-Identifier: Apache-2.0 */
/* match - literals by one of two engines, then PCRE2. */
#include "explain/match.h"
#include <errno.h>
#include <string.h>
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include "explain/literals.h"
#include "explain/screen.h"
#include "explain/sieve.h"

enum { WORK = 200000, DEPTH_KIB = 4096, JIT_AFTER = 64, IDLE_FIRST = 256, SAMPLE_FROM = 64 * 1024, LEARN_FIRST = 512 * 1024, LEARN_AGAIN = 16 };

struct rule { pcre2_code *code; unsigned tried; bool refused, compiled, over; uint64_t line; };

struct matcher {
    struct arena a, search;     /* search: what is made anew when rules are over */
    const struct match_rule *rules;
    size_t n, n_literals, n_used; /* used: of rules that were not over when the search was made */
    struct rule *state;
    bool fast, narrow;
    struct texts texts;         /* literals of rules that are not over, equal ones of the tables once */
    const char **literal;
    struct owner { uint32_t rule, next; } *owners; /* of each text, from first[i] on; 0: no more */
    uint32_t *first, *slots;    /* slots: to find a literal's text, by where it is */
    unsigned slot_bits;
    struct literals *literals;  /* one of the two */
    struct sieve *sieve;
    struct sieve_sample *sample; /* of a big log */
    uint64_t read, learn_at, learned_at; /* bytes */
    size_t idle, idle_max, n_over; /* literals found of rules that are over, since `texts` was made; how many such rules it has */
    pcre2_match_data *data;
    pcre2_match_context *limits;
    struct str block;           /* what is being searched, and its line from `from` to `to` */
    size_t from, to, after;
    size_t counted, row;        /* newlines before byte `counted` */
    match_fn *fn; match_end_fn *end; void *ctx;
    uint64_t line;              /* a counter, so that a rule is tried once a line */
    uint32_t *todo; size_t n_todo;
};

static int compile(struct matcher *m, size_t i, struct err *e)
{
    int code;
    PCRE2_SIZE at;
    PCRE2_UCHAR text[128];
    m->state[i].code = pcre2_compile((PCRE2_SPTR)m->rules[i].re, PCRE2_ZERO_TERMINATED, PCRE2_NEVER_BACKSLASH_C, &code, &at, NULL);
    if (m->state[i].code)
        return 0;
    m->state[i].refused = true;
    (void)pcre2_get_error_message(code, text, sizeof text); /* cut when too long, which will do */
    return err_set(e, -EINVAL, "%s, at byte %zu of %s", (const char *)text, (size_t)at, m->rules[i].re);
}

/* The text that the literal is, among n; its slot says so if it is new. */
static size_t text_of(struct matcher *m, const char *literal, size_t n)
{
    size_t i = (uintptr_t)literal * 0x9e3779b97f4a7c15u >> (64 - m->slot_bits);
    for (; m->slots[i]; i = (i + 1) & ~(SIZE_MAX << m->slot_bits))
        if (m->literal[m->slots[i] - 1] == literal)
            return m->slots[i] - 1;
    m->slots[i] = (uint32_t)n + 1;
    m->literal[n] = literal;
    m->first[n] = 0;
    return n;
}

/* The search for the literals of the rules that are not over. */
static int prepare(struct matcher *m, struct err *e)
{
    size_t k = 0;
    uint32_t n_owners = 0;
    memset(m->slots, 0, sizeof *m->slots << m->slot_bits);
    for (size_t i = 0; i < m->n; i++)
        for (size_t j = 0; !m->state[i].over && j < m->rules[i].n_literals; j++) {
            size_t text = text_of(m, m->rules[i].literals[j], k);
            k += text == k;
            m->owners[++n_owners] = (struct owner){(uint32_t)i, m->first[text]};
            m->first[text] = n_owners;
        }
    m->n_used = n_owners;
    m->idle = m->n_over = 0;
    arena_done(&m->search);
    if (!texts_init(&m->search, m->literal, k, &m->texts))
        return err_set(e, -EINVAL, "a literal has fewer than %d or more than %d bytes", LITERAL_LEAST, LITERAL_MOST);
    m->sieve = m->fast ? sieve_new(&m->search, &m->texts, m->sample, m->narrow) : NULL;
    m->literals = m->sieve ? NULL : literals_new(&m->search, &m->texts);
    return m->sieve || m->literals ? 0 : err_set(e, -E2BIG, "too many patterns");
}

static int choose(struct matcher *m, const char *engine, struct err *e)
{
    m->narrow = str_eq(engine, "avx2");
    if (engine && !str_eq(engine, "fast") && !str_eq(engine, "portable") && !m->narrow)
        return err_set(e, -EINVAL, "no such engine: %s (fast, avx2, portable)", engine);
    m->fast = !str_eq(engine, "portable") && sieve_usable();
    return 0;
}

int matcher_new(const struct match_rule *rules, size_t n, int try_all, const char *engine, struct matcher **ret, struct err *e)
{
    struct arena a;
    arena_init(&a, 0);
    struct matcher *m = ARENA_NEW(&a, struct matcher);
    *m = (struct matcher){.a = a, .rules = rules, .n = n, .idle_max = IDLE_FIRST, .learn_at = LEARN_FIRST};
    arena_init(&m->search, 0);
    for (size_t i = 0; i < n; i++)
        m->n_literals += rules[i].n_literals;
    m->state = arena_array(&m->a, n + 1, sizeof *m->state);
    m->todo = arena_array(&m->a, n + 1, sizeof *m->todo);
    m->literal = arena_array(&m->a, m->n_literals + 1, sizeof *m->literal);
    m->owners = arena_array(&m->a, m->n_literals + 1, sizeof *m->owners);
    m->first = arena_array(&m->a, m->n_literals + 1, sizeof *m->first);
    for (m->slot_bits = 4; (size_t)1 << m->slot_bits < 2 * m->n_literals;)
        m->slot_bits++;
    m->slots = arena_array(&m->a, (size_t)1 << m->slot_bits, sizeof *m->slots);
    m->data = pcre2_match_data_create(TG_COUNT(((struct match *)0)->groups) * 2, NULL);
    m->limits = pcre2_match_context_create(NULL);
    int r = m->data && m->limits ? choose(m, engine, e) : err_set(e, -ENOMEM, "out of memory");
    if (r == 0)
        r = prepare(m, e);
    for (size_t i = 0; r == 0 && try_all && i < n; i++)
        r = compile(m, i, e);
    if (r < 0) {
        matcher_free(m);
        return r;
    }
    (void)pcre2_set_match_limit(m->limits, WORK);
    (void)pcre2_set_heap_limit(m->limits, DEPTH_KIB);
    *ret = m;
    return 0;
}

void matcher_free(struct matcher *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->n; i++)
        pcre2_code_free(m->state[i].code);
    pcre2_match_data_free(m->data);
    pcre2_match_context_free(m->limits);
    arena_done(&m->search);
    struct arena a = m->a; /* it holds *m */
    arena_done(&a);
}

void matcher_reset(struct matcher *m)
{
    for (size_t i = 0; i < m->n; i++)
        m->state[i].over = false;
    m->idle_max = IDLE_FIRST;
    m->idle = m->n_over = 0;
    if (m->n_used != m->n_literals)
        (void)prepare(m, NULL); /* it went well with the same rules */
}

static void take_groups(const struct matcher *m, const pcre2_code *code, const char *p, struct match *x)
{
    uint32_t n, size, top = pcre2_get_ovector_count(m->data);
    PCRE2_SPTR names;
    const PCRE2_SIZE *v = pcre2_get_ovector_pointer(m->data);
    (void)pcre2_pattern_info(code, PCRE2_INFO_NAMECOUNT, &n);
    (void)pcre2_pattern_info(code, PCRE2_INFO_NAMEENTRYSIZE, &size);
    (void)pcre2_pattern_info(code, PCRE2_INFO_NAMETABLE, &names);
    for (uint32_t i = 0; i < n && x->n_groups < TG_COUNT(x->groups); i++, names += size) {
        uint32_t g = (uint32_t)(names[0] << 8 | names[1]); /* pcre2_pattern_info(3): two bytes, then the name */
        if (g >= top || v[2 * g] == PCRE2_UNSET || v[2 * g + 1] < v[2 * g])
            continue;
        x->groups[x->n_groups++] = (struct match_group){(const char *)names + 2, {p + v[2 * g], v[2 * g + 1] - v[2 * g]}};
    }
}

static bool try(struct matcher *m, uint32_t i, const char *p, size_t n, size_t after, struct match *x)
{
    struct rule *r = &m->state[i];
    if (r->refused || (!r->code && compile(m, i, NULL) < 0))
        return false;
    if (++r->tried == JIT_AFTER) /* where memory may not be executable, it goes on without */
        r->compiled = pcre2_jit_compile(r->code, PCRE2_JIT_COMPLETE) == 0;
    for (size_t from = 0; from <= n;) {
        int found = r->compiled ? pcre2_jit_match(r->code, (PCRE2_SPTR)p, n, from, 0, m->data, m->limits)
                                : pcre2_match(r->code, (PCRE2_SPTR)p, n, from, 0, m->data, m->limits);
        if (found == PCRE2_ERROR_JIT_STACKLIMIT)
            found = pcre2_match(r->code, (PCRE2_SPTR)p, n, from, PCRE2_NO_JIT, m->data, m->limits);
        if (found < 0)
            return false;
        const PCRE2_SIZE *v = pcre2_get_ovector_pointer(m->data);
        if (v[1] > after || after == 0) {
            *x = (struct match){.line = {p, n}, .start = v[0], .end = v[1]};
            take_groups(m, r->code, p, x);
            return true;
        }
        from = v[1] > from ? v[1] : from + 1;
    }
    return false;
}

/* Try the rules of which a literal is in the line. Did one match? */
static bool try_all(struct matcher *m, size_t after, match_fn *fn, void *ctx)
{
    struct match x;
    const char *p = m->block.p + m->from;
    size_t n = m->to - m->from;
    bool matched = false;
    n -= n && p[n - 1] == '\r';
    for (size_t i = 0; i < m->n_todo; i++) {
        uint32_t rule = m->todo[i];
        if (m->state[rule].over || !try(m, rule, p, n, after, &x))
            continue;
        m->row += count_newlines(m->block.p + m->counted, m->from - m->counted);
        m->counted = m->from;
        x.row = m->row;
        m->state[rule].over = m->rules[rule].once;
        m->n_over += m->rules[rule].once;
        matched = true;
        fn(ctx, rule, &x);
    }
    return matched;
}

void matcher_again(struct matcher *m, size_t after, match_fn *fn, void *ctx)
{
    (void)try_all(m, after, fn, ctx);
}

/* All rules of which a literal is in the line are known. */
static void finish_line(struct matcher *m)
{
    for (size_t i = 1; i < m->n_todo; i++) /* few */
        for (size_t k = i; k > 0 && m->todo[k - 1] > m->todo[k]; k--) {
            uint32_t t = m->todo[k];
            m->todo[k] = m->todo[k - 1];
            m->todo[k - 1] = t;
        }
    if (try_all(m, m->after, m->fn, m->ctx) && m->end)
        m->end(m->ctx);
    m->n_todo = 0;
}

static void start_line(struct matcher *m, size_t at)
{
    const char *p = m->block.p, *before = memrchr(p + m->to, '\n', at - m->to), *behind = memchr(p + at, '\n', m->block.n - at);
    m->from = before ? (size_t)(before - p) + 1 : m->to;
    m->to = behind ? (size_t)(behind - p) : m->block.n;
    m->line++;
}

static void on_literal(void *ctx, uint32_t text, size_t at)
{
    struct matcher *m = ctx;
    bool alive = false;
    if (at >= m->to && m->n_todo)
        finish_line(m);
    for (uint32_t o = m->first[text]; o; o = m->owners[o].next) {
        struct rule *r = &m->state[m->owners[o].rule];
        if (r->over)
            continue;
        alive = true;
        if (at >= m->to)
            start_line(m, at);
        if (r->line == m->line)
            continue;
        r->line = m->line;
        m->todo[m->n_todo++] = m->owners[o].rule;
    }
    m->idle += !alive;
}

/* Of a log that is not small, places spread over what is read until the search is made anew. */
static void learn(struct matcher *m, const char *p, size_t n)
{
    if (!m->sample)
        m->sample = ARENA_NEW(&m->a, struct sieve_sample);
    sieve_learn(m->sample, p, n, (m->learn_at - m->learned_at) / SIEVE_SAMPLE_PLACES | 1);
}

/* Make the search anew when it finds too much that nobody asks for now, and, seldom and seldomer, when the log can tell what is rare. */
static void adapt(struct matcher *m, const char *p, size_t n)
{
    bool again = m->sieve && m->read >= m->learn_at, idle = m->n_over && m->idle > m->idle_max;
    m->idle_max *= idle ? 2 : 1;
    if (again || idle)
        (void)prepare(m, NULL); /* it went well with as many or more */
    if (again) {
        m->learned_at = m->read;
        m->learn_at = LEARN_AGAIN * m->read;
    }
    m->read += n;
    if (m->sieve && m->read >= SAMPLE_FROM)
        learn(m, p, n);
}

void matcher_search(struct matcher *m, const char *p, size_t n, size_t after, match_fn *fn, match_end_fn *end, void *ctx)
{
    adapt(m, p, n);
    m->block = (struct str){p, n};
    m->from = m->to = m->counted = m->row = m->n_todo = 0;
    m->after = after;
    m->fn = fn;
    m->end = end;
    m->ctx = ctx;
    if (m->sieve)
        sieve_find(m->sieve, p, n, on_literal, m);
    else
        literals_find(m->literals, p, n, on_literal, m);
    finish_line(m);
}
