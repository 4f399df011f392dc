/* SPDX-License-Identifier: Apache-2.0 */
/* json - a JSON writer. */
#include "base/json.h"
#include <inttypes.h>
#include <string.h>

void jw_init(struct jw *w, struct buf *out)
{
    *w = (struct jw){.out = out, .first = true};
}

static void indent(struct jw *w)
{
    buf_addc(w->out, '\n');
    for (int i = 0; i < w->depth; i++)
        buf_addc(w->out, ' ');
}

/* Length of a valid UTF-8 sequence at p (any code point but surrogates), 0 when it is none. */
static size_t utf8_len(const unsigned char *p)
{
    if (p[0] < 0x80)
        return 1;
    size_t len = p[0] >= 0xf0 && p[0] < 0xf5 ? 4 : p[0] >= 0xe0 && p[0] < 0xf0 ? 3 : p[0] >= 0xc2 && p[0] < 0xe0 ? 2 : 0;
    for (size_t i = 1; i < len; i++)
        if ((p[i] & 0xc0) != 0x80) /* the NUL at the end stops here too */
            return 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
        return 0;
    return len;
}

static void string(struct jw *w, const char *s)
{
    buf_addc(w->out, '"');
    const unsigned char *p = (const unsigned char *)s;
    while (*p) {
        size_t len = utf8_len(p);
        if (*p == '"' || *p == '\\')
            buf_addf(w->out, "\\%c", *p);
        else if (*p == '\n')
            buf_adds(w->out, "\\n");
        else if (*p < 0x20 || *p == 0x7f)
            buf_addf(w->out, "\\u%04x", *p);
        else if (len)
            buf_add(w->out, p, len);
        else
            buf_adds(w->out, "\xef\xbf\xbd");
        p += len ? len : 1;
    }
    buf_addc(w->out, '"');
}

static void start(struct jw *w, const char *key)
{
    if (!w->first)
        buf_addc(w->out, ',');
    if (w->depth)
        indent(w);
    w->first = false;
    if (key) {
        string(w, key);
        buf_adds(w->out, ": ");
    }
}

static void open(struct jw *w, const char *key, char c)
{
    start(w, key);
    buf_addc(w->out, c);
    w->depth++;
    w->first = true;
}

static void close(struct jw *w, char c)
{
    w->depth--;
    if (!w->first)
        indent(w);
    buf_addc(w->out, c);
    w->first = false;
    if (w->depth == 0)
        buf_addc(w->out, '\n');
}

void jw_obj(struct jw *w, const char *key)
{
    open(w, key, '{');
}

void jw_obj_end(struct jw *w)
{
    close(w, '}');
}

void jw_arr(struct jw *w, const char *key)
{
    open(w, key, '[');
}

void jw_arr_end(struct jw *w)
{
    close(w, ']');
}

void jw_str(struct jw *w, const char *key, const char *value)
{
    if (!value) {
        jw_null(w, key);
        return;
    }
    start(w, key);
    string(w, value);
}

void jw_u64(struct jw *w, const char *key, uint64_t value)
{
    start(w, key);
    buf_addf(w->out, "%" PRIu64, value);
}

void jw_i64(struct jw *w, const char *key, int64_t value)
{
    start(w, key);
    buf_addf(w->out, "%" PRId64, value);
}

void jw_bool(struct jw *w, const char *key, bool value)
{
    start(w, key);
    buf_adds(w->out, value ? "true" : "false");
}

void jw_null(struct jw *w, const char *key)
{
    start(w, key);
    buf_adds(w->out, "null");
}
