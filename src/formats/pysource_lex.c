/* SPDX-License-Identifier: Apache-2.0 */
/* pysource_lex - the tokens of a file of Python. Source: the language reference, "Lexical analysis". */
#include <string.h>
#include "formats/pysource_internal.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool pylex_is_word(unsigned char c)
{
    return is_digit((char)c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}

bool pytok_is(const struct pytok *t, const char *s)
{
    return (t->kind == PYTOK_NAME || t->kind == PYTOK_OP) && t->src.p[0] == s[0] && t->src.n == strlen(s) && !memcmp(t->src.p, s, t->src.n);
}

static bool is_one_of(const struct pytok *t, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (pytok_is(t, words[i]))
            return true;
    return false;
}
#define ONE_OF(t, ...) is_one_of(t, (const char *const[]){__VA_ARGS__}, TG_COUNT(((const char *const[]){__VA_ARGS__})))

bool pytok_is_soft(const struct pytok *t)
{
    return ONE_OF(t, "match", "case", "type", "lazy");
}

bool pytok_is_keyword(const struct pytok *t)
{
    return ONE_OF(t, "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except", "finally", "for",
                  "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with",
                  "yield");
}

bool pytok_only_between(const struct pytok *t)
{
    return ONE_OF(t, "<<", ">>", "<", ">", "==", "!=", "<=", ">=", "//", "%", "|", "&", "^", "=", "+=", "-=", "*=", "/=", "//=", "%=", "|=", "&=", "^=",
                  "<<=", ">>=", "**=", "@=", ":=");
}

static bool is_operand_end(const struct pytok *t)
{
    return (t->kind == PYTOK_NAME && !pytok_is_keyword(t)) || t->kind == PYTOK_NUMBER || t->kind == PYTOK_STRING || ONE_OF(t, ")", "]", "}");
}

static bool is_operand_start(const struct pytok *t)
{
    return (t->kind == PYTOK_NAME && !pytok_is_keyword(t)) || t->kind == PYTOK_NUMBER || t->kind == PYTOK_STRING;
}

/* A number is told from a word beside it ("1if x else 2") by none who reads pairs only. */
bool pytok_cannot_follow(const struct pytok *a, const struct pytok *b)
{
    if (pytok_only_between(a) && pytok_only_between(b))
        return true;
    return is_operand_end(a) && is_operand_start(b) && !(a->kind == PYTOK_STRING && b->kind == PYTOK_STRING);
}

struct str pytok_plain_text(const struct pytok *t)
{
    size_t from = 0, n = t->src.n;
    while (from < n && t->src.p[from] != '\'' && t->src.p[from] != '"')
        from++;
    size_t q = n - from >= 6 && t->src.p[from + 1] == t->src.p[from] && t->src.p[from + 2] == t->src.p[from] ? 3 : 1;
    return n - from >= 2 * q ? (struct str){t->src.p + from + q, n - from - 2 * q} : (struct str){t->src.p, 0};
}

/* -- the file as a whole ------------------------------------------------------------------------------------------------------------------- */

static struct str first_line(struct str s)
{
    const char *nl = s.n ? memchr(s.p, '\n', s.n) : NULL;
    return (struct str){s.p, nl ? (size_t)(nl - s.p) : s.n};
}

/* PEP 263: a comment in the first two lines with "coding:" or "coding=". What is declared counts as something else than UTF-8. */
static bool declares_encoding(struct str s)
{
    for (unsigned i = 0; i < 2; i++) {
        struct str l = first_line(s);
        const char *hash = l.n ? memchr(l.p, '#', l.n) : NULL;
        if (hash && memmem(hash, l.n - (size_t)(hash - l.p), "coding", 6))
            return true;
        if (l.n == s.n)
            break;
        s.p += l.n + 1;
        s.n -= l.n + 1;
    }
    return false;
}

/* Bytes of the UTF-8 character at p, or 0. Source: RFC 3629. */
static size_t utf8_len(const unsigned char *p, size_t n)
{
    size_t len = p[0] < 0x80 ? 1 : p[0] >= 0xc2 && p[0] < 0xe0 ? 2 : p[0] >= 0xe0 && p[0] < 0xf0 ? 3 : p[0] >= 0xf0 && p[0] < 0xf5 ? 4 : 0;
    if (!len || len > n)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] >= 0xa0) || (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] >= 0x90))
        return 0;
    return len;
}

