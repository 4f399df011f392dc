/* SPDX-License-Identifier: Apache-2.0 */
/* pep508 - one requirement of a Python distribution, and its marker. */
#include "formats/pep508.h"
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include "formats/metadata.h"
#include "formats/pep440.h"

struct cur { const char *start, *p, *end; };

static void skip_blanks(struct cur *c)
{
    while (c->p < c->end && (*c->p == ' ' || *c->p == '\t'))
        c->p++;
}

static bool is_name_char(char ch)
{
    return (ch >= '0' && ch <= '9') || ((ch | 0x20) >= 'a' && (ch | 0x20) <= 'z') || ch == '-' || ch == '_' || ch == '.';
}

static bool is_name_end(char ch)
{
    return is_name_char(ch) && ch != '-' && ch != '_' && ch != '.';
}

/* Letters, digits and inner separators. */
static struct str take_name(struct cur *c)
{
    skip_blanks(c);
    const char *s = c->p, *e = s;
    if (s < c->end && is_name_end(*s))
        while (e < c->end && is_name_char(*e))
            e++;
    while (e > s && !is_name_end(e[-1]))
        e--;
    c->p = e;
    return (struct str){s, (size_t)(e - s)};
}

static bool take_char(struct cur *c, char ch)
{
    skip_blanks(c);
    if (c->p == c->end || *c->p != ch)
        return false;
    c->p++;
    return true;
}

static int bad(const struct cur *c, const char *want, struct err *e)
{
    return err_set(e, -EBADMSG, "requirement: %s expected at offset %zu", want, (size_t)(c->p - c->start));
}

static int take_extras(struct cur *c, struct arena *a, struct pep508 *q, struct err *e)
{
    if (!take_char(c, '[') || take_char(c, ']'))
        return 0;
    do {
        struct str x = take_name(c);
        if (!x.n)
            return bad(c, "an extra's name", e);
        if (q->n_extras == PEP508_MAX_EXTRAS)
            return err_set(e, -E2BIG, "requirement: more than %d extras", PEP508_MAX_EXTRAS);
        const char **grown = arena_grow(a, (void *)q->extras, q->n_extras, sizeof *q->extras);
        grown[q->n_extras++] = metadata_normal_name(a, x.p, x.n);
        q->extras = grown;
    } while (take_char(c, ','));
    return take_char(c, ']') ? 0 : bad(c, "\"]\"", e);
}

/* Specifiers, in parentheses or not, up to ";" or the end. */
static int take_spec(struct cur *c, struct arena *a, struct pep508 *q, struct err *e)
{
    bool paren = take_char(c, '(');
    skip_blanks(c);
    const char *s = c->p;
    while (c->p < c->end && *c->p != ';' && *c->p != (paren ? ')' : ';'))
        c->p++;
    struct str spec = str_trim((struct str){s, (size_t)(c->p - s)});
    if (spec.n && !memchr("<>=!~", *spec.p, 5)) {
        c->p = spec.p;
        return bad(c, "a version specifier", e);
    }
    q->spec = arena_strndup(a, spec.p, spec.n);
    return !paren || take_char(c, ')') ? 0 : bad(c, "\")\"", e);
}

int pep508_parse(const char *s, size_t n, struct arena *a, struct pep508 *ret, struct err *e)
{
    struct cur c = {s, s, s + n};
    struct pep508 q = {.spec = ""};
    if (memchr(s, 0, n))
        return err_set(e, -EBADMSG, "requirement: NUL byte at offset %zu", (size_t)((const char *)memchr(s, 0, n) - s));
    struct str name = take_name(&c);
    if (!name.n)
        return bad(&c, "a name", e);
    q.name = metadata_normal_name(a, name.p, name.n);
    int r = take_extras(&c, a, &q, e);
    if (r < 0)
        return r;
    if (take_char(&c, '@')) { /* a URL ends at a blank; ";" may be part of it */
        skip_blanks(&c);
        const char *u = c.p;
        while (c.p < c.end && *c.p != ' ' && *c.p != '\t')
            c.p++;
        if (c.p == u)
            return bad(&c, "an address", e);
        q.url = arena_strndup(a, u, (size_t)(c.p - u));
    } else if ((r = take_spec(&c, a, &q, e)) < 0) {
        return r;
    }
    if (take_char(&c, ';')) {
        struct str m = str_trim((struct str){c.p, (size_t)(c.end - c.p)});
        q.marker = m.n ? arena_strndup(a, m.p, m.n) : NULL;
        c.p = c.end;
    }
    skip_blanks(&c);
    if (c.p != c.end)
        return bad(&c, "\";\" or the end", e);
    *ret = q;
    return 0;
}

