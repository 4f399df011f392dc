/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"
#include <errno.h>
#include "explain/literals.h"
#include "explain/match.h"
#include "explain/sieve.h"

static struct arena a;
/* -- both engines of literals ------------------------------------------------------------------------------------------- */
struct find {
    const char *name;
    void *(*new)(struct arena *a, const struct texts *t);
    void (*find)(const void *x, const char *p, size_t n, literal_fn *fn, void *ctx);
};

static void *new_literals(struct arena *x, const struct texts *t) { return literals_new(x, t); }
static void *new_sieve(struct arena *x, const struct texts *t) { return sieve_new(x, t, NULL, false); }
static void *new_narrow(struct arena *x, const struct texts *t) { return sieve_new(x, t, NULL, true); }
static struct sieve_sample sample;
static void *new_learned(struct arena *x, const struct texts *t)
{
    static const char log[] = "ushers no such file or directory abcdefghi library 'lib ab AB ba BA a b";
    for (int i = 0; i < 20; i++)
        sieve_learn(&sample, log, sizeof log - 1, 1);
    return sieve_new(x, t, &sample, false);
}
static void find_literals(const void *x, const char *p, size_t n, literal_fn *fn, void *ctx) { literals_find(x, p, n, fn, ctx); }
static void find_sieve(const void *x, const char *p, size_t n, literal_fn *fn, void *ctx) { sieve_find(x, p, n, fn, ctx); }

static const struct find finds[] = {{"table", new_literals, find_literals}, {"sieve", new_sieve, find_sieve}, {"sieve without AVX-512", new_narrow, find_sieve},
                                    {"sieve that learned", new_learned, find_sieve}};

enum { TEXTS_MAX = 64 };
static struct { const char *p; size_t n; bool on[TEXTS_MAX][1024]; size_t last_row; bool disorder; } seen; /* text, row */

static void hit(void *ctx, uint32_t text, size_t at)
{
    (void)ctx;
    size_t row = 0;
    for (size_t i = 0; i < at; i++)
        row += seen.p[i] == '\n';
    seen.disorder |= row < seen.last_row;
    seen.last_row = row;
    seen.on[text][row] = true;
}

/* Is each text found in just the lines that hold it? */
static bool finds_right(const struct find *f, const void *x, const struct texts *t, size_t n_texts, const char *p, size_t n)
{
    bool good = true;
    memset(&seen, 0, sizeof seen);
    seen.p = p;
    seen.n = n;
    f->find(x, p, n, hit, NULL);
    size_t row = 0, from = 0;
    for (size_t i = 0; good && i <= n; i++) {
        if (i < n && p[i] != '\n')
            continue;
        for (uint32_t k = 0; k < n_texts; k++) {
            bool there = false;
            for (size_t j = from; j < i; j++)
                there |= texts_at(t, k, p + j, i - j);
            good &= there == seen.on[k][row];
        }
        from = i + 1;
        row++;
    }
    return good && !seen.disorder;
}

static bool right(const struct find *f, const char *const *texts, size_t n_texts, const char *p, size_t n)
{
    struct texts t;
    struct arena own;
    arena_init(&own, 0);
    void *x = texts_init(&own, texts, n_texts, &t) ? f->new(&own, &t) : NULL;
    bool good = x && finds_right(f, x, &t, n_texts, p, n);
    arena_done(&own);
    return good;
}

