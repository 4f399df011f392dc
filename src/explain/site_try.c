/* SPDX-License-Identifier: Apache-2.0 */
/* site_try - the samples of a site's cause, tried with the engine itself. */
#include <errno.h>
#include <string.h>
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include "base/buf.h"
#include "base/i18n.h"
#include "base/util.h"
#include "explain/match.h"
#include "explain/site.h"

static const struct site_regex *part_of(const struct site_pattern *p, size_t i)
{
    return i == 0 ? &p->re : i == 1 ? &p->also : &p->unless;
}

static const char *const part_names[] = {"re", "also", "unless"};

/* Is it one that can be tried? */
static bool usable(const struct site_pattern *p)
{
    return p->re.re && !(p->also.line && !p->also.re) && !(p->unless.line && !p->unless.re);
}

/* Does PCRE2 take it? By an engine that costs nothing to set up. */
static bool check_regex(const struct site_regex *x, const char *key, struct site_mistakes *m)
{
    const struct match_rule rule = {x->re, x->literals, x->n_literals, .once = true};
    struct matcher *one;
    struct err e = {0};
    if (matcher_new(&rule, 1, 1, "portable", &one, &e) < 0) {
        site_mistake(m, x->line, _("'%s': PCRE2 does not take it: %s"), key, e.msg);
        return false;
    }
    matcher_free(one);
    return true;
}

/* -- samples ----------------------------------------------------------------------------------------------------------------- */
struct trial { struct matcher *matcher; struct match_rule *rules; bool *seen; size_t n; };

static void on_match(void *ctx, uint32_t rule, const struct match *m)
{
    (void)m;
    ((struct trial *)ctx)->seen[rule] = true;
}

/* Three rules a pattern; one that is not there is left out of the matcher by having no literal. */
static bool trial_new(const struct site_cause *c, const char *engine, struct arena *a, struct trial *t, struct site_mistakes *m)
{
    struct err e = {0};
    t->n = c->n_patterns * TG_COUNT(part_names);
    t->rules = arena_array(a, t->n + 1, sizeof *t->rules);
    t->seen = arena_array(a, t->n + 1, sizeof *t->seen);
    for (size_t i = 0; i < t->n; i++) {
        const struct site_regex *x = part_of(&c->patterns[i / TG_COUNT(part_names)], i % TG_COUNT(part_names));
        t->rules[i] = (struct match_rule){.re = x->re ? x->re : "", .literals = x->literals, .n_literals = x->re ? x->n_literals : 0, .once = true};
    }
    if (matcher_new(t->rules, t->n, 0, engine, &t->matcher, &e) == 0)
        return true;
    site_mistake(m, 1, "%s", e.msg);
    return false;
}

/* A sample is a small log. In one of a single line `also` need not be there. */
static void try_samples(struct trial *t, const struct site_pattern *p, size_t first, const struct site_named *samples, size_t n, bool near, struct site_mistakes *m)
{
    for (size_t i = 0; i < n; i++) {
        const char *text = samples[i].text;
        size_t len = strlen(text);
        len -= len && text[len - 1] == '\n';
        memset(t->seen, 0, t->n * sizeof *t->seen);
        matcher_reset(t->matcher);
        matcher_search(t->matcher, text, len, 0, on_match, NULL, t);
        const bool *seen = t->seen + first;
        bool one_line = !memchr(text, '\n', len), stopped = p->unless.re && seen[2];
        bool holds = seen[0] && (!p->also.re || seen[1]) && !stopped;
        if (near && holds)
            site_mistake(m, samples[i].line, _("the near-miss matches; make the pattern narrower, or it is no near-miss"));
        else if (!near && !holds && stopped)
            site_mistake(m, samples[i].line, _("the sample has what 'unless' excludes; change one of them"));
        else if (!near && !holds && !(seen[0] && one_line))
            site_mistake(m, samples[i].line, seen[0] ? _("the sample has no line that 'also' matches; add it") : _("the pattern does not match its own sample; change one of them"));
    }
}

/* -- what tells who wrote it ------------------------------------------------------------------------------------------------- */
static pcre2_code *private_rule(size_t i)
{
    int code;
    PCRE2_SIZE at;
    return pcre2_compile((PCRE2_SPTR)explain_str(explain_private[i].re), PCRE2_ZERO_TERMINATED, 0, &code, &at, NULL);
}

