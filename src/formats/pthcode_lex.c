/* SPDX-License-Identifier: Apache-2.0 */
/* pthcode_lex - the tokens of one line of Python. Source: the language reference, "Lexical analysis". */
#include "formats/pthcode_internal.h"
#include <errno.h>
#include <string.h>

enum { DEPTH_MAX = 64 };

static bool is_alpha(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

static int hex_digit(char c)
{
    return is_digit((unsigned char)c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static size_t put_utf8(char *w, uint32_t c)
{
    if (c < 0x80) {
        w[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        w[0] = (char)(0xc0 | c >> 6);
        w[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        w[0] = (char)(0xe0 | c >> 12);
        w[1] = (char)(0x80 | (c >> 6 & 0x3f));
        w[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    w[0] = (char)(0xf0 | c >> 18);
    w[1] = (char)(0x80 | (c >> 12 & 0x3f));
    w[2] = (char)(0x80 | (c >> 6 & 0x3f));
    w[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

/* One escape behind the backslash at p[0]; its length without the backslash, or 0: not to be decoded here. *w grows by at most what was read. */
static size_t unescape(const char *p, size_t n, char **w)
{
    static const char from[] = "abfnrtv\\'\"", to[] = "\a\b\f\n\r\t\v\\'\"";
    const char *at = memchr(from, p[0], sizeof from - 1);
    size_t digits = p[0] == 'x' ? 2 : p[0] == 'u' ? 4 : p[0] == 'U' ? 8 : 0, used = 1;
    uint32_t c = 0;
    if (at) {
        *(*w)++ = to[at - from];
        return 1;
    }
    if (digits) {
        for (; used <= digits; used++) {
            int d = used < n ? hex_digit(p[used]) : -1;
            if (d < 0)
                return 0;
            c = c << 4 | (uint32_t)d;
        }
    } else if (p[0] >= '0' && p[0] <= '7') {
        for (used = 0; used < 3 && used < n && p[used] >= '0' && p[used] <= '7'; used++)
            c = c << 3 | (uint32_t)(p[used] - '0');
    } else if (p[0] == 'N') {
        return 0;
    } else {
        *(*w)++ = '\\'; /* no escape: both characters stand */
        *(*w)++ = p[0];
        return 1;
    }
    if (c == 0 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return 0;
    *w += put_utf8(*w, c);
    return used;
}

static void decode(struct tok *t, struct str in, bool raw, struct arena *a)
{
    char *buf = arena_raw(a, in.n * 2 + 1), *w = buf;
    t->text = in;
    if (memchr(in.p, 0, in.n))
        t->kind = TOK_OPAQUE_STRING;
    for (size_t i = 0; i < in.n && t->kind == TOK_STRING;) {
        if (in.p[i] != '\\' || raw) {
            *w++ = in.p[i++];
            continue;
        }
        size_t used = i + 1 < in.n ? unescape(in.p + i + 1, in.n - i - 1, &w) : 0;
        if (!used)
            t->kind = TOK_OPAQUE_STRING;
        i += used + 1;
    }
    if (t->kind == TOK_STRING)
        t->text = (struct str){buf, (size_t)(w - buf)};
}

/* A string with its prefix at s[i]; index behind it, or 0: it does not close. */
static size_t read_string(struct str s, size_t i, size_t prefix, struct tok *t, struct arena *a)
{
    bool raw = false, odd = false;
    for (size_t k = 0; k < prefix; k++) {
        char c = s.p[i + k];
        raw |= c == 'r' || c == 'R';
        odd |= c == 'b' || c == 'B' || c == 'f' || c == 'F' || c == 't' || c == 'T';
    }
    size_t at = i + prefix, quotes = at + 2 < s.n && s.p[at + 1] == s.p[at] && s.p[at + 2] == s.p[at] ? 3 : 1, end = at + quotes;
    char q = s.p[at];
    for (;; end++) {
        if (end + quotes > s.n)
            return 0;
        if (s.p[end] == '\\')
            end++;
        else if (s.p[end] == q && (quotes == 1 || (s.p[end + 1] == q && s.p[end + 2] == q)))
            break;
    }
    struct str in = {s.p + at + quotes, end - at - quotes};
    t->src = (struct str){s.p + i, end + quotes - i};
    t->kind = odd ? TOK_OPAQUE_STRING : TOK_STRING;
    decode(t, in, raw, a);
    return end + quotes;
}

/* Letters that may stand before a quote, and do: their number; -1: no string begins here. */
static int string_prefix(struct str s, size_t i)
{
    for (int n = 0; i + (size_t)n < s.n && n <= 2; n++) {
        char c = s.p[i + (size_t)n];
        if (c == '\'' || c == '"')
            return n;
        if (!memchr("rRbBuUfFtT", c, 10))
            return -1;
    }
    return -1;
}

static size_t read_word(struct str s, size_t i, struct tok *t)
{
    size_t end = i;
    bool digits = true, number = is_digit((unsigned char)s.p[i]);
    for (; end < s.n && (is_alpha((unsigned char)s.p[end]) || is_digit((unsigned char)s.p[end]) || (number && s.p[end] == '.')); end++)
        digits &= is_digit((unsigned char)s.p[end]);
    t->kind = number ? TOK_NUMBER : TOK_NAME;
    t->src = (struct str){s.p + i, end - i};
    t->number = -1;
    uint64_t v;
    if (number && digits && end - i <= 8 && (s.p[i] != '0' || end - i == 1) && str_to_u64(s.p + i, end - i, 10, &v) == 0)
        t->number = (int32_t)v;
    return end;
}

/* Operators of two characters that must not be read as two of one. */
static size_t operator_len(struct str s, size_t i)
{
    static const char *const two[] = {"+=", "==", "!=", "<=", ">=", ":=", "->", "-=", "*=", "/=", "|=", "&=", "%=", "^=", "@="};
    for (size_t k = 0; k < TG_COUNT(two); k++)
        if (i + 1 < s.n && !memcmp(s.p + i, two[k], 2))
            return 2;
    return 1;
}

int pthcode_lex(struct str s, struct arena *a, struct tok **ret, size_t *ret_n)
{
    struct tok *v = NULL;
    size_t n = 0, depth = 0;
    char stack[DEPTH_MAX];
    for (size_t i = 0; i < s.n && s.p[i] != '#';) {
        char c = s.p[i];
        if (c == ' ' || c == '\t' || c == '\f') {
            i++;
            continue;
        }
        if (n == LEX_MAX)
            return -E2BIG;
        struct tok *t = ARENA_PUSH(a, v, n);
        int prefix = string_prefix(s, i);
        if (prefix >= 0) {
            i = read_string(s, i, (size_t)prefix, t, a);
            if (!i)
                return -EBADMSG;
        } else if (is_alpha((unsigned char)c) || is_digit((unsigned char)c)) {
            i = read_word(s, i, t);
        } else if (memchr("()[]{}.,;:=+-*/%&|^~<>!@", c, 24)) {
            if (c == '(' || c == '[' || c == '{') {
                if (depth == DEPTH_MAX)
                    return -E2BIG;
                stack[depth++] = c == '(' ? ')' : c == '[' ? ']' : '}';
            } else if ((c == ')' || c == ']' || c == '}') && (!depth || stack[--depth] != c)) {
                return -EBADMSG;
            }
            *t = (struct tok){.kind = TOK_OP, .src = {s.p + i, operator_len(s, i)}};
            i += t->src.n;
        } else {
            return -EBADMSG;
        }
    }
    ARENA_PUSH(a, v, n)->kind = TOK_END;
    *ret = v;
    *ret_n = n;
    return depth ? -EBADMSG : 0;
}
