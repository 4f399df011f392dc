/* SPDX-License-Identifier: Apache-2.0 */
/* required - walks the tree of an expression and keeps the set of texts that tells most. */
#include "explain/required.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/i18n.h"
#include "base/util.h"
#include "explain/regex.h"

enum { SET_MAX = 40, CLASS_MAX = 12, ENOUGH = 12, KEPT = 20, WORK = 4 << 20 }; /* strings of a set; characters of a class that is written out; bytes that tell enough */
enum { BOTH = 0x80 };   /* a letter, small, that matches in both cases */

struct set { struct str *of; size_t n; };
/* `run`: all that the characters just before can be; sets that are closed are `sets`. exact: nothing else than `run` was seen. */
struct reader { struct walk *w; struct set run, *sets; size_t n_sets; bool exact; };
struct walk { struct arena *a; size_t work; };

static const struct str empty = {"", 0};

static bool equal(struct str a, struct str b)
{
    return a.n == b.n && memcmp(a.p, b.p, a.n) == 0;
}

static void set_add(struct walk *w, struct set *s, struct str x)
{
    for (size_t i = 0; i < s->n; i++)
        if (equal(s->of[i], x))
            return;
    w->work += x.n + 1;
    *ARENA_PUSH(w->a, s->of, s->n) = x;
}

static struct set set_of(struct walk *w, struct str x)
{
    struct set s = {0};
    set_add(w, &s, x);
    return s;
}

static size_t shortest(const struct set *s)
{
    size_t least = s->n ? s->of[0].n : 0;
    for (size_t i = 1; i < s->n; i++)
        least = s->of[i].n < least ? s->of[i].n : least;
    return least;
}

static unsigned char folded(unsigned char c, bool fold)
{
    bool capital = c >= 'A' && c <= 'Z';
    return fold && (capital || (c >= 'a' && c <= 'z')) ? (unsigned char)(BOTH | (capital ? c + 'a' - 'A' : c)) : c;
}

/* The characters of a class when they are few, printable and ASCII. */
static bool class_chars(struct walk *w, const struct regex_node *x, bool fold, struct set *ret)
{
    struct set out = {0};
    if (x->negated)
        return false;
    for (size_t i = 0; i < x->n_items; i++) {
        struct regex_item t = x->items[i];
        if (t.category == 'd')
            t = (struct regex_item){.lo = '0', .hi = '9'};
        if (t.category || t.lo < ' ' || t.hi >= 0x80 || t.hi - t.lo >= CLASS_MAX)
            return false;
        for (unsigned c = t.lo; c <= t.hi; c++) {
            char one = (char)folded((unsigned char)c, fold);
            set_add(w, &out, (struct str){arena_strndup(w->a, &one, 1), 1});
        }
    }
    *ret = out;
    return out.n && out.n <= CLASS_MAX;
}

/* -- of several sets the best ------------------------------------------------------------------------------------------------ */
/* Rough shares of characters in logs, to the power of 0.7, as characters of words foretell each other; who is not named is rare. */
static double weight(unsigned char c)
{
    static const struct { const char *of; double weight; } weights[] = {
        {"etaoinsr", 0.13954229946218907},      /* .06 */
        {"hlducmfpgy", 0.07560630363330548},    /* .025 */
        {"0123456789", 0.12282280261157906},    /* .05 */
        {" ", 0.22668713426244502},             /* .12 */
        {".", 0.08589836120408871},             /* .03 */
        {":/-_=", 0.06467270065773575}};         /* .02 */
    for (size_t i = 0; c && i < TG_COUNT(weights); i++)
        if (strchr(weights[i].of, c))
            return weights[i].weight;
    return 0.034053596900831394; /* .008 */
}

/* How often the text is expected to be in a log, for comparing. */
static double often(struct str s)
{
    double p = 1;
    for (size_t i = 0; i < s.n; i++)
        p *= weight((unsigned char)s.p[i]);
    return p;
}

static bool contains(struct str a, struct str b)
{
    return b.n <= a.n && memmem(a.p, a.n, b.p, b.n);
}

static struct str small(struct walk *w, struct str s)
{
    char *p = arena_strndup(w->a, s.p, s.n);
    for (size_t i = 0; i < s.n; i++)
        if (p[i] >= 'A' && p[i] <= 'Z')
            p[i] = (char)(p[i] + 'a' - 'A');
    return (struct str){p, s.n};
}

