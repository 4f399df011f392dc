/* SPDX-License-Identifier: Apache-2.0 */
/* jsonflow - JSON as a stream of events. */
#include "formats/jsonflow.h"
#include <errno.h>
#include <string.h>

enum state { S_VALUE, S_FIRST, S_KEY, S_COLON, S_NEXT, S_STRING, S_ESCAPE, S_HEX, S_SCALAR, S_DONE }; /* S_FIRST: just behind [ or { */
static const uint32_t replacement = 0xfffd;

void jsonflow_init(struct jsonflow *j, jsonflow_fn *fn, void *ctx)
{
    *j = (struct jsonflow){.fn = fn, .ctx = ctx, .state = S_VALUE};
}

static bool in_object(const struct jsonflow *j)
{
    return j->depth && (j->is_object[(j->depth - 1) / 8] >> (j->depth - 1) % 8 & 1);
}

static void value_ends(struct jsonflow *j)
{
    j->state = j->depth ? S_NEXT : S_DONE;
}

static bool open_it(struct jsonflow *j, bool object)
{
    if (j->depth == JSONFLOW_DEPTH)
        return false;
    unsigned char bit = (unsigned char)(1u << j->depth % 8), *at = &j->is_object[j->depth / 8];
    *at = (unsigned char)(object ? *at | bit : *at & ~bit);
    j->depth++;
    j->fn(j->ctx, object ? JSONFLOW_OBJECT : JSONFLOW_ARRAY, NULL, 0);
    j->state = S_FIRST;
    return true;
}

static bool close_it(struct jsonflow *j, char c)
{
    bool object = in_object(j);
    if (!j->depth || object != (c == '}'))
        return false;
    j->depth--;
    j->fn(j->ctx, object ? JSONFLOW_OBJECT_END : JSONFLOW_ARRAY_END, NULL, 0);
    value_ends(j);
    return true;
}

static void keep(struct jsonflow *j, const char *p, size_t n)
{
    size_t room = sizeof j->word - j->n_word, take = n < room ? n : room;
    memcpy(j->word + j->n_word, p, take);
    j->n_word += take;
}

static void text(struct jsonflow *j, const char *p, size_t n)
{
    if (j->is_key)
        keep(j, p, n);
    else if (n)
        j->fn(j->ctx, JSONFLOW_TEXT, p, n);
}

static void code_point(struct jsonflow *j, uint32_t c)
{
    char u[4];
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n; i-- > 1; c >>= 6)
        u[i] = (char)(0x80 | (c & 0x3f));
    u[0] = (char)(lead[n] | c);
    text(j, u, n);
}

/* A first half that no second one follows. */
static void lone_half(struct jsonflow *j)
{
    if (j->high)
        code_point(j, replacement);
    j->high = 0;
}

static void unicode(struct jsonflow *j, uint32_t c)
{
    if (j->high && c >= 0xdc00 && c < 0xe000) {
        uint32_t high = j->high;
        j->high = 0;
        code_point(j, 0x10000 + ((high - 0xd800) << 10) + (c - 0xdc00));
        return;
    }
    lone_half(j);
    if (c >= 0xd800 && c < 0xdc00)
        j->high = c;
    else
        code_point(j, c >= 0xdc00 && c < 0xe000 ? replacement : c);
}

static bool escape(struct jsonflow *j, char c)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *at = c ? strchr(from, c) : NULL;
    if (c == 'u') {
        j->state = S_HEX;
        j->hex = j->n_hex = 0;
        return true;
    }
    if (!at)
        return false;
    lone_half(j);
    text(j, &to[at - from], 1);
    j->state = S_STRING;
    return true;
}

static bool hex(struct jsonflow *j, char c)
{
    uint32_t v = c >= '0' && c <= '9' ? (uint32_t)(c - '0') : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10) : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10) : 16;
    if (v > 15)
        return false;
    j->hex = j->hex << 4 | v;
    if (++j->n_hex == 4) {
        unicode(j, j->hex);
        j->state = S_STRING;
    }
    return true;
}

static void string_ends(struct jsonflow *j)
{
    lone_half(j);
    if (j->is_key) {
        j->fn(j->ctx, JSONFLOW_KEY_IS, j->word, j->n_word);
        j->state = S_COLON;
        return;
    }
    j->fn(j->ctx, JSONFLOW_STRING_END, NULL, 0);
    value_ends(j);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool begin(struct jsonflow *j, char c, bool key)
{
    j->n_word = 0;
    j->is_key = key;
    if (c == '"') {
        j->state = S_STRING;
        return true;
    }
    if (key)
        return false;
    if (c == '{' || c == '[')
        return open_it(j, c == '{');
    if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-')) /* NaN and Infinity, which Python writes */
        return false;
    keep(j, &c, 1);
    j->state = S_SCALAR;
    return true;
}

/* A byte that is not inside a string or a scalar. */
static bool between(struct jsonflow *j, char c)
{
    if (is_blank(c))
        return true;
    switch ((enum state)j->state) {
    case S_VALUE: return begin(j, c, false);
    case S_KEY: return begin(j, c, true);
    case S_FIRST: return c == ']' || c == '}' ? close_it(j, c) : begin(j, c, in_object(j));
    case S_COLON:
        j->state = S_VALUE;
        return c == ':';
    case S_NEXT:
        if (c != ',')
            return close_it(j, c);
        j->state = in_object(j) ? S_KEY : S_VALUE;
        return true;
    case S_STRING: case S_ESCAPE: case S_HEX: case S_SCALAR: case S_DONE: break;
    }
    return false;
}

/* A run of plain characters of a string; gives how many. */
static size_t plain(struct jsonflow *j, const char *p, size_t n)
{
    size_t i = 0;
    while (i < n && p[i] != '"' && p[i] != '\\')
        i++;
    if (i) {
        lone_half(j);
        text(j, p, i);
    }
    return i;
}

static bool in_scalar(struct jsonflow *j, char c)
{
    if (is_blank(c) || c == ',' || c == ']' || c == '}') {
        j->fn(j->ctx, JSONFLOW_SCALAR, j->word, j->n_word);
        value_ends(j);
        return j->state == S_DONE ? is_blank(c) : between(j, c);
    }
    keep(j, &c, 1);
    return c > ' ' && c != '"' && c != ':' && c != '{' && c != '[';
}

static bool one(struct jsonflow *j, char c)
{
    switch ((enum state)j->state) {
    case S_STRING:
        if (c == '"')
            string_ends(j);
        else
            j->state = S_ESCAPE;
        return true;
    case S_ESCAPE: return escape(j, c);
    case S_HEX: return hex(j, c);
    case S_SCALAR: return in_scalar(j, c);
    case S_VALUE: case S_FIRST: case S_KEY: case S_COLON: case S_NEXT: case S_DONE: break;
    }
    return between(j, c);
}

int jsonflow_feed(struct jsonflow *j, const char *p, size_t n)
{
    for (size_t i = 0; i < n && !j->failed;) {
        size_t run = j->state == S_STRING ? plain(j, p + i, n - i) : 0;
        i += run;
        j->at += run;
        if (i == n)
            break;
        j->failed = !one(j, p[i]);
        j->at += !j->failed;
        i++;
    }
    return j->failed ? -EBADMSG : 0;
}

int jsonflow_end(const struct jsonflow *j)
{
    if (j->failed)
        return -EBADMSG;
    return j->state == S_DONE || (j->state == S_SCALAR && !j->depth) ? 0 : -ENODATA;
}