/* ---- markers ---- */

struct value { struct str text; bool known, is_extra; };
struct marker { struct cur c; const struct pep508_env *env; struct str extra; unsigned depth; bool broken; };

static bool word_is(struct str s, const char *w)
{
    return s.n == strlen(w) && !memcmp(s.p, w, s.n);
}

static struct value variable(const struct marker *m, struct str name)
{
    const struct pep508_env *v = m->env;
    const struct { const char *name, *value; } vars[] = {
        {"python_version", v->python_version}, {"python_full_version", v->python_full_version}, {"os_name", v->os_name},
        {"sys_platform", v->sys_platform}, {"platform_system", v->platform_system}, {"platform_machine", v->platform_machine},
        {"platform_release", v->platform_release}, {"platform_version", v->platform_version},
        {"implementation_name", v->implementation_name}, {"implementation_version", v->implementation_version},
        {"platform_python_implementation", v->platform_python_implementation},
        /* spellings of old tools, still accepted */
        {"os.name", v->os_name}, {"sys.platform", v->sys_platform}, {"platform.machine", v->platform_machine},
        {"platform.version", v->platform_version}, {"platform.python_implementation", v->platform_python_implementation},
        {"python_implementation", v->platform_python_implementation},
    };
    if (word_is(name, "extra"))
        return (struct value){m->extra, true, true};
    for (size_t i = 0; i < TG_COUNT(vars); i++)
        if (word_is(name, vars[i].name))
            return (struct value){{vars[i].value, vars[i].value ? strlen(vars[i].value) : 0}, vars[i].value != NULL, false};
    return (struct value){{NULL, 0}, false, false};
}

static struct str take_word(struct cur *c)
{
    skip_blanks(c);
    const char *s = c->p;
    while (c->p < c->end && (is_name_char(*c->p)))
        c->p++;
    return (struct str){s, (size_t)(c->p - s)};
}

static struct value take_value(struct marker *m)
{
    struct cur *c = &m->c;
    skip_blanks(c);
    char q = c->p < c->end ? *c->p : 0;
    if (q == '\'' || q == '"') {
        const char *s = ++c->p, *e = memchr(s, q, (size_t)(c->end - s));
        m->broken |= !e;
        c->p = e ? e + 1 : c->end;
        return (struct value){{s, (size_t)((e ? e : c->end) - s)}, true, false};
    }
    struct str w = take_word(c);
    m->broken |= !w.n;
    return variable(m, w);
}

/* "<=", "in", "not in" … into `op`, blanks squeezed. false when there is none. */
static bool take_op(struct cur *c, char op[8])
{
    skip_blanks(c);
    size_t n = 0;
    while (c->p < c->end && memchr("<>=!~", *c->p, 5) && n < 3)
        op[n++] = *c->p++;
    op[n] = 0;
    if (n)
        return true;
    struct str w = take_word(c);
    if (word_is(w, "in"))
        return memcpy(op, "in", 3), true;
    return word_is(w, "not") && (w = take_word(c), word_is(w, "in")) && (memcpy(op, "not in", 7), true);
}

static bool contains(struct str hay, struct str needle)
{
    return !needle.n || (hay.n && memmem(hay.p, hay.n, needle.p, needle.n));
}

static enum tri yes(bool b)
{
    return b ? TRI_YES : TRI_NO;
}

