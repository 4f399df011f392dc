/* SPDX-License-Identifier: Apache-2.0 */
/* regex - a parser by recursive descent. What differs between PCRE2 and Python's re is refused. */
#include "explain/regex.h"
#include <errno.h>
#include <string.h>
#include "base/i18n.h"
#include "base/util.h"

struct parse { struct arena *a; const char *re, *p; unsigned depth; bool fold; struct err *e; };

static int parse_ways(struct parse *s, bool first, struct regex_seq *ret);

static int refuse(struct parse *s, const char *what)
{
    return err_set(s->e, -EINVAL, _("%s, at byte %zu of the expression"), what, (size_t)(s->p - s->re));
}

static int refuse_alike(struct parse *s, const char *from)
{
    return err_set(s->e, -EINVAL, _("'%.*s' is not one that PCRE2 and Python's re understand alike, at byte %zu of the expression"), (int)strnlen(from, 3), from, (size_t)(from - s->re));
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int hex_of(char c)
{
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* What a backslash means in and outside of classes alike: a character or a category. 1: neither, s->p stands behind the backslash. */
static int parse_escape(struct parse *s, struct regex_item *ret)
{
    static const char names[] = "afnrt", values[] = "\a\f\n\r\t";
    const char *from = s->p - 1;
    char c = *s->p;
    if (!c)
        return refuse(s, _("a backslash at the end"));
    if (strchr("dDwWsS", c)) {
        *ret = (struct regex_item){.category = c};
        s->p++;
        return 0;
    }
    const char *name = strchr(names, c);
    if (name) {
        *ret = (struct regex_item){.lo = (unsigned char)values[name - names], .hi = (unsigned char)values[name - names]};
        s->p++;
        return 0;
    }
    if (c == 'x') {
        if (!s->p[1] || hex_of(s->p[1]) < 0 || hex_of(s->p[2]) < 0)
            return refuse_alike(s, from);
        ret->lo = ret->hi = (unsigned char)(hex_of(s->p[1]) << 4 | hex_of(s->p[2]));
        ret->category = 0;
        s->p += 3;
        return 0;
    }
    if (is_letter(c) || is_digit(c))
        return 1;
    *ret = (struct regex_item){.lo = (unsigned char)c, .hi = (unsigned char)c};
    s->p++;
    return 0;
}

static struct regex_node *push(struct parse *s, struct regex_seq *seq, enum regex_op op)
{
    struct regex_node *x = ARENA_PUSH(s->a, seq->of, seq->n);
    x->op = op;
    return x;
}

static void add_item(struct parse *s, struct regex_node *x, struct regex_item item)
{
    for (size_t i = 0; i < x->n_items; i++)
        if (memcmp(&x->items[i], &item, sizeof item) == 0)
            return;
    *ARENA_PUSH(s->a, x->items, x->n_items) = item;
}

static int class_char(struct parse *s, struct regex_item *ret)
{
    if (*s->p != '\\') {
        *ret = (struct regex_item){.lo = (unsigned char)*s->p, .hi = (unsigned char)*s->p};
        s->p++;
        return 0;
    }
    const char *from = s->p++;
    int r = parse_escape(s, ret);
    if (r != 1)
        return r;
    if (*s->p != 'b')
        return refuse_alike(s, from);
    s->p++;
    *ret = (struct regex_item){.lo = '\b', .hi = '\b'};
    return 0;
}

/* s->p stands behind "[". */
static int parse_class(struct parse *s, struct regex_seq *seq)
{
    struct regex_node x = {.op = REGEX_CLASS};
    bool any = false;
    if (*s->p == '^') {
        x.negated = true;
        s->p++;
    }
    for (; !any || *s->p != ']'; any = true) {
        struct regex_item lo, hi;
        if (!*s->p)
            return refuse(s, _("'[' without ']'"));
        if (*s->p == '[' && s->p[1] && strchr(":.=", s->p[1]))
            return refuse_alike(s, s->p);
        int r = class_char(s, &lo);
        if (r == 0 && *s->p == '-' && s->p[1] && s->p[1] != ']') {
            s->p++;
            r = class_char(s, &hi);
            if (r == 0 && (lo.category || hi.category || hi.lo < lo.lo))
                return refuse(s, _("a range in '[]' that is none"));
            lo.hi = hi.lo;
        }
        if (r < 0)
            return r;
        add_item(s, &x, lo);
    }
    s->p++;
    if (x.n_items == 1 && !x.negated && !x.items[0].category && x.items[0].lo == x.items[0].hi) {
        push(s, seq, REGEX_LITERAL)->c = x.items[0].lo;
        return 0;
    }
    *ARENA_PUSH(s->a, seq->of, seq->n) = x;
    return 0;
}

/* s->p stands behind the backslash. */
static int parse_backslash(struct parse *s, struct regex_seq *seq)
{
    struct regex_item item = {0};
    const char *from = s->p - 1;
    int r = parse_escape(s, &item);
    if (r < 0)
        return r;
    if (r == 0 && !item.category) {
        push(s, seq, REGEX_LITERAL)->c = item.lo;
    } else if (r == 0) {
        add_item(s, push(s, seq, REGEX_CLASS), item);
    } else if (*s->p == 'b' || *s->p == 'B' || *s->p == 'A') {
        push(s, seq, REGEX_AT)->c = (unsigned char)*s->p++;
    } else if (*s->p >= '1' && *s->p <= '9') {
        while (is_digit(*s->p))
            s->p++;
        push(s, seq, REGEX_OTHER);
    } else {
        return refuse_alike(s, from);
    }
    return 0;
}

static uint32_t number(struct parse *s)
{
    uint32_t n = 0;
    for (; is_digit(*s->p); s->p++)
        n = n < REGEX_MANY ? n * 10 + (uint32_t)(*s->p - '0') : n;
    return n < REGEX_MANY ? n : REGEX_MANY - 1;
}

/* Is "{" at s->p[-1] a count? Then it is read. */
static bool parse_count(struct parse *s, uint32_t *least, uint32_t *most)
{
    const char *from = s->p;
    if (is_digit(*s->p)) {
        *least = *most = number(s);
        if (*s->p == ',') {
            s->p++;
            *most = is_digit(*s->p) ? number(s) : REGEX_MANY;
        }
        if (*s->p == '}') {
            s->p++;
            return true;
        }
    }
    s->p = from;
    return false;
}

/* s->p stands behind one of "?*+{". */
static int parse_repeat(struct parse *s, struct regex_seq *seq)
{
    const char *from = s->p - 1;
    uint32_t least = *from == '+', most = *from == '?' ? 1 : REGEX_MANY;
    if (*from == '{' && !parse_count(s, &least, &most)) {
        if (*s->p == ',')
            return refuse_alike(s, from); /* Python: at most so many; PCRE2 before 10.43: these characters */
        push(s, seq, REGEX_LITERAL)->c = '{';
        return 0;
    }
    struct regex_node *last = seq->n ? &seq->of[seq->n - 1] : NULL;
    if (!last || last->op == REGEX_AT || last->op == REGEX_REPEAT || most < least)
        return refuse(s, !last || last->op == REGEX_AT ? _("nothing to repeat") : last->op == REGEX_REPEAT ? _("repeated twice") : _("'{}' counts down"));
    if (*s->p == '?' || *s->p == '+')
        s->p++;
    struct regex_seq *what = arena_array(s->a, 1, sizeof *what);
    if (last->op == REGEX_GROUP && last->plain)
        *what = last->ways[0];
    else
        *push(s, what, REGEX_OTHER) = *last;
    *last = (struct regex_node){.op = REGEX_REPEAT, .least = least, .most = most, .ways = what, .n_ways = 1};
    return 0;
}

static int parse_inside(struct parse *s, struct regex_node *x)
{
    x->ways = arena_array(s->a, 1, sizeof *x->ways);
    x->n_ways = 1;
    if (++s->depth > REGEX_DEPTH)
        return err_set(s->e, -E2BIG, _("more than %d brackets in each other"), REGEX_DEPTH);
    int r = parse_ways(s, false, &x->ways[0]);
    s->depth--;
    if (r == 0 && *s->p != ')')
        return refuse(s, _("'(' without ')'"));
    s->p += r == 0;
    return r;
}

/* s->p stands behind "(?". Flags up to ":" or ")"; `first`: nothing stands before it. */
static int parse_flags(struct parse *s, bool first, struct regex_node *x, bool *ret_global)
{
    const char *from = s->p - 2;
    bool on = true, any = false;
    for (; *s->p && *s->p != ':' && *s->p != ')'; s->p++) {
        if (*s->p == '-' && on)
            on = false;
        else if (*s->p == 'i')
            *(on ? &x->fold_on : &x->fold_off) = true;
        else if (*s->p != 's' && *s->p != 'm')
            return refuse_alike(s, from);
        any = true;
    }
    *ret_global = *s->p == ')';
    if (!*s->p || (*ret_global && (!first || !on || !any)))
        return refuse_alike(s, from);
    x->plain = !any;
    s->p++;
    return 0;
}

/* s->p stands behind "(". */
static int parse_group(struct parse *s, bool first, struct regex_seq *seq)
{
    const char *from = s->p - 1;
    struct regex_node x = {.op = REGEX_GROUP};
    bool global = false;
    if (*s->p == '*')
        return refuse_alike(s, from);
    if (*s->p == '?') {
        s->p++;
        bool behind = s->p[0] == '<' && (s->p[1] == '=' || s->p[1] == '!');
        if (s->p[0] == '#') {
            s->p += strcspn(s->p, ")");
            return *s->p ? s->p++, 0 : refuse(s, _("'(' without ')'"));
        } else if (*s->p == '=' || *s->p == '!' || behind) {
            x.op = REGEX_LOOK;
            s->p += behind ? 2 : 1;
        } else if (*s->p == '<' || (s->p[0] == 'P' && s->p[1] == '<')) {
            s->p += *s->p == 'P' ? 2 : 1;
            size_t n = strcspn(s->p, ">");
            for (size_t i = 0; i < n; i++)
                if (!is_letter(s->p[i]) && s->p[i] != '_' && (i == 0 || !is_digit(s->p[i])))
                    return refuse(s, _("the name of a group has other characters than letters, digits and '_'"));
            if (n == 0 || n > 32 || !s->p[n])
                return refuse_alike(s, from);
            s->p += n + 1;
        } else {
            int r = parse_flags(s, first, &x, &global);
            if (r < 0)
                return r;
        }
    }
    if (global) {
        s->fold |= x.fold_on;
        return 0;
    }
    int r = parse_inside(s, &x);
    if (r == 0)
        *ARENA_PUSH(s->a, seq->of, seq->n) = x;
    return r;
}

/* What groups without a meaning hold stands where they stood. */
static void unpack(struct parse *s, struct regex_seq *seq)
{
    struct regex_seq out = {0};
    for (size_t i = 0; i < seq->n; i++) {
        const struct regex_node *x = &seq->of[i];
        const struct regex_seq one = {&seq->of[i], 1}, *from = x->op == REGEX_GROUP && x->plain ? &x->ways[0] : &one;
        for (size_t k = 0; k < from->n; k++)
            *ARENA_PUSH(s->a, out.of, out.n) = from->of[k];
    }
    *seq = out;
}

static int parse_seq(struct parse *s, bool first, struct regex_seq *ret)
{
    struct regex_seq seq = {0};
    int r = 0;
    while (r == 0 && *s->p && *s->p != '|' && *s->p != ')') {
        char c = *s->p++;
        switch (c) {
        case '\\': r = parse_backslash(s, &seq); break;
        case '[': r = parse_class(s, &seq); break;
        case '?': case '*': case '+': case '{': r = parse_repeat(s, &seq); break;
        case '(': r = parse_group(s, first && seq.n == 0, &seq); break;
        case '.': (void)push(s, &seq, REGEX_ANY); break;
        case '^': case '$': push(s, &seq, REGEX_AT)->c = (unsigned char)c; break;
        default: push(s, &seq, REGEX_LITERAL)->c = (unsigned char)c;
        }
    }
    unpack(s, &seq);
    *ret = seq;
    return r;
}

static bool same(const struct regex_node *a, const struct regex_node *b)
{
    if (a->op != b->op || a->op >= REGEX_LOOK || a->c != b->c || a->negated != b->negated || a->n_items != b->n_items)
        return false;
    return a->n_items == 0 || memcmp(a->items, b->items, a->n_items * sizeof *a->items) == 0;
}

/* Take what all ways begin with out of them. */
static void common(struct parse *s, struct regex_seq *ways, size_t n, struct regex_seq *out)
{
    for (;;) {
        for (size_t i = 0; i < n; i++)
            if (ways[i].n == 0 || !same(&ways[i].of[0], &ways[0].of[0]))
                return;
        *ARENA_PUSH(s->a, out->of, out->n) = ways[0].of[0];
        for (size_t i = 0; i < n; i++) {
            ways[i].of++;
            ways[i].n--;
        }
    }
}

/* Ways of one character each are a class. */
static bool as_class(struct parse *s, const struct regex_seq *ways, size_t n, struct regex_seq *out)
{
    struct regex_node x = {.op = REGEX_CLASS};
    for (size_t i = 0; i < n; i++) {
        const struct regex_node *w = ways[i].of;
        if (ways[i].n != 1 || (w->op != REGEX_LITERAL && (w->op != REGEX_CLASS || w->negated)))
            return false;
        if (w->op == REGEX_LITERAL)
            add_item(s, &x, (struct regex_item){.lo = w->c, .hi = w->c});
        for (size_t k = 0; k < w->n_items; k++)
            add_item(s, &x, w->items[k]);
    }
    *ARENA_PUSH(s->a, out->of, out->n) = x;
    return true;
}

static int parse_ways(struct parse *s, bool first, struct regex_seq *ret)
{
    struct regex_seq *ways = NULL, out = {0};
    size_t n = 0;
    for (;; s->p++) {
        struct regex_seq *one = ARENA_PUSH(s->a, ways, n);
        int r = parse_seq(s, first && n == 1, one);
        if (r < 0)
            return r;
        if (*s->p != '|')
            break;
    }
    if (n == 1) {
        *ret = ways[0];
        return 0;
    }
    common(s, ways, n, &out);
    if (!as_class(s, ways, n, &out)) {
        struct regex_node *x = push(s, &out, REGEX_BRANCH);
        x->ways = ways;
        x->n_ways = n;
    }
    *ret = out;
    return 0;
}

int regex_parse(struct arena *a, const char *re, struct regex *ret, struct err *e)
{
    struct parse s = {.a = a, .re = re, .p = re, .e = e};
    struct regex x = {0};
    if (strnlen(re, REGEX_MAX + 1) > REGEX_MAX)
        return err_set(e, -E2BIG, _("an expression of more than %d bytes"), REGEX_MAX);
    int r = parse_ways(&s, true, &x.seq);
    if (r == 0 && *s.p)
        r = refuse(&s, _("')' without '('"));
    if (r < 0)
        return r;
    x.fold = s.fold;
    *ret = x;
    return 0;
}
