/* SPDX-License-Identifier: Apache-2.0 */
/* shellword - one word of shell text: where it ends, and what the shell makes of it. */
#include <string.h>
#include "base/buf.h"
#include "formats/shellrc.h"

static size_t skip_single(const char *s, size_t len, size_t pos)
{
    const char *q = pos < len ? memchr(s + pos, '\'', len - pos) : NULL;
    return q ? (size_t)(q - s) + 1 : len;
}

/* Iterative, with a bounded stack of closers: `"`, `)`, `}`, '`'. With a `closer` the scan ends on it (its index), without one
 * behind the word. Beyond the bound, or unclosed: len. */
static size_t scan(const char *s, size_t len, size_t pos, char closer)
{
    char stack[SHELLRC_MAX_DEPTH];
    size_t depth = 0, base = closer ? 1 : 0;
    if (closer)
        stack[depth++] = closer;
    while (pos < len) {
        char c = s[pos], top = depth ? stack[depth - 1] : '\0';
        bool quoted = top == '"';
        if (depth == 0 && memchr(" \t\r\n;&|()<>", c, 11))
            return pos;
        if (depth && c == top) {
            if (--depth == 0 && base)
                return pos;
            pos++;
        } else if (c == '\\') {
            pos += 2;
        } else if (c == '\'' && !quoted) {
            pos = skip_single(s, len, pos + 1);
        } else if (c == '"' || c == '`' || (c == '$' && pos + 1 < len && (s[pos + 1] == '(' || s[pos + 1] == '{')) ||
                   (c == '(' && top == ')')) {
            if (depth == SHELLRC_MAX_DEPTH)
                return len;
            stack[depth++] = c == '"' || c == '`' ? c : c == '(' ? ')' : s[pos + 1] == '(' ? ')' : '}';
            pos += c == '$' ? 2 : 1;
        } else {
            pos++;
        }
    }
    return len;
}

size_t shell_word_end(const char *s, size_t len, size_t pos)
{
    return scan(s, len, pos, '\0');
}

struct expander {
    struct arena *a;
    const struct shell_vars *vars;
    struct buf out;
    bool complete;
    unsigned depth;
};

static size_t name_length(struct str s, size_t pos)
{
    size_t n = 0;
    while (pos + n < s.n && ((s.p[pos + n] >= 'a' && s.p[pos + n] <= 'z') || (s.p[pos + n] >= 'A' && s.p[pos + n] <= 'Z') ||
                             (s.p[pos + n] >= '0' && s.p[pos + n] <= '9') || s.p[pos + n] == '_'))
        n++;
    return n;
}

static const char *get(struct expander *x, struct str name)
{
    return x->vars->get ? x->vars->get(x->vars->ctx, arena_strndup(x->a, name.p, name.n)) : NULL;
}

static void expand(struct expander *x, struct str s, bool quoted);

/* The inside of ${…}: NAME, NAME:-word, NAME-word, NAME:+word, NAME+word. */
static void parameter(struct expander *x, struct str in)
{
    size_t n = name_length(in, 0);
    struct str rest = {in.p + n, in.n - n};
    const char *v = n ? get(x, (struct str){in.p, n}) : NULL;
    if (n == 0) {
        x->complete = false;
        return;
    }
    if (rest.n == 0) {
        buf_adds(&x->out, v ? v : "");
        return;
    }
    bool colon = *rest.p == ':';
    bool set = v && (!colon || *v);
    char op = rest.n > colon ? rest.p[colon] : '\0';
    struct str w = {rest.p + colon + 1, rest.n > (size_t)colon ? rest.n - colon - 1 : 0};
    if (op == '-' && set)
        buf_adds(&x->out, v);
    else if ((op == '-' && !set) || (op == '+' && set))
        expand(x, w, true);
    else if (op != '+')
        x->complete = false;
}

static void command(struct expander *x, struct str text)
{
    const char *v = x->vars->command ? x->vars->command(x->vars->ctx, x->a, text) : NULL;
    if (v)
        buf_adds(&x->out, v);
    else
        x->complete = false;
}

/* "$…" at pos; ret: position behind it. */
static size_t dollar(struct expander *x, struct str s, size_t pos)
{
    size_t n = name_length(s, pos + 1);
    if (n && !(s.p[pos + 1] >= '0' && s.p[pos + 1] <= '9')) {
        const char *v = get(x, (struct str){s.p + pos + 1, n});
        buf_adds(&x->out, v ? v : "");
        return pos + 1 + n;
    }
    char c = pos + 1 < s.n ? s.p[pos + 1] : '\0';
    if (c == '{' || c == '(') {
        size_t i = scan(s.p, s.n, pos + 2, c == '{' ? '}' : ')');
        struct str in = {s.p + pos + 2, i > pos + 2 ? i - pos - 2 : 0};
        if (i >= s.n)
            x->complete = false;
        else if (c == '{')
            parameter(x, in);
        else
            command(x, in);
        return i < s.n ? i + 1 : s.n;
    }
    if (c >= '0' && c <= '9') {
        x->complete = false;
        return pos + 2;
    }
    buf_addc(&x->out, '$');
    return pos + 1;
}

static size_t quoted_part(struct expander *x, struct str s, size_t pos)
{
    size_t end = scan(s.p, s.n, pos + 1, '"');
    expand(x, (struct str){s.p + pos + 1, end - pos - 1}, true);
    return end + 1;
}

static void expand(struct expander *x, struct str s, bool quoted)
{
    if (++x->depth > SHELLRC_MAX_DEPTH) {
        x->complete = false;
        x->depth--;
        return;
    }
    for (size_t i = 0; i < s.n;) {
        char c = s.p[i];
        bool tilde = c == '~' && !quoted && (i == 0 || s.p[i - 1] == ':') && (i + 1 == s.n || s.p[i + 1] == '/' || s.p[i + 1] == ':');
        if (tilde) {
            const char *home = get(x, (struct str){"HOME", 4});
            buf_adds(&x->out, home ? home : "~");
            i++;
        } else if (c == '\\' && i + 1 < s.n) {
            if (quoted && !memchr("$`\"\\\n", s.p[i + 1], 5))
                buf_addc(&x->out, '\\');
            if (s.p[i + 1] != '\n')
                buf_addc(&x->out, s.p[i + 1]);
            i += 2;
        } else if (c == '\'' && !quoted) {
            size_t end = skip_single(s.p, s.n, i + 1);
            size_t stop = end > i + 1 && s.p[end - 1] == '\'' ? end - 1 : end;
            buf_add(&x->out, s.p + i + 1, stop - i - 1);
            i = end;
        } else if (c == '"') {
            i = quoted ? i + 1 : quoted_part(x, s, i);
        } else if (c == '$') {
            i = dollar(x, s, i);
        } else if (c == '`') {
            const char *end = memchr(s.p + i + 1, '`', s.n - i - 1);
            size_t n = end ? (size_t)(end - s.p) - i - 1 : s.n - i - 1;
            command(x, (struct str){s.p + i + 1, n});
            i += n + 2;
        } else {
            buf_addc(&x->out, c);
            i++;
        }
    }
    x->depth--;
}

const char *shell_expand(struct arena *a, struct str word, const struct shell_vars *vars, bool *complete)
{
    struct expander x = {.a = a, .vars = vars, .complete = true};
    buf_init(&x.out, SHELLRC_MAX_VALUE);
    expand(&x, word, false);
    const char *r = arena_strndup(a, x.out.len ? x.out.p : "", x.out.len);
    *complete = *complete && x.complete && !x.out.full && !memchr(r, '\0', x.out.len);
    buf_done(&x.out);
    return r;
}