/* A string without capitals stands for those that differ in case; one that contains another is not needed. */
static struct set tidy(struct walk *w, const struct set *all)
{
    struct set s = {0}, out = {0};
    for (size_t i = 0; i < all->n; i++) {
        struct str low = small(w, all->of[i]);
        bool covered = false;
        for (size_t k = 0; k < all->n && !equal(low, all->of[i]); k++)
            covered |= equal(low, all->of[k]);
        if (!covered)
            set_add(w, &s, all->of[i]);
    }
    if (s.n > SET_MAX)
        return s;
    for (size_t i = 0; i < s.n; i++) {
        bool needless = false;
        for (size_t k = 0; k < s.n; k++)
            needless |= k != i && contains(s.of[i], s.of[k]);
        if (!needless)
            set_add(w, &out, s.of[i]);
    }
    return out;
}

/* n 0: none has a text in each string. */
static struct set best(const struct reader *r)
{
    struct set found = {0};
    size_t found_len = 0;
    double found_often = 0;
    for (size_t i = 0; i <= r->n_sets; i++) {
        struct set s = tidy(r->w, i < r->n_sets ? &r->sets[i] : &r->run);
        size_t len = shortest(&s);
        double sum = 0;
        for (size_t k = 0; k < s.n; k++)
            sum += often(s.of[k]);
        if (len == 0)
            continue;
        len = len < REQUIRED_LEAST ? len : REQUIRED_LEAST;
        if (found.n && (len < found_len || (len == found_len && sum >= found_often)))
            continue;
        found = s;
        found_len = len;
        found_often = sum;
    }
    return found;
}

/* -- the walk ---------------------------------------------------------------------------------------------------------------- */
static struct reader reader_new(struct walk *w, const struct set *run)
{
    return (struct reader){.w = w, .run = run ? *run : set_of(w, empty), .exact = true};
}

static void keep(struct reader *r, struct set s)
{
    *ARENA_PUSH(r->w->a, r->sets, r->n_sets) = s;
}

static void close_run(struct reader *r, const struct set *run)
{
    keep(r, r->run);
    r->run = run ? *run : set_of(r->w, empty);
    r->exact = false;
}

static void add(struct reader *r, const struct set *strings)
{
    struct walk *w = r->w;
    struct set out = {0};
    if (r->run.n * strings->n > SET_MAX || (strings->n > 1 && shortest(&r->run) >= ENOUGH))
        close_run(r, NULL);
    for (size_t i = 0; i < r->run.n; i++)
        for (size_t k = 0; k < strings->n; k++) {
            struct str a = r->run.of[i], b = strings->of[k];
            char *p = arena_raw(w->a, a.n + b.n + 1);
            memcpy(p, a.p, a.n);
            memcpy(p + a.n, b.p, b.n);
            set_add(w, &out, (struct str){p, a.n + b.n});
        }
    r->run = out;
}

static void sequence(struct reader *r, const struct regex_seq *seq, bool fold);

static void branch(struct reader *r, const struct regex_node *x, bool fold)
{
    struct set strings = {0}, all = {0};
    bool exact = true, every = true;
    for (size_t i = 0; i < x->n_ways; i++) {
        struct reader one = reader_new(r->w, NULL);
        sequence(&one, &x->ways[i], fold);
        exact &= one.exact;
        for (size_t k = 0; k < one.run.n; k++)
            set_add(r->w, &strings, one.run.of[k]);
    }
    if (exact && strings.n <= SET_MAX) {
        add(r, &strings);
        return;
    }
    struct set before = r->run.n * x->n_ways <= SET_MAX ? r->run : set_of(r->w, empty);
    close_run(r, NULL);
    for (size_t i = 0; i < x->n_ways; i++) {
        struct reader one = reader_new(r->w, &before);
        sequence(&one, &x->ways[i], fold);
        struct set s = best(&one);
        every &= s.n > 0;
        for (size_t k = 0; k < s.n; k++)
            set_add(r->w, &all, s.of[k]);
    }
    if (every)
        keep(r, all);
}

