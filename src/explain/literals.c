/* SPDX-License-Identifier: Apache-2.0 */
/* literals - the automaton of Aho and Corasick with all transitions filled in. */
#include "explain/literals.h"
#include <string.h>

enum { MAX_STATES = LITERALS_STATES, FOUND = 0x8000, NONE = 0xffff, CUT = 12, CUT_LEAST = LITERAL_LEAST };

struct literals {
    uint8_t class_of[256];   /* 0: in no text */
    unsigned shift;          /* a row has 1 << shift transitions */
    uint16_t *next;          /* FOUND: a text ends there */
    uint16_t *first_out;     /* of a state: head of a list of outputs, or NONE */
    uint16_t *suffix_out;    /* the nearest shorter suffix that has outputs, 0: none */
    uint16_t *chain;         /* of an output: the next of the same state */
    size_t cut;              /* the table holds so much of longer texts; the rest is compared */
    const struct texts *texts;
};

static unsigned char lower(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c);
}

bool texts_init(struct arena *a, const char *const *of, size_t n, struct texts *ret)
{
    struct texts t = {.of = of, .n = n, .length = arena_array(a, n + 1, 1), .any_case = arena_array(a, n + 1, sizeof(bool))};
    for (size_t i = 0; i < n; i++) {
        size_t len = 0, capitals = 0;
        for (; of[i][len] && len <= LITERAL_MOST; len++)
            capitals += of[i][len] >= 'A' && of[i][len] <= 'Z';
        if (len < LITERAL_LEAST || len > LITERAL_MOST)
            return false;
        t.length[i] = (uint8_t)len;
        t.any_case[i] = capitals == 0;
    }
    *ret = t;
    return true;
}

bool texts_at(const struct texts *t, uint32_t i, const char *p, size_t room)
{
    const char *want = t->of[i];
    size_t n = t->length[i];
    if (n > room)
        return false;
    if (!t->any_case[i])
        return memcmp(p, want, n) == 0;
    for (size_t k = n & 7; k < n; k += 8) { /* soon tells most of what is not the same */
        uint64_t x, y, fold = 0x2020202020202020u;
        memcpy(&x, p + k, 8);
        memcpy(&y, want + k, 8);
        if ((x | fold) != (y | fold))
            return false;
    }
    for (size_t k = 0; k < n; k++)
        if (lower(p[k]) != (unsigned char)want[k])
            return false;
    return true;
}

static unsigned classes(struct literals *l, const char *const *texts, size_t n)
{
    unsigned count = 1;
    for (size_t i = 0; i < n; i++)
        for (const char *s = texts[i]; *s && s < texts[i] + l->cut; s++)
            if (!l->class_of[lower(*s)])
                l->class_of[lower(*s)] = (uint8_t)count++;
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
        for (const char *s = texts[i]; *s && s < texts[i] + l->cut; s++) {
            uint16_t *t = step(l, state, l->class_of[lower(*s)]);
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

struct literals *literals_new(struct arena *a, const struct texts *t)
{
    const char *const *texts = t->of;
    struct literals *l = ARENA_NEW(a, struct literals);
    size_t states = MAX_STATES + 1, n = t->n;
    l->texts = t;
    for (l->cut = CUT; states > MAX_STATES && l->cut >= CUT_LEAST; l->cut--) {
        states = 1;
        for (size_t i = 0; i < n; i++)
            states += strnlen(texts[i], l->cut);
    }
    if (states > MAX_STATES || n >= NONE)
        return NULL;
    l->cut++;
    for (unsigned c = classes(l, texts, n); 1u << l->shift < c;)
        l->shift++;
    l->next = arena_array(a, states << l->shift, sizeof *l->next);
    l->first_out = arena_array(a, states, sizeof *l->first_out);
    l->suffix_out = arena_array(a, states, sizeof *l->suffix_out);
    l->chain = arena_array(a, n ? n : 1, sizeof *l->chain);
    memset(l->first_out, 0xff, states * sizeof *l->first_out);
    unsigned count = tree(l, texts, n);
    complete(l, count, arena_array(a, states, sizeof(uint16_t)), arena_array(a, states, sizeof(uint16_t)));
    return l;
}

struct found { const char *p; size_t n; literal_fn *fn; void *ctx; };

/* What ends at byte `at`: the texts, or their first `cut` bytes. */
static void outputs(const struct literals *l, unsigned state, size_t at, const struct found *f)
{
    for (; state; state = l->suffix_out[state])
        for (uint16_t o = l->first_out[state]; o != NONE; o = l->chain[o]) {
            size_t from = at + 1 - (l->texts->length[o] < l->cut ? l->texts->length[o] : l->cut);
            if (texts_at(l->texts, o, f->p + from, f->n - from))
                f->fn(f->ctx, o, at);
        }
}

void literals_find(const struct literals *l, const char *p, size_t n, literal_fn *fn, void *ctx)
{
    const struct found f = {p, n, fn, ctx};
    const uint16_t *next = l->next;
    const uint8_t *class_of = l->class_of;
    unsigned state = 0, shift = l->shift;
    for (size_t i = 0; i < n; i++) {
        state = next[((size_t)state << shift) + class_of[(unsigned char)p[i]]];
        if (state & FOUND) {
            state &= ~(unsigned)FOUND;
            outputs(l, state, i, &f);
        }
    }
}
