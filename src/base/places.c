/* SPDX-License-Identifier: Apache-2.0 */
/* places - fills the places of a text. */
#include "base/places.h"
#include <string.h>
#include "base/buf.h"

enum { TEXT_MAX = 64 * 1024 };
enum quoting { QUOTE_NONE, QUOTE_DOUBLE, QUOTE_SINGLE };
struct place { size_t len, key_len; const char *words; size_t n_words; }; /* len 0: none; braces count; words NULL: none */

static struct place place_at(const char *start, const char *s)
{
    size_t n = 1;
    struct place none = {0};
    if (*s != '{' || (s > start && s[-1] == '$'))
        return none;
    while ((s[n] >= 'a' && s[n] <= 'z') || (s[n] >= '0' && s[n] <= '9') || s[n] == '_')
        n++;
    if (n == 1 || (s[n] != '}' && s[n] != '|'))
        return none;
    struct place p = {.len = n + 1, .key_len = n - 1};
    if (s[n] == '|') {
        p.words = s + n + 1;
        p.n_words = strcspn(p.words, "{}");
        if (p.words[p.n_words] != '}')
            return none;
        p.len += p.n_words + 1;
    }
    return p;
}

static bool is_plain(const char *v)
{
    for (; *v; v++)
        if (!((*v >= '0' && *v <= '9') || (*v >= 'a' && *v <= 'z') || (*v >= 'A' && *v <= 'Z') || strchr("_@%+=:,./- ", *v) ||
              (unsigned char)*v >= 0x80))
            return false;
    return true;
}

static void add_quoted(struct buf *b, const char *v, enum quoting q)
{
    bool wrap = q == QUOTE_NONE && !is_plain(v);
    if (wrap)
        buf_addc(b, '\'');
    for (; *v; v++) {
        if ((wrap || q == QUOTE_SINGLE) && *v == '\'')
            buf_adds(b, "'\\'");
        else if (q == QUOTE_DOUBLE && strchr("\"$`\\", *v))
            buf_addc(b, '\\');
        buf_addc(b, *v);
    }
    if (wrap)
        buf_addc(b, '\'');
}

static enum quoting next_quoting(enum quoting q, char c)
{
    if (c == '"' && q != QUOTE_SINGLE)
        return q == QUOTE_DOUBLE ? QUOTE_NONE : QUOTE_DOUBLE;
    if (c == '\'' && q != QUOTE_DOUBLE)
        return q == QUOTE_SINGLE ? QUOTE_NONE : QUOTE_SINGLE;
    return q;
}

const char *places_fill(struct arena *a, const char *text, bool shell, place_value *value, const void *ctx, size_t *ret_unbound)
{
    struct buf b;
    enum quoting q = QUOTE_NONE;
    size_t unbound = 0;
    if (!text)
        return NULL;
    buf_init(&b, TEXT_MAX);
    for (const char *s = text; *s;) {
        struct place p = place_at(text, s);
        const char *key = s + 1, *v = p.len ? value(ctx, key, p.key_len) : NULL;
        unbound += p.len && !v && !p.words;
        if (!v && !p.words) {
            if (shell)
                q = next_quoting(q, *s);
            buf_addc(&b, *s++);
            continue;
        }
        if (!v)
            buf_add(&b, p.words, p.n_words);
        else if (!shell || (p.key_len > 5 && memcmp(key + p.key_len - 5, "_args", 5) == 0))
            buf_adds(&b, v);
        else
            add_quoted(&b, v, q);
        s += p.len;
    }
    const char *out = arena_strndup(a, b.p ? b.p : "", b.len);
    buf_done(&b);
    if (ret_unbound)
        *ret_unbound = unbound;
    return out;
}