static void test_literals(const struct find *f)
{
    static const char *const texts[] = {"hers", "sher", "this", "Exact", "no such file or directory", "such file", "abcdefgh", "bcdefghi", "library 'lib", "library 'lib", "\xff\x80z\xe9", "gr\xc3\xb6\xc3\x9fzer als"};
    static const char *const lines[] = {"ushers", "uSHErs", "THIS and that", "exact", "Exact", "EXACT", "No such file or directory", "nosuch file", "xabcdefghi", "library 'liblibrary 'lib", "", "thi", "s", "\xff\x80z\xe9", "\x7f\x80z\xe9", "\xff\x80Z\xe9", "gr\xc3\xb6\xc3\x9fzer als"};
    char big[600];
    struct arena own;
    struct texts t;
    for (size_t i = 0; i < TG_COUNT(lines); i++)
        ok(right(f, texts, TG_COUNT(texts), lines[i], strlen(lines[i])), "%s: %s", f->name, lines[i]);
    arena_init(&own, 0);
    void *x = texts_init(&own, texts, TG_COUNT(texts), &t) ? f->new(&own, &t) : NULL;
    bool good = ok(x != NULL, "%s: made once for all places", f->name);
    for (size_t i = 0; x && i < TG_COUNT(texts); i++)   /* on each place of a block, at its end too, cut by a newline, and between lines */
        for (size_t at = 0; at < 200; at++)
            for (size_t behind = 0; behind < 80; behind += 7) {
                size_t len = strlen(texts[i]), n = at + len + behind;
                memset(big, "x\n"[at % 3 == 1], sizeof big);
                memcpy(big + at, texts[i], len);
                good &= finds_right(f, x, &t, TG_COUNT(texts), big, n);
                big[at + at % len] = '\n';
                good &= finds_right(f, x, &t, TG_COUNT(texts), big, n);
            }
    arena_done(&own);
    ok(good, "%s: a text on each place", f->name);
    uint32_t random = 1;
    for (size_t round = 0; round < 600; round++) { /* texts and lines of few letters, so that they meet */
        static char made[TEXTS_MAX][16];
        const char *list[TEXTS_MAX];
        for (size_t i = 0; i < TEXTS_MAX; i++) {
            size_t len = LITERAL_LEAST + (random = random * 1664525 + 1013904223) / 65536 % 10;
            for (size_t k = 0; k < len; k++)
                made[i][k] = "abA "[(random = random * 1664525 + 1013904223) >> 30];
            made[i][len] = 0;
            list[i] = made[i];
        }
        for (size_t i = 0; i < sizeof big; i++)
            big[i] = "abAB \n"[(random = random * 1664525 + 1013904223) / 65536 % 6];
        good &= right(f, list, TEXTS_MAX, big, random % sizeof big);
    }
    ok(good, "%s: made texts in made lines", f->name);
    ok(right(f, NULL, 0, "x", 1), "%s: no texts", f->name);
    arena_init(&own, 0);
    const char *wrong[] = {"abc"};
    ok(!texts_init(&own, wrong, 1, &t), "a text is too short");
    memset(big, 'a', sizeof big);
    big[LITERAL_MOST + 1] = 0;
    wrong[0] = big;
    ok(!texts_init(&own, wrong, 1, &t), "a text is too long");
    enum { MANY = 70000 };
    const char **many = arena_array(&own, MANY, sizeof *many);
    for (size_t i = 0; i < MANY; i++)
        many[i] = arena_printf(&own, "%zu-%zu-text", i, i);
    ok(texts_init(&own, many, MANY, &t) && !f->new(&own, &t), "%s: too many texts", f->name);
    arena_done(&own);
}

static struct match last;
static unsigned n_matches;
static char value[64];

static void matched(void *ctx, uint32_t rule, const struct match *m)
{
    (void)ctx;
    (void)rule;
    last = *m;
    n_matches++;
    value[0] = '\0';
    for (size_t i = 0; i < m->n_groups; i++)
        snprintf(value + strlen(value), sizeof value - strlen(value), "%s=%.*s;", m->groups[i].name, (int)m->groups[i].value.n, m->groups[i].value.p);
}

static unsigned line(struct matcher *m, const char *s, size_t after)
{
    n_matches = 0;
    matcher_search(m, s, strlen(s), after, matched, NULL, NULL);
    return n_matches;
}

