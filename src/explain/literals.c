/* SPDX-License-Identifier: Apache-2.0 */
/* literals - the automaton of Aho and Corasick with all transitions filled in. */
#include "explain/literals.h"
#include <string.h>

enum { MAX_STATES = 0x7fff, FOUND = 0x8000, NONE = 0xffff };

struct literals {
    uint8_t class_of[256];   /* 0: in no text */
    unsigned shift;          /* a row has 1 << shift transitions */
    uint16_t *next;          /* FOUND: a text ends there */
    uint16_t *first_out;     /* of a state: head of a list of outputs, or NONE */
    uint16_t *suffix_out;    /* the nearest shorter suffix that has outputs, 0: none */
    uint16_t *chain;         /* of an output: the next of the same state */
    const uint32_t *owners;
};

static unsigned classes(struct literals *l, const char *const *texts, size_t n)
{
    unsigned count = 1;
    for (size_t i = 0; i < n; i++)
        for (const char *s = texts[i]; *s; s++)
            if (!l->class_of[(unsigned char)*s])
                l->class_of[(unsigned char)*s] = (uint8_t)count++;
    for (unsigned c = 'A'; c <= 'Z'; c++)
        l->class_of[c] = l->class_of[c + 'a' - 'A'];
    return count;
}

static uint16_t *step(const struct literals *l, unsigned state, unsigned class)
{
    return &l->next[((size_t)state << l->shift) + class];
}

/* The tree of the texts; the number of states. */
static unsigned tree(struct literals *l, const char *const *texts, size_t n)
{
    unsigned count = 1;
    for (size_t i = 0; i < n; i++) {
        unsigned state = 0;
        for (const char *s = texts[i]; *s; s++) {
            uint16_t *t = step(l, state, l->class_of[(unsigned char)*s]);
            if (!*t)
                *t = (uint16_t)count++;
            state = *t;
        }
        l->chain[i] = l->first_out[state];
        l->first_out[state] = (uint16_t)i;
    }
    return count;
}

/* Breadth first: a missing transition is that of the longest suffix. */
static void complete(struct literals *l, unsigned count, uint16_t *queue, uint16_t *suffix)
{
    size_t head = 0, tail = 0;
    unsigned width = 1u << l->shift;
    for (unsigned c = 0; c < width; c++)
        if (*step(l, 0, c))
            queue[tail++] = *step(l, 0, c);
    while (head < tail) {
        unsigned s = queue[head++], f = suffix[s];
        l->suffix_out[s] = l->first_out[f] != NONE ? (uint16_t)f : l->suffix_out[f];
        for (unsigned c = 0; c < width; c++) {
            uint16_t *t = step(l, s, c), fallback = *step(l, f, c);
            if (*t) {
                suffix[*t] = fallback;
                queue[tail++] = *t;
            } else {
                *t = fallback;
            }
        }
    }
    for (size_t i = 0; i < (size_t)count << l->shift; i++)
        if (l->first_out[l->next[i]] != NONE || l->suffix_out[l->next[i]])
            l->next[i] |= FOUND;
}

struct literals *literals_new(struct arena *a, const char *const *texts, const uint32_t *owners, size_t n)
{
    struct literals *l = ARENA_NEW(a, struct literals);
    size_t states = 1;
    for (size_t i = 0; i < n; i++)
        states += strlen(texts[i]);
    if (states > MAX_STATES || n >= NONE)
        return NULL;
    for (unsigned c = classes(l, texts, n); 1u << l->shift < c;)
        l->shift++;
    l->owners = owners;
    l->next = arena_array(a, states << l->shift, sizeof *l->next);
    l->first_out = arena_array(a, states, sizeof *l->first_out);
    l->suffix_out = arena_array(a, states, sizeof *l->suffix_out);
    l->chain = arena_array(a, n ? n : 1, sizeof *l->chain);
    memset(l->first_out, 0xff, states * sizeof *l->first_out);
    unsigned count = tree(l, texts, n);
    complete(l, count, arena_array(a, states, sizeof(uint16_t)), arena_array(a, states, sizeof(uint16_t)));
    return l;
}

static void outputs(const struct literals *l, unsigned state, void (*fn)(void *ctx, uint32_t owner), void *ctx)
{
    for (; state; state = l->suffix_out[state])
        for (uint16_t o = l->first_out[state]; o != NONE; o = l->chain[o])
            fn(ctx, l->owners[o]);
}

void literals_find(const struct literals *l, const char *p, size_t n, void (*fn)(void *ctx, uint32_t owner), void *ctx)
{
    const uint16_t *next = l->next;
    const uint8_t *class_of = l->class_of;
    unsigned state = 0, shift = l->shift;
    for (size_t i = 0; i < n; i++) {
        state = next[((size_t)state << shift) + class_of[(unsigned char)p[i]]];
        if (state & FOUND) {
            state &= ~(unsigned)FOUND;
            outputs(l, state, fn, ctx);
        }
    }
}