static enum tri compare_text(struct str a, const char *op, struct str b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int r = n ? memcmp(a.p, b.p, n) : 0;
    if (!r)
        r = (a.n > b.n) - (a.n < b.n);
    if (str_eq(op, "==") || str_eq(op, "==="))
        return yes(r == 0);
    if (str_eq(op, "!="))
        return yes(r != 0);
    if (str_eq(op, "<") || str_eq(op, ">"))
        return yes(*op == '<' ? r < 0 : r > 0);
    if (str_eq(op, "<=") || str_eq(op, ">="))
        return yes(*op == '<' ? r <= 0 : r >= 0);
    return TRI_UNKNOWN;
}

/* Names of extras are compared in their normal form, without an arena: character by character. */
static bool same_extra(struct str a, struct str b)
{
    size_t i = 0, j = 0;
    while (i < a.n && j < b.n) {
        bool sep_a = memchr("-_.", a.p[i], 3), sep_b = memchr("-_.", b.p[j], 3);
        if (sep_a != sep_b || (!sep_a && (a.p[i] | 0x20) != (b.p[j] | 0x20)))
            return false;
        for (i++; sep_a && i < a.n && memchr("-_.", a.p[i], 3);)
            i++;
        for (j++; sep_b && j < b.n && memchr("-_.", b.p[j], 3);)
            j++;
    }
    return i == a.n && j == b.n;
}

static enum tri compare(struct value l, const char *op, struct value r)
{
    if (!l.known || !r.known)
        return TRI_UNKNOWN;
    if (str_eq(op, "in") || str_eq(op, "not in"))
        return yes(contains(r.text, l.text) == (*op == 'i'));
    if ((l.is_extra || r.is_extra) && (str_eq(op, "==") || str_eq(op, "!=")))
        return yes(same_extra(l.text, r.text) == (*op == '='));
    char spec[128];
    size_t n = strlen(op);
    struct pep440 v;
    if (r.text.n && r.text.n < sizeof spec - n && !pep440_parse(l.text.p, l.text.n, &v)) {
        memcpy(spec, op, n);
        memcpy(spec + n, r.text.p, r.text.n);
        enum tri t = memchr(r.text.p, ',', r.text.n) ? TRI_UNKNOWN : pep440_match(l.text, (struct str){spec, n + r.text.n});
        if (t != TRI_UNKNOWN)
            return t;
    }
    return compare_text(l.text, op, r.text);
}

static enum tri marker_or(struct marker *m);

static enum tri marker_atom(struct marker *m)
{
    char op[8];
    if (take_char(&m->c, '(')) {
        if (++m->depth > PEP508_MAX_DEPTH) {
            m->broken = true;
            return TRI_UNKNOWN;
        }
        enum tri t = marker_or(m);
        m->depth--;
        m->broken |= !take_char(&m->c, ')');
        return t;
    }
    struct value l = take_value(m);
    if (m->broken || !take_op(&m->c, op)) {
        m->broken = true;
        return TRI_UNKNOWN;
    }
    struct value r = take_value(m);
    return compare(l, op, r);
}

static bool take_keyword(struct cur *c, const char *w)
{
    struct cur save = *c;
    if (word_is(take_word(c), w))
        return true;
    *c = save;
    return false;
}

static enum tri marker_and(struct marker *m)
{
    enum tri t = marker_atom(m);
    while (!m->broken && take_keyword(&m->c, "and")) {
        enum tri u = marker_atom(m);
        t = t == TRI_NO || u == TRI_NO ? TRI_NO : t == TRI_YES ? u : TRI_UNKNOWN;
    }
    return t;
}

static enum tri marker_or(struct marker *m)
{
    enum tri t = marker_and(m);
    while (!m->broken && take_keyword(&m->c, "or")) {
        enum tri u = marker_and(m);
        t = t == TRI_YES || u == TRI_YES ? TRI_YES : t == TRI_NO ? u : TRI_UNKNOWN;
    }
    return t;
}

enum tri pep508_marker(const char *marker, size_t n, const struct pep508_env *env, const char *extra)
{
    struct marker m = {{marker, marker, marker + n}, env, {extra ? extra : "", extra ? strlen(extra) : 0}, 0, false};
    enum tri t = marker_or(&m);
    skip_blanks(&m.c);
    return m.broken || m.c.p != m.c.end ? TRI_UNKNOWN : t;
}
