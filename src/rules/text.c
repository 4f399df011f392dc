/* SPDX-License-Identifier: Apache-2.0 */
/* text - fills the {key} places of a cause's texts and picks the fix steps that apply. */
#include <string.h>
#include "base/buf.h"
#include "rules/judge.h"

enum { TEXT_MAX = 64 * 1024 };
enum quoting { QUOTE_NONE, QUOTE_DOUBLE, QUOTE_SINGLE };

static const char *value_of(const struct finding *f, const char *key, size_t n)
{
    for (size_t i = 0; i < f->n_bindings; i++)
        if (strncmp(f->bindings[i].key, key, n) == 0 && f->bindings[i].key[n] == '\0')
            return f->bindings[i].value;
    return n == 7 && memcmp(key, "subject", n) == 0 ? f->subject : NULL;
}

/* Length of a place "{key}" at s, braces included; 0 when there is none. "${" is the shell's. */
static size_t place_len(const char *start, const char *s)
{
    size_t n = 1;
    if (*s != '{' || (s > start && s[-1] == '$'))
        return 0;
    while ((s[n] >= 'a' && s[n] <= 'z') || (s[n] >= '0' && s[n] <= '9') || s[n] == '_')
        n++;
    return n > 1 && s[n] == '}' ? n + 1 : 0;
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

static const char *fill(struct arena *a, const struct finding *f, const char *text, bool shell)
{
    struct buf b;
    enum quoting q = QUOTE_NONE;
    if (!text)
        return NULL;
    buf_init(&b, TEXT_MAX);
    for (const char *s = text; *s;) {
        size_t n = place_len(text, s);
        const char *v = n ? value_of(f, s + 1, n - 2) : NULL;
        if (!v) {
            if (shell)
                q = next_quoting(q, *s);
            buf_addc(&b, *s++);
            continue;
        }
        bool raw = !shell || (n > 7 && memcmp(s + n - 6, "_args", 5) == 0);
        if (raw)
            buf_adds(&b, v);
        else
            add_quoted(&b, v, q);
        s += n;
    }
    const char *out = arena_strndup(a, b.p ? b.p : "", b.len);
    buf_done(&b);
    return out;
}

const char *finding_text(struct arena *a, const struct finding *f, const char *text)
{
    return fill(a, f, text, false);
}

const char *finding_command(struct arena *a, const struct finding *f, const char *command)
{
    return fill(a, f, command, true);
}

bool fix_applies(const struct fix_step *step, unsigned tags)
{
    unsigned want = step->when & ~(unsigned)FIX_ALWAYS;
    return (want & tags) == want;
}