enum pysource_fault pylex_begin(struct pylex *l, struct str text)
{
    bool bom = text.n >= 3 && !memcmp(text.p, "\xef\xbb\xbf", 3), other = declares_encoding(text);
    *l = (struct pylex){.text = text, .at = bom ? 3 : 0, .line = 1, .fresh = true, .any_bytes = other};
    const char *nul = text.n ? memchr(text.p, 0, text.n) : NULL;
    for (const char *p = text.p; nul && p < nul; p++)
        l->line += *p == '\n';
    return nul ? PYSOURCE_NUL : PYSOURCE_OK;
}

/* Comments may have any bytes in older Pythons; names and strings may not. */
static enum pysource_fault check_bytes(const struct pylex *l, struct str s)
{
    for (size_t i = 0, len; !l->any_bytes && i < s.n; i += len)
        if (!(len = utf8_len((const unsigned char *)s.p + i, s.n - i)))
            return PYSOURCE_ENCODING;
    return PYSOURCE_OK;
}

/* -- tokens -------------------------------------------------------------------------------------------------------------------------------- */

static char at(const struct pylex *l, size_t i)
{
    return i < l->text.n ? l->text.p[i] : '\0';
}

/* Length of the end of a line at i: \n, \r\n, \r; 0: none. */
static size_t newline(const struct pylex *l, size_t i)
{
    return at(l, i) == '\n' ? 1 : at(l, i) != '\r' ? 0 : at(l, i + 1) == '\n' ? 2 : 1;
}

/* Letters that may stand before a quote, and do: their number; -1: no string begins here. */
static int string_prefix(const struct pylex *l, bool *ret_fields)
{
    *ret_fields = false;
    for (int n = 0; n <= 2; n++) {
        char c = at(l, l->at + (size_t)n);
        if (c == '\'' || c == '"')
            return n;
        if (!c || !strchr("rRbBuUfFtT", c))
            return -1;
        *ret_fields |= c == 'f' || c == 'F' || c == 't' || c == 'T';
    }
    return -1;
}

/* A string up to its closing quotes. Newer Pythons allow any quotes and newlines within the braces of an f-string; where its braces are not paired when
 * it seems to end, it is one of these, or faulty in the older ones. */
static enum pysource_fault read_string(struct pylex *l, size_t prefix, bool fields, struct pytok *t)
{
    size_t i = l->at + prefix, begin = l->at;
    char q = at(l, i);
    size_t quotes = at(l, i + 1) == q && at(l, i + 2) == q ? 3 : 1;
    uint32_t line = l->line;
    long braces = 0;
    for (i += quotes;; i++) {
        char c = at(l, i);
        size_t nl = newline(l, i);
        bool ends = c == q && (quotes == 1 || (at(l, i + 1) == q && at(l, i + 2) == q));
        if (i >= l->text.n || (nl && quotes == 1) || ends) {
            l->odd |= fields && braces;
            if (ends)
                break;
            l->line = line;
            return PYSOURCE_STRING;
        }
        if (c == '\\') {
            i++;
            nl = newline(l, i);
        }
        if (nl) {
            l->line++;
            i += nl - 1;
        }
        braces += c == '{' ? 1 : c == '}' ? -1 : 0;
    }
    l->at = i + quotes;
    *t = (struct pytok){.kind = PYTOK_STRING, .src = {l->text.p + begin, l->at - begin}};
    return check_bytes(l, t->src);
}

/* 0x1F, 1e-5, 1_000.5j; in "1.5e3.real", "1if x else 2" and "1or 2" the number ends before the word. */
static void read_number(struct pylex *l, struct pytok *t)
{
    size_t begin = l->at;
    char kind = at(l, begin) == '0' ? (char)(at(l, begin + 1) | 32) : '\0';
    bool plain = !kind || !strchr("xob", kind), point = false, exponent = false;
    l->at += plain ? 0 : 2;
    for (;; l->at++) {
        char c = at(l, l->at), low = (char)(c | 32), next = at(l, l->at + 1);
        bool power = plain && !exponent && low == 'e' && (is_digit(next) || ((next == '+' || next == '-') && is_digit(at(l, l->at + 2))));
        if (power)
            exponent = true, l->at += is_digit(next) ? 0 : 1;
        else if (plain && c == '.' && !point && !exponent)
            point = true;
        else if (!is_digit(c) && c != '_' && !(kind == 'x' && low >= 'a' && low <= 'f'))
            break;
    }
    l->at += plain && (at(l, l->at) | 32) == 'j' ? 1 : 0;
    *t = (struct pytok){.kind = PYTOK_NUMBER, .src = {l->text.p + begin, l->at - begin}};
}

