/* SPDX-License-Identifier: Apache-2.0 */
/* buildinfo - a bounded reader of the few Python literals that build_info.py holds. */
#include "formats/buildinfo.h"
#include <errno.h>
#include <string.h>

enum { MAX_DEPTH = 8 };

struct cur { const char *p; size_t n, at; struct arena *a; struct err *e; };

enum value_type { V_OTHER, V_STRING, V_TRUE, V_FALSE, V_NONE, V_LIST };
struct value {
    enum value_type type;
    const char *text;                    /* V_STRING */
    const char **items; size_t n_items;  /* V_LIST: its strings */
};

static int bad(struct cur *c, const char *what)
{
    return err_set(c->e, -EBADMSG, "build_info.py: %s at byte %zu", what, c->at);
}

/* Blanks, line ends, comments. */
static void skip(struct cur *c)
{
    for (; c->at < c->n; c->at++) {
        char ch = c->p[c->at];
        if (ch == '#')
            while (c->at + 1 < c->n && c->p[c->at + 1] != '\n')
                c->at++;
        else if (ch != ' ' && ch != '\t' && ch != '\n' && ch != '\r' && ch != '\\')
            return;
    }
}

static bool take(struct cur *c, char want)
{
    skip(c);
    if (c->at >= c->n || c->p[c->at] != want)
        return false;
    c->at++;
    return true;
}

static bool is_name(char ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '_' || ch == '.' || ch == '+' || ch == '-';
}

static int read_string(struct cur *c, const char **ret)
{
    char quote = c->p[c->at++];
    size_t begin = c->at, len = 0;
    while (c->at < c->n && c->p[c->at] != quote && c->p[c->at] != '\n')
        c->at += c->p[c->at] == '\\' && c->at + 1 < c->n ? 2 : 1;
    if (c->at >= c->n || c->p[c->at] != quote)
        return bad(c, "unterminated string");
    char *s = arena_strndup(c->a, c->p + begin, c->at - begin);
    for (size_t i = 0; i < c->at - begin; i++) {
        bool escape = s[i] == '\\' && i + 1 < c->at - begin;
        i += escape;
        s[len++] = escape && s[i] == 'n' ? '\n' : escape && s[i] == 't' ? '\t' : s[i];
    }
    s[len] = '\0';
    c->at++;
    *ret = s;
    return 0;
}

static int read_value(struct cur *c, unsigned depth, struct value *ret);

static int read_items(struct cur *c, char close, unsigned depth, struct value *ret)
{
    ret->type = V_LIST;
    while (!take(c, close)) {
        struct value v;
        int rc = read_value(c, depth + 1, &v);
        if (rc)
            return rc;
        if (v.type == V_STRING)
            *ARENA_PUSH(c->a, ret->items, ret->n_items) = v.text;
        if (!take(c, ',') && (c->at >= c->n || c->p[c->at] != close))
            return bad(c, "no comma in a list");
    }
    return 0;
}

static int read_value(struct cur *c, unsigned depth, struct value *ret)
{
    *ret = (struct value){0};
    skip(c);
    if (c->at >= c->n || depth > MAX_DEPTH)
        return bad(c, depth > MAX_DEPTH ? "nested too deeply" : "cut short");
    char ch = c->p[c->at];
    if (ch == '\'' || ch == '"') {
        ret->type = V_STRING;
        return read_string(c, &ret->text);
    }
    if (ch == '[' || ch == '(') {
        c->at++;
        return read_items(c, ch == '[' ? ']' : ')', depth, ret);
    }
    size_t begin = c->at;
    while (c->at < c->n && is_name(c->p[c->at]))
        c->at++;
    size_t n = c->at - begin;
    if (!n)
        return bad(c, "not a literal");
    if (n == 4 && memcmp(c->p + begin, "True", 4) == 0)
        ret->type = V_TRUE;
    else if (n == 5 && memcmp(c->p + begin, "False", 5) == 0)
        ret->type = V_FALSE;
    else if (n == 4 && memcmp(c->p + begin, "None", 4) == 0)
        ret->type = V_NONE;
    return 0;
}