static void test_match(const char *engine)
{
    static const char *const so[] = {"library '"}, *const evil[] = {"evil: "};
    static const struct match_rule rules[] = {{"dynamic library '(?<soname>lib\\w+)(?:\\.so\\.(?<n>\\d+))?'", so, 1, false}, {"evil: (a+)+$", evil, 1, false}};
    struct matcher *m;
    struct err e = {0};
    ok(matcher_new(rules, 2, 1, engine, &m, &e) == 0, "two rules");
    ok(line(m, "no literal", 0) == 0 && line(m, "library 'x'", 0) == 0, "no match without literal, nor with it alone");
    ok(line(m, "dynamic library 'libx.so.9' dynamic library 'liby'", 0) == 1, "one match a line");
    ok_str(value, "n=9;soname=libx;", "its groups");
    ok(line(m, "dynamic library 'libx.so.9' dynamic library 'liby'", 30) == 1, "the first one behind a byte");
    ok_str(value, "soname=liby;", "a group that took no part is not there");
    ok(line(m, "dynamic library 'libx.so.9'", 30) == 0, "none behind it");
    ok(line(m, "evil: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", 0) == 0, "an expression that runs wild is stopped");
    for (int i = 0; i < 200; i++)
        line(m, "dynamic library 'libz.so.1'", 0);
    ok(line(m, "dynamic library 'libz.so.1'", 0) == 1 && strcmp(value, "n=1;soname=libz;") == 0, "compiled to machine code: the same answer");
    matcher_free(m);
    static const struct match_rule wrong = {"evil: (", evil, 1, false};
    ok(matcher_new(&wrong, 1, 1, engine, &m, &e) == -EINVAL && e.msg[0], "a wrong expression is named: %s", e.msg);
    ok(matcher_new(&wrong, 1, 0, engine, &m, &e) == 0 && line(m, "evil: (", 0) == 0, "or never matches");
    matcher_free(m);
}

static struct { size_t n; uint32_t rule[32]; size_t row[32]; char text[1024]; } rows;

static void on_row(void *ctx, uint32_t rule, const struct match *m)
{
    (void)ctx;
    if (rows.n < TG_COUNT(rows.rule)) {
        rows.rule[rows.n] = rule;
        rows.row[rows.n] = m->row;
    }
    rows.n++;
    snprintf(rows.text + strlen(rows.text), sizeof rows.text - strlen(rows.text), "%u@%zu:%.*s|", rule, m->row, (int)m->line.n, m->line.p);
}

static const char *block(struct matcher *m, const char *s)
{
    memset(&rows, 0, sizeof rows);
    matcher_search(m, s, strlen(s), 0, on_row, NULL, NULL);
    return rows.text;
}

static void test_block(const char *engine)
{
    static const char *const first[] = {"first "}, *const second[] = {"Second", "2nd one"}, *const third[] = {"third"};
    static const struct match_rule rules[] = {{"first \\d", first, 1, false}, {"Second|2nd one", second, 2, false}, {"^third$", third, 1, true}};
    struct matcher *m;
    struct err e = {0};
    ok(matcher_new(rules, 3, 1, engine, &m, &e) == 0, "three rules");
    ok_str(block(m, "first 1\nnothing\nxfirst 2\r\n\n2nd one"), "0@0:first 1|0@2:xfirst 2|1@4:2nd one|", "rows and lines of a block");
    ok_str(block(m, "Second Second\nsecond\n\nfirst x"), "1@0:Second Second|", "a rule once a line; capitals count");
    ok_str(block(m, "third\r\nthird"), "2@0:third|", "a rule that is wanted once");
    for (int i = 0; i < 2000; i++)
        block(m, "third, not alone");
    ok_str(block(m, "third\nfirst 3"), "0@1:first 3|", "and never again, the others go on");
    matcher_reset(m);
    ok_str(block(m, "third\nfirst 3"), "2@0:third|0@1:first 3|", "until another log begins");
    matcher_free(m);
    ok(matcher_new(rules, 3, 1, "quick", &m, &e) == -EINVAL && e.msg[0], "an engine that is not there: %s", e.msg);
    static const char *const bad[] = {"abc"};
    static const struct match_rule wrong = {"abc", bad, 1, false};
    ok(matcher_new(&wrong, 1, 1, engine, &m, &e) == -EINVAL, "a literal that is too short: %s", e.msg);
}

int main(void)
{
    arena_init(&a, 0);
    for (size_t i = 0; i < TG_COUNT(finds); i++)
        if (i == 0 || sieve_usable())
            test_literals(&finds[i]);
    for (int i = 0; i < 2; i++) {
        test_match(i ? "fast" : "portable");
        test_block(i ? "fast" : "portable");
    }
    arena_done(&a);
    return tap_done();
}
