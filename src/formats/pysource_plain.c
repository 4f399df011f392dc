/* SPDX-License-Identifier: Apache-2.0 */
/* pysource_plain - a Python file that holds values only: loading it cannot go wrong. */
#include <string.h>
#include "formats/pysource_internal.h"

struct plain {
    struct pylex lex;
    struct arena *a;
    struct pysource_modules *out;
    struct str *bound; size_t n_bound; /* modules that the file imports, names that it gives a value */
};

static bool is_bound(const struct plain *p, struct str name)
{
    for (size_t i = 0; i < p->n_bound; i++)
        if (p->bound[i].n == name.n && !memcmp(p->bound[i].p, name.p, name.n))
            return true;
    return false;
}

static bool next(struct plain *p, struct pytok *t)
{
    return pylex_next(&p->lex, t) == PYSOURCE_OK && !p->lex.odd;
}

static bool ends(const struct pytok *t)
{
    return t->kind == PYTOK_NEWLINE || t->kind == PYTOK_END;
}

/* "a" or "a, b" behind import. */
static bool import_line(struct plain *p, struct pytok *t)
{
    do {
        if (!next(p, t) || t->kind != PYTOK_NAME || pytok_is_keyword(t))
            return false;
        *ARENA_PUSH(p->a, p->out->names, p->out->n_names) = t->src;
        *ARENA_PUSH(p->a, p->bound, p->n_bound) = t->src;
        if (!next(p, t))
            return false;
    } while (pytok_is(t, ","));
    return ends(t);
}

static bool is_one_of(const struct pytok *t, const char *signs)
{
    return t->kind == PYTOK_OP && t->src.n == 1 && strchr(signs, *t->src.p);
}

/* Literals in brackets, known names, and attributes and calls of these. */
static bool value(struct plain *p, struct pytok *t)
{
    bool dot = false, any = false;
    struct pytok last = {0};
    for (; next(p, t); any = true) {
        if (ends(t))
            return any && !dot;
        bool value_before = any && !is_one_of(&last, "([{,:."), called = any && last.kind == PYTOK_NAME;
        bool sign = is_one_of(t, ")]},:") || (is_one_of(t, "[{") && !value_before) || (is_one_of(t, "(") && (!value_before || called));
        bool name = t->kind == PYTOK_NAME && (dot || pytok_is(t, "True") || pytok_is(t, "False") || pytok_is(t, "None") || is_bound(p, t->src));
        if (!sign && !name && !pytok_is(t, ".") && t->kind != PYTOK_STRING && t->kind != PYTOK_NUMBER)
            return false;
        dot = pytok_is(t, ".");
        last = *t;
    }
    return false;
}

static bool line(struct plain *p, struct pytok *t)
{
    if (t->kind == PYTOK_STRING)
        return next(p, t) && ends(t);
    if (pytok_is(t, "import"))
        return import_line(p, t);
    if (t->kind != PYTOK_NAME || pytok_is_keyword(t) || p->lex.col)
        return false;
    struct str name = t->src;
    struct pytok eq;
    if (!next(p, &eq) || !pytok_is(&eq, "=") || !value(p, t))
        return false;
    *ARENA_PUSH(p->a, p->bound, p->n_bound) = name;
    return true;
}

bool pysource_is_plain(struct str text, struct arena *a, struct pysource_modules *ret)
{
    struct plain p = {.a = a, .out = ret};
    struct pytok t;
    struct pysource s;
    *ret = (struct pysource_modules){0};
    pysource_read(text, a, &s);
    if (s.fault != PYSOURCE_OK || pylex_begin(&p.lex, text) != PYSOURCE_OK)
        return false;
    while (next(&p, &t)) {
        if (t.kind == PYTOK_END)
            return true;
        if (t.kind != PYTOK_NEWLINE && !line(&p, &t))
            return false;
        if (t.kind == PYTOK_END)
            return true;
    }
    return false;
}