static void set_tri(enum tri *t, const struct value *v)
{
    if (v->type == V_TRUE || v->type == V_FALSE)
        *t = v->type == V_TRUE ? TRI_YES : TRI_NO;
}

static void set_text(const char **t, const struct value *v)
{
    if (v->type == V_STRING && *v->text)
        *t = v->text;
}

static void set_field(struct buildinfo *b, const char *key, const struct value *v)
{
    if (str_eq(key, "is_cuda_build"))
        set_tri(&b->is_cuda, v);
    else if (str_eq(key, "is_rocm_build"))
        set_tri(&b->is_rocm, v);
    else if (str_eq(key, "is_tensorrt_build"))
        set_tri(&b->is_tensorrt, v);
    else if (str_eq(key, "cuda_version"))
        set_text(&b->cuda_version, v);
    else if (str_eq(key, "cudnn_version"))
        set_text(&b->cudnn_version, v);
    else if (str_eq(key, "cuda_compute_capabilities") && v->type == V_LIST) {
        b->capabilities = v->items;
        b->n_capabilities = v->n_items;
    }
}

/* ("key", value) pairs of OrderedDict([...]), or key: value of {...}. */
static int read_pairs(struct cur *c, bool braces, struct buildinfo *b)
{
    char close = braces ? '}' : ']';
    while (!take(c, close)) {
        struct value key, v;
        if (!braces && !take(c, '('))
            return bad(c, "no pair");
        int rc = read_value(c, 0, &key);
        if (rc)
            return rc;
        if (key.type != V_STRING || !take(c, braces ? ':' : ','))
            return bad(c, "no key");
        rc = read_value(c, 0, &v);
        if (rc)
            return rc;
        if (!braces && (take(c, ','), !take(c, ')')))
            return bad(c, "pair is not closed");
        set_field(b, key.text, &v);
        if (!take(c, ',') && (c->at >= c->n || c->p[c->at] != close))
            return bad(c, "no comma between pairs");
    }
    return 0;
}

/* Position behind "build_info =" at the beginning of a line. */
static bool find_assignment(struct cur *c)
{
    static const char name[] = "build_info";
    for (size_t pos = 0; pos < c->n;) {
        if (c->n - pos > sizeof name - 1 && memcmp(c->p + pos, name, sizeof name - 1) == 0) {
            c->at = pos + sizeof name - 1;
            if (take(c, '=') && c->at < c->n && c->p[c->at] != '=')
                return true;
        }
        const char *nl = memchr(c->p + pos, '\n', c->n - pos);
        pos = nl ? (size_t)(nl - c->p) + 1 : c->n;
    }
    return false;
}

int buildinfo_parse(const char *text, size_t len, struct arena *a, struct buildinfo *ret, struct err *e)
{
    struct cur c = {.p = text, .n = len, .a = a, .e = e};
    struct buildinfo b = {0};
    int rc;
    if (!find_assignment(&c))
        return bad(&c, "no assignment to build_info");
    if (take(&c, '{')) {
        rc = read_pairs(&c, true, &b);
    } else {
        skip(&c);
        while (c.at < c.n && is_name(c.p[c.at])) /* collections.OrderedDict */
            c.at++;
        if (!take(&c, '('))
            return bad(&c, "no dictionary");
        if (take(&c, ')')) {
            *ret = b;
            return 0;
        }
        bool braces = take(&c, '{');
        if (!braces && !take(&c, '['))
            return bad(&c, "no dictionary");
        rc = read_pairs(&c, braces, &b);
        if (!rc && !take(&c, ')'))
            rc = bad(&c, "dictionary is not closed");
    }
    if (!rc)
        *ret = b;
    return rc;
}
