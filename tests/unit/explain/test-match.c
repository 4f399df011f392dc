/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"
#include <errno.h>
#include "explain/literals.h"
#include "explain/match.h"

static struct arena a;
static unsigned hits[8];

static void hit(void *ctx, uint32_t owner)
{
    (void)ctx;
    hits[owner]++;
}

static void test_literals(void)
{
    static const char *const texts[] = {"he", "she", "his", "hers", "he"};
    static const uint32_t owners[] = {0, 1, 2, 3, 4};
    struct literals *l = literals_new(&a, texts, owners, 5);
    literals_find(l, "uSHErs", 6, hit, NULL);
    ok(hits[0] == 1 && hits[1] == 1 && hits[2] == 0 && hits[3] == 1 && hits[4] == 1, "overlapping texts, any case, one text twice");
    literals_find(literals_new(&a, NULL, NULL, 0), "x", 1, hit, NULL);
    ok(1, "no texts");
    enum { MANY = 40 };
    const char *big[MANY];
    uint32_t owner[MANY] = {0};
    for (size_t i = 0; i < MANY; i++) {
        char *t = arena_alloc(&a, 1001);
        memset(t, 'a' + (int)i % 26, 1000);
        big[i] = t;
    }
    ok(!literals_new(&a, big, owner, MANY), "too many states");
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
    matcher_line(m, s, strlen(s), after, matched, NULL);
    return n_matches;
}

static void test_match(void)
{
    static const char *const so[] = {"library '"}, *const evil[] = {"evil: "};
    static const struct match_rule rules[] = {{"dynamic library '(?<soname>lib\\w+)(?:\\.so\\.(?<n>\\d+))?'", so, 1}, {"evil: (a+)+$", evil, 1}};
    struct matcher *m;
    struct err e = {0};
    ok(matcher_new(rules, 2, 1, &m, &e) == 0, "two rules");
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
    static const struct match_rule wrong = {"evil: (", evil, 1};
    ok(matcher_new(&wrong, 1, 1, &m, &e) == -EINVAL && e.msg[0], "a wrong expression is named: %s", e.msg);
    ok(matcher_new(&wrong, 1, 0, &m, &e) == 0 && line(m, "evil: (", 0) == 0, "or never matches");
    matcher_free(m);
}

int main(void)
{
    arena_init(&a, 0);
    test_literals();
    test_match();
    arena_done(&a);
    return tap_done();
}
