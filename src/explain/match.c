/* SPDX-License-Identifier: Apache-2.0 */
/* match - the engine of literals and PCRE2. */
#include "explain/match.h"
#include <errno.h>
#include <string.h>
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include "explain/literals.h"

enum { WORK = 200000, DEPTH_KIB = 4096, JIT_AFTER = 64 };

struct rule { pcre2_code *code; unsigned tried; bool refused; uint64_t line; };

struct matcher {
    struct arena a;
    const struct match_rule *rules;
    size_t n;
    struct rule *state;
    struct literals *literals;
    pcre2_match_data *data;
    pcre2_match_context *limits;
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

static void add_literals(struct matcher *m)
{
    size_t n = 0, k = 0;
    for (size_t i = 0; i < m->n; i++)
        n += m->rules[i].n_literals;
    const char **texts = arena_array(&m->a, n ? n : 1, sizeof *texts);
    uint32_t *owners = arena_array(&m->a, n ? n : 1, sizeof *owners);
    for (size_t i = 0; i < m->n; i++)
        for (size_t j = 0; j < m->rules[i].n_literals; j++) {
            texts[k] = m->rules[i].literals[j];
            owners[k++] = (uint32_t)i;
        }
    m->literals = literals_new(&m->a, texts, owners, n);
}

int matcher_new(const struct match_rule *rules, size_t n, int try_all, struct matcher **ret, struct err *e)
{
    struct arena a;
    arena_init(&a, 0);
    struct matcher *m = ARENA_NEW(&a, struct matcher);
    *m = (struct matcher){.a = a, .rules = rules, .n = n};
    m->state = arena_array(&m->a, n ? n : 1, sizeof *m->state);
    m->todo = arena_array(&m->a, n ? n : 1, sizeof *m->todo);
    m->data = pcre2_match_data_create(TG_COUNT(((struct match *)0)->groups) * 2, NULL);
    m->limits = pcre2_match_context_create(NULL);
    int r = m->data && m->limits ? 0 : err_set(e, -ENOMEM, "out of memory");
    add_literals(m);
    if (r == 0 && !m->literals)
        r = err_set(e, -E2BIG, "too many patterns");
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
    struct arena a = m->a; /* it holds *m */
    arena_done(&a);
}

static void remember(void *ctx, uint32_t rule)
{
    struct matcher *m = ctx;
    if (m->state[rule].line == m->line)
        return;
    m->state[rule].line = m->line;
    m->todo[m->n_todo++] = rule;
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
    if (++r->tried == JIT_AFTER)
        (void)pcre2_jit_compile(r->code, PCRE2_JIT_COMPLETE); /* where memory may not be executable, it goes on without */
    for (size_t from = 0; from <= n;) {
        int found = pcre2_match(r->code, (PCRE2_SPTR)p, n, from, 0, m->data, m->limits);
        if (found == PCRE2_ERROR_JIT_STACKLIMIT)
            found = pcre2_match(r->code, (PCRE2_SPTR)p, n, from, PCRE2_NO_JIT, m->data, m->limits);
        if (found < 0)
            return false;
        const PCRE2_SIZE *v = pcre2_get_ovector_pointer(m->data);
        if (v[1] > after || after == 0) {
            *x = (struct match){.start = v[0], .end = v[1]};
            take_groups(m, r->code, p, x);
            return true;
        }
        from = v[1] > from ? v[1] : from + 1;
    }
    return false;
}

void matcher_line(struct matcher *m, const char *p, size_t n, size_t after, match_fn *fn, void *ctx)
{
    struct match x;
    m->line++;
    m->n_todo = 0;
    literals_find(m->literals, p, n, remember, m);
    for (size_t i = 0; i < m->n_todo; i++)
        if (try(m, m->todo[i], p, n, after, &x))
            fn(ctx, m->todo[i], &x);
}