static size_t operator_len(const struct pylex *l)
{
    static const char *const longer[] = {"...", "**=", "//=", "<<=", ">>=", "->", ":=", "==", "!=", "<=", ">=", "<<", ">>", "**", "//", "+=", "-=", "*=",
                                         "/=", "%=", "&=", "|=", "^=", "@=", "<>"};
    for (size_t k = 0; k < TG_COUNT(longer); k++) {
        size_t n = strlen(longer[k]);
        if (l->at + n <= l->text.n && !memcmp(l->text.p + l->at, longer[k], n))
            return n;
    }
    return 1;
}

static enum pysource_fault brackets(struct pylex *l, char c)
{
    if (c == '(' || c == '[' || c == '{') {
        if (l->depth == PYLEX_DEPTH_MAX)
            l->odd = true;
        else
            l->open[l->depth].closer = c == '(' ? ')' : c == '[' ? ']' : '}', l->open[l->depth++].line = l->line;
    } else if (c == ')' || c == ']' || c == '}') {
        if (!l->depth || l->open[l->depth - 1].closer != c)
            return PYSOURCE_BRACKET;
        l->depth--;
    }
    return PYSOURCE_OK;
}

static enum pysource_fault read_operator(struct pylex *l, struct pytok *t)
{
    char c = at(l, l->at);
    size_t n = operator_len(l);
    if (!strchr("()[]{}.,;:=+-*/%&|^~<>@!", c) || (c == '!' && n == 1))
        return PYSOURCE_CHARACTER;
    *t = (struct pytok){.kind = PYTOK_OP, .src = {l->text.p + l->at, n}};
    l->at += n;
    return brackets(l, c);
}

/* Blanks at the beginning of a logical line. */
static void measure(struct pylex *l)
{
    for (l->col = l->alt = 0;; l->at++) {
        char c = at(l, l->at);
        if (c == ' ')
            l->col++, l->alt++;
        else if (c == '\t')
            l->col = (l->col / 8 + 1) * 8, l->alt++;
        else if (c == '\f')
            l->col = l->alt = 0;
        else
            break;
    }
    l->fresh = false;
}

/* Blanks, comments, joined lines. true: at the end of a physical line outside of brackets. */
static bool skip(struct pylex *l)
{
    for (;;) {
        char c = at(l, l->at);
        size_t nl = newline(l, l->at);
        if (l->fresh && !l->depth)
            measure(l), c = at(l, l->at), nl = newline(l, l->at);
        if (c == '#') {
            while (l->at < l->text.n && !newline(l, l->at))
                l->at++;
        } else if (c == ' ' || c == '\t' || c == '\f') {
            l->at++;
        } else if (c == '\\' && newline(l, l->at + 1)) {
            l->at += 1 + newline(l, l->at + 1);
            l->line++;
        } else if (nl && (l->depth || !l->said)) {
            l->at += nl;
            l->line++;
            l->fresh = !l->depth;
        } else {
            return nl != 0;
        }
    }
}

enum pysource_fault pylex_next(struct pylex *l, struct pytok *ret)
{
    bool fields;
    if (skip(l)) {
        l->at += newline(l, l->at);
        l->line++;
        l->fresh = true;
        l->said = false;
        *ret = (struct pytok){.kind = PYTOK_NEWLINE};
        return PYSOURCE_OK;
    }
    if (l->at >= l->text.n) {
        *ret = (struct pytok){.kind = PYTOK_END};
        if (!l->depth)
            return PYSOURCE_OK;
        l->line = l->open[l->depth - 1].line;
        return PYSOURCE_BRACKET;
    }
    l->said = true;
    char c = at(l, l->at);
    int prefix = string_prefix(l, &fields);
    if (prefix >= 0)
        return read_string(l, (size_t)prefix, fields, ret);
    if (is_digit(c) || (c == '.' && is_digit(at(l, l->at + 1)))) {
        read_number(l, ret);
        return PYSOURCE_OK;
    }
    if (!pylex_is_word((unsigned char)c))
        return read_operator(l, ret);
    size_t begin = l->at;
    while (l->at < l->text.n && pylex_is_word((unsigned char)l->text.p[l->at]))
        l->at++;
    *ret = (struct pytok){.kind = PYTOK_NAME, .src = {l->text.p + begin, l->at - begin}};
    return check_bytes(l, ret->src);
}