static void repeat(struct reader *r, const struct regex_node *x, bool fold)
{
    enum { TIMES = 8 };
    struct reader what = reader_new(r->w, NULL);
    sequence(&what, &x->ways[0], fold);
    if (!what.exact) {
        close_run(r, NULL);
        struct set s = best(&what);
        if (x->least && s.n)
            keep(r, s);
    } else if (x->least == 0 && x->most == 1) {
        struct set s = {0};
        for (size_t i = 0; i < what.run.n; i++)
            set_add(r->w, &s, what.run.of[i]);
        set_add(r->w, &s, empty);
        add(r, &s);
    } else if (x->least == 0) {
        close_run(r, NULL);
    } else {
        for (uint32_t i = 0; i < x->least && i < TIMES; i++)
            add(r, &what.run);
        if (x->most != x->least || x->least > TIMES)
            close_run(r, &what.run);
    }
}

static void node(struct reader *r, const struct regex_node *x, bool fold)
{
    struct set s = {0};
    switch (x->op) {
    case REGEX_LITERAL:
        if (x->c < ' ' || x->c >= 0x7f) {
            close_run(r, NULL);
        } else {
            char c = (char)folded(x->c, fold);
            s = set_of(r->w, (struct str){arena_strndup(r->w->a, &c, 1), 1});
            add(r, &s);
        }
        break;
    case REGEX_CLASS:
        if (class_chars(r->w, x, fold, &s))
            add(r, &s);
        else
            close_run(r, NULL);
        break;
    case REGEX_GROUP: sequence(r, &x->ways[0], (fold || x->fold_on) && !x->fold_off); break;
    case REGEX_BRANCH: branch(r, x, fold); break;
    case REGEX_REPEAT: repeat(r, x, fold); break;
    case REGEX_AT: case REGEX_LOOK: break;
    case REGEX_ANY: case REGEX_OTHER: close_run(r, NULL); break;
    }
}

static void sequence(struct reader *r, const struct regex_seq *seq, bool fold)
{
    for (size_t i = 0; i < seq->n && ++r->w->work < WORK; i++)
        node(r, &seq->of[i], fold);
}

/* -- what is kept ------------------------------------------------------------------------------------------------------------ */
/* The rarest part of a text that is not too long. */
static struct str window(struct str s)
{
    struct str found = {s.p, s.n < KEPT ? s.n : KEPT};
    for (size_t i = 1; i + KEPT <= s.n; i++) {
        struct str x = {s.p + i, KEPT};
        if (often(x) < often(found))
            found = x;
    }
    return found;
}

/* Letters of both cases become small; then the whole literal is matched in any case. */
static struct str plain(struct walk *w, struct str s)
{
    bool any_case = false;
    char *p = arena_strndup(w->a, s.p, s.n);
    for (size_t i = 0; i < s.n; i++) {
        any_case |= (unsigned char)p[i] >= BOTH;
        p[i] = (char)((unsigned char)p[i] & ~(unsigned)BOTH);
    }
    return any_case ? small(w, (struct str){p, s.n}) : (struct str){p, s.n};
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int find(struct walk *w, struct arena *a, const struct regex *x, size_t least, const char *const **ret, size_t *ret_n, struct err *e)
{
    struct reader r = reader_new(w, NULL);
    struct set parts = {0};
    sequence(&r, &x->seq, x->fold);
    struct set s = best(&r);
    if (w->work >= WORK)
        return err_set(e, -E2BIG, _("the expression has too many ways to be followed"));
    if (shortest(&s) < least)
        return err_set(e, -ENODATA, _("not every match contains a fixed text of at least %zu bytes"), least);
    for (size_t i = 0; i < s.n; i++)
        set_add(w, &parts, plain(w, window(s.of[i])));
    s = tidy(w, &parts);
    const char **out = arena_array(a, s.n, sizeof *out);
    for (size_t i = 0; i < s.n; i++)
        out[i] = arena_strndup(a, s.of[i].p, s.of[i].n);
    qsort(out, s.n, sizeof *out, by_text);
    *ret = out;
    *ret_n = s.n;
    return 0;
}

int required_literals(struct arena *a, const char *re, size_t least, const char *const **ret, size_t *ret_n, struct err *e)
{
    struct arena scratch;
    struct regex x;
    arena_init(&scratch, 0);
    struct walk w = {.a = &scratch};
    int r = regex_parse(&scratch, re, &x, e);
    if (r == 0)
        r = find(&w, a, &x, least, ret, ret_n, e);
    arena_done(&scratch);
    return r;
}
