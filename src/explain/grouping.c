/* SPDX-License-Identifier: Apache-2.0 */
/* grouping - greedy: each text goes where it lets through least more of the sample, then where it adds the fewest nibbles. */
#include "explain/grouping.h"
#include <string.h>

enum { PIECE = GROUPING_PIECE, WORDS = GROUPING_WINDOWS / 64, STEP = 16, PASSES = 4 };
typedef uint64_t places[WORDS];     /* a bit for each window of the sample */

/* What a group, or a text, looks for: nibbles of each byte of a piece, and which windows of the sample have one of them there. */
struct wanted { uint16_t nibbles[2][PIECE]; places in[2][PIECE]; };
struct group { struct wanted wants; places through; };
struct grouping {
    unsigned words;                 /* of `places` that are in use */
    places has[2][PIECE][16];       /* windows with that nibble there */
    struct group groups[GROUPING_GROUPS];
    struct wanted text;
};

static unsigned nibble(unsigned part, unsigned char c)
{
    return part ? c >> 3 & 15 : c & 15;
}

struct grouping *grouping_new(struct arena *a, const uint32_t *windows, size_t n)
{
    struct grouping *g = ARENA_NEW(a, struct grouping);
    n = n < GROUPING_WINDOWS ? n : GROUPING_WINDOWS;
    g->words = ((unsigned)n + 64 * STEP - 1) / (64 * STEP) * STEP;
    for (size_t i = 0; i < n; i++) {
        unsigned char c[PIECE];
        memcpy(c, &windows[i], PIECE);
        for (unsigned part = 0; part < 2; part++)
            for (unsigned k = 0; k < PIECE; k++)
                g->has[part][k][nibble(part, c[k])][i / 64] |= (uint64_t)1 << i % 64;
    }
    return g;
}

static void want(struct grouping *g, unsigned k, unsigned char c, bool also)
{
    struct wanted *w = &g->text;
    for (unsigned part = 0; part < 2; part++) {
        const uint64_t *has = g->has[part][k][nibble(part, c)];
        uint64_t *in = w->in[part][k];
        w->nibbles[part][k] = (uint16_t)(1u << nibble(part, c) | (also ? w->nibbles[part][k] : 0u));
        for (unsigned i = 0; i < g->words; i++)
            in[i] = has[i] | (also ? in[i] : 0);
    }
}

static void want_window(struct grouping *g, const char *window, bool any_case)
{
    for (unsigned k = 0; k < PIECE; k++) {
        unsigned char c = (unsigned char)window[k];
        want(g, k, c, false);
        if (any_case && c >= 'a' && c <= 'z')
            want(g, k, c ^ 0x20, true);
    }
}

/* From word `at` of the sample on: the windows that `x` and `y` together let through. */
static void through(const struct wanted *x, const struct wanted *y, unsigned at, uint64_t ret[STEP])
{
    for (unsigned k = 0; k < PIECE; k++)
        for (unsigned i = 0; i < STEP; i++) {
            uint64_t both = (x->in[0][k][at + i] | y->in[0][k][at + i]) & (x->in[1][k][at + i] | y->in[1][k][at + i]);
            ret[i] = k ? ret[i] & both : both;
        }
}

static unsigned count(uint64_t x)
{
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (unsigned)((x * 0x0101010101010101u) >> 56);
}

/* What it costs that the group looks for the text too; `most` or more is not told apart. */
static unsigned cost(const struct grouping *g, const struct group *to, unsigned most)
{
    unsigned n = 0;
    uint64_t all[STEP], any;
    for (unsigned part = 0; part < 2; part++)
        for (unsigned k = 0; k < PIECE; k++)
            n += count((unsigned)g->text.nibbles[part][k] & ~(unsigned)to->wants.nibbles[part][k]);
    for (unsigned at = 0; at < g->words && n < most; at += STEP) {
        through(&to->wants, &g->text, at, all);
        any = 0;
        for (unsigned i = 0; i < STEP; i++)
            any |= all[i] &= ~to->through[at + i];
        for (unsigned i = 0; any && i < STEP; i++)
            n += PASSES * count(all[i]);
    }
    return n;
}

static void put(struct grouping *g, struct group *to)
{
    for (unsigned at = 0; at < g->words; at += STEP)
        through(&to->wants, &g->text, at, &to->through[at]);
    for (unsigned part = 0; part < 2; part++)
        for (unsigned k = 0; k < PIECE; k++) {
            to->wants.nibbles[part][k] |= g->text.nibbles[part][k];
            for (unsigned i = 0; i < g->words; i++)
                to->wants.in[part][k][i] |= g->text.in[part][k][i];
        }
}

bool grouping_add(struct grouping *g, const char *text, size_t n, bool any_case, size_t most, size_t *ret)
{
    size_t best = 0;
    unsigned least = most < GROUPING_WINDOWS ? (unsigned)most * PASSES : UINT32_MAX;
    bool good = false;
    struct group *to = g->groups;
    for (size_t at = 0; at + PIECE <= n; at++) {
        want_window(g, text + at, any_case);
        for (unsigned i = 0; i < GROUPING_GROUPS; i++) {
            unsigned c = cost(g, &g->groups[i], least);
            if (c < least) {
                least = c;
                best = at;
                good = true;
                to = &g->groups[i];
            }
        }
    }
    if (!good)
        return false;
    want_window(g, text + best, any_case);
    put(g, to);
    *ret = best;
    return true;
}

void grouping_get(const struct grouping *g, struct grouping_tables *ret)
{
    *ret = (struct grouping_tables){0};
    for (unsigned i = 0; i < GROUPING_GROUPS; i++)
        for (unsigned k = 0; k < PIECE; k++)
            for (unsigned v = 0; v < 16; v++) {
                ret->low[k][v] |= (uint8_t)((g->groups[i].wants.nibbles[0][k] >> v & 1) << i);
                ret->high[k][v] |= (uint8_t)((g->groups[i].wants.nibbles[1][k] >> v & 1) << i);
            }
}