/* The text without what the rule matches. */
static const char *without(struct arena *a, pcre2_code *rule, pcre2_match_data *data, const char *text)
{
    struct buf out;
    size_t from = 0, n = strlen(text);
    buf_init(&out, 0);
    while (pcre2_match(rule, (PCRE2_SPTR)text, n, from, 0, data, NULL) >= 0) {
        const PCRE2_SIZE *v = pcre2_get_ovector_pointer(data);
        if (v[1] <= from)
            break;
        buf_add(&out, text + from, v[0] - from);
        from = v[1];
    }
    buf_adds(&out, text + from);
    const char *s = arena_strdup(a, out.p);
    buf_done(&out);
    return s;
}

struct secrets { pcre2_code *rules[EXPLAIN_N_PRIVATE]; pcre2_match_data *data; struct site_mistakes *m; };

static void check_private(const struct secrets *s, const char *text, uint32_t line, bool is_regex)
{
    struct arena a;
    if (!text)
        return;
    arena_init(&a, 0);
    for (size_t i = 0; i < EXPLAIN_N_PRIVATE; i++) {
        const struct explain_private *x = &explain_private[i];
        if (!s->rules[i])
            continue;
        if (x->in == PRIVATE_NONE)
            text = without(&a, s->rules[i], s->data, text);
        else if ((is_regex || x->in == PRIVATE_ALL) && pcre2_match(s->rules[i], (PCRE2_SPTR)text, strlen(text), 0, 0, s->data, NULL) >= 0) {
            site_mistake(s->m, line, _("carries %s; write what all machines have in common"), _(explain_str(x->what)));
            break;
        }
    }
    arena_done(&a);
}

static void check_secrets(const struct site_cause *c, struct site_mistakes *m)
{
    struct secrets s = {.m = m, .data = pcre2_match_data_create(1, NULL)};
    for (size_t i = 0; i < EXPLAIN_N_PRIVATE; i++)
        s.rules[i] = private_rule(i);
    for (size_t i = 0; s.data && i < c->n_patterns; i++) {
        const struct site_pattern *p = &c->patterns[i];
        for (size_t k = 0; k < TG_COUNT(part_names); k++)
            check_private(&s, part_of(p, k)->re, part_of(p, k)->line, true);
        for (size_t k = 0; k < p->n_match; k++)
            check_private(&s, p->match[k].text, p->match[k].line, false);
        for (size_t k = 0; k < p->n_near; k++)
            check_private(&s, p->near[k].text, p->near[k].line, false);
    }
    for (size_t i = 0; i < EXPLAIN_N_PRIVATE; i++)
        pcre2_code_free(s.rules[i]);
    pcre2_match_data_free(s.data);
}

void site_try(const struct site_cause *c, const char *engine, struct site_mistakes *m)
{
    struct arena a;
    struct trial t = {0};
    arena_init(&a, 0);
    bool *good = arena_array(&a, c->n_patterns + 1, sizeof *good);
    for (size_t i = 0; i < c->n_patterns; i++) {
        good[i] = usable(&c->patterns[i]);
        for (size_t k = 0; k < TG_COUNT(part_names); k++)
            if (part_of(&c->patterns[i], k)->re)
                good[i] &= check_regex(part_of(&c->patterns[i], k), part_names[k], m);
    }
    check_secrets(c, m);
    if (c->n_patterns && trial_new(c, engine, &a, &t, m)) {
        for (size_t i = 0; i < c->n_patterns; i++) {
            const struct site_pattern *p = &c->patterns[i];
            if (!good[i])
                continue;
            try_samples(&t, p, i * TG_COUNT(part_names), p->match, p->n_match, false, m);
            try_samples(&t, p, i * TG_COUNT(part_names), p->near, p->n_near, true, m);
        }
        matcher_free(t.matcher);
    }
    arena_done(&a);
}

bool site_is_shipped(const struct site_cause *c)
{
    const struct explain_catalog k = catalog_shipped();
    const struct explain_entry *e = catalog_find(&k, c->id);
    size_t n = 0;
    if (!e || c->extends || e->kind != c->kind || e->severity != c->severity || !str_eq(catalog_text(&k, e->title), c->title.en) ||
        !str_eq(catalog_text(&k, e->why), c->why.en) || !str_eq(catalog_text(&k, e->text), c->text.en))
        return false;
    for (size_t i = 0; i < k.n_patterns; i++) {
        if (&k.entries[k.patterns[i].entry] != e)
            continue;
        if (n == c->n_patterns || !str_eq(catalog_text(&k, k.regexes[k.patterns[i].re].re), c->patterns[n].re.re))
            return false;
        n++;
    }
    return n == c->n_patterns;
}
