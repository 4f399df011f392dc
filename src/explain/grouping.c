/* SPDX-License-Identifier: Apache-2.0 */
/* grouping - greedy: each text goes where it lets through least more of the sample, then where it adds the fewest nibbles. */
#include "explain/grouping.h"
#include <string.h>

enum { PIECE = GROUPING_PIECE, WORDS = GROUPING_WINDOWS / 64, STEP = 16, PASSES = 4, CASE = 0x20 >> 3 };
typedef uint64_t places[WORDS];     /* a bit for each window of the sample */

/* What a group, or a piece of a text, looks for: nibbles of each byte, and which windows of the sample have one of them there. */
struct group { uint16_t nibbles[2][PIECE]; places in[2][PIECE], through; };
struct piece { uint16_t nibbles[2][PIECE]; const uint64_t *in[2][PIECE]; };
struct grouping {
    unsigned words;                 /* of `places` that are in use */
    places has[2][PIECE][16];       /* windows with that nibble there */
    places letter[PIECE][16];       /* with that upper nibble, or that of the letter in the other case */
    struct group groups[GROUPING_GROUPS];
    uint8_t exact[PIECE][GROUPING_ASCII];
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
    for (unsigned k = 0; k < PIECE; k++)
        for (unsigned v = 0; v < 16; v++)
            for (unsigned i = 0; i < g->words; i++)
                g->letter[k][v][i] = g->has[1][k][v][i] | g->has[1][k][v ^ CASE][i];
    return g;
}

static bool is_letter(unsigned char c, bool any_case)
{
    return any_case && c >= 'a' && c <= 'z';
}

static void want(const struct grouping *g, const char *text, bool any_case, struct piece *x)
{
    for (unsigned k = 0; k < PIECE; k++) {
        unsigned char c = (unsigned char)text[k];
        unsigned low = nibble(0, c), high = nibble(1, c);
        bool both = is_letter(c, any_case);
        x->nibbles[0][k] = (uint16_t)(1u << low);
        x->nibbles[1][k] = (uint16_t)(1u << high | (both ? 1u << (high ^ CASE) : 0u));
        x->in[0][k] = g->has[0][k][low];
        x->in[1][k] = both ? g->letter[k][high] : g->has[1][k][high];
    }
}

/* From word `at` of the sample on: the windows that `x` and `y` together let through. */
static void through(const struct group *x, const struct piece *y, unsigned at, uint64_t ret[STEP])
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

/* What it costs that the group looks for the piece too; `most` or more is not told apart. */
static unsigned cost(const struct grouping *g, const struct group *to, const struct piece *x, unsigned most)
{
    unsigned n = 0;
    uint64_t all[STEP], any;
    for (unsigned part = 0; part < 2; part++)
        for (unsigned k = 0; k < PIECE; k++)
            n += count((unsigned)x->nibbles[part][k] & ~(unsigned)to->nibbles[part][k]);
    for (unsigned at = 0; at < g->words && n < most; at += STEP) {
        through(to, x, at, all);
        any = 0;
        for (unsigned i = 0; i < STEP; i++)
            any |= all[i] &= ~to->through[at + i];
        for (unsigned i = 0; any && i < STEP; i++)
            n += PASSES * count(all[i]);
    }
    return n;
}

static void put(struct grouping *g, unsigned group, const char *text, bool any_case)
{
    struct group *to = &g->groups[group];
    struct piece x;
    want(g, text, any_case, &x);
    for (unsigned at = 0; at < g->words; at += STEP)
        through(to, &x, at, &to->through[at]);
    for (unsigned part = 0; part < 2; part++)
        for (unsigned k = 0; k < PIECE; k++) {
            to->nibbles[part][k] |= x.nibbles[part][k];
            for (unsigned i = 0; i < g->words; i++)
                to->in[part][k][i] |= x.in[part][k][i];
        }
    for (unsigned k = 0; k < PIECE; k++) {
        unsigned char c = (unsigned char)text[k];
        g->exact[k][c % GROUPING_ASCII] |= (uint8_t)(1u << group);
        if (is_letter(c, any_case))
            g->exact[k][c ^ 0x20] |= (uint8_t)(1u << group);
    }
}

bool grouping_add(struct grouping *g, const char *text, size_t n, bool any_case, size_t most, size_t *ret)
{
    size_t best = 0;
    unsigned least = most < GROUPING_WINDOWS ? (unsigned)most * PASSES : UINT32_MAX, to = GROUPING_GROUPS;
    for (size_t at = 0; at + PIECE <= n; at++) {
        struct piece x;
        want(g, text + at, any_case, &x);
        for (unsigned i = 0; i < GROUPING_GROUPS; i++) {
            unsigned c = cost(g, &g->groups[i], &x, least);
            if (c < least) {
                least = c;
                best = at;
                to = i;
            }
        }
    }
    if (to == GROUPING_GROUPS)
        return false;
    put(g, to, text + best, any_case);
    *ret = best;
    return true;
}

void grouping_get(const struct grouping *g, struct grouping_tables *ret)
{
    *ret = (struct grouping_tables){0};
    memcpy(ret->exact, g->exact, sizeof ret->exact);
    for (unsigned i = 0; i < GROUPING_GROUPS; i++)
        for (unsigned k = 0; k < PIECE; k++)
            for (unsigned v = 0; v < 16; v++) {
                ret->low[k][v] |= (uint8_t)((g->groups[i].nibbles[0][k] >> v & 1) << i);
                ret->high[k][v] |= (uint8_t)((g->groups[i].nibbles[1][k] >> v & 1) << i);
            }
}
