/* SPDX-License-Identifier: Apache-2.0 */
/* ini - single values of small settings files. */
#include "formats/ini.h"
#include <string.h>
#include <strings.h>

const char *text_plain(const char *p, size_t len, struct arena *a, size_t *ret_len)
{
    const unsigned char *u = (const unsigned char *)p;
    bool le = len >= 2 && u[0] == 0xff && u[1] == 0xfe, be = len >= 2 && u[0] == 0xfe && u[1] == 0xff;
    if (!le && !be) {
        size_t skip = len >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
        *ret_len = len - skip;
        return p + skip;
    }
    size_t n = (len - 2) / 2;
    char *t = arena_alloc(a, n + 1);
    for (size_t i = 0; i < n; i++) {
        unsigned lo = u[2 + 2 * i + (be ? 1 : 0)], hi = u[2 + 2 * i + (be ? 0 : 1)];
        t[i] = (char)(hi || lo > 0x7f ? '?' : lo);
    }
    *ret_len = n;
    return t;
}

static bool same(struct str s, const char *name)
{
    return s.n == strlen(name) && strncasecmp(s.p, name, s.n) == 0;
}

static struct str unquote(struct str s)
{
    if (s.n >= 2 && (s.p[0] == '"' || s.p[0] == '\'') && s.p[s.n - 1] == s.p[0])
        return (struct str){s.p + 1, s.n - 2};
    return s;
}

static struct str cut_comment(struct str s)
{
    for (size_t i = 1; i < s.n; i++)
        if (s.p[i] == '#' && (s.p[i - 1] == ' ' || s.p[i - 1] == '\t'))
            return str_trim((struct str){s.p, i});
    return s;
}

/* "name = value": the two halves, trimmed; false for everything else. */
static bool split(struct str line, struct str *name, struct str *value)
{
    const char *eq = line.n && line.p[0] != '#' && line.p[0] != ';' ? memchr(line.p, '=', line.n) : NULL;
    if (!eq)
        return false;
    *name = str_trim((struct str){line.p, (size_t)(eq - line.p)});
    *value = str_trim((struct str){eq + 1, line.n - (size_t)(eq - line.p) - 1});
    return true;
}

const char *ini_get(const char *text, size_t len, const char *section, const char *key, struct arena *a)
{
    struct str line, name, value, found = {NULL, 0};
    size_t pos = 0;
    bool inside = false;
    text = text_plain(text, len, a, &len);
    while (str_line(text, len, &pos, &line)) {
        line = str_trim(line);
        if (line.n >= 2 && line.p[0] == '[' && line.p[line.n - 1] == ']')
            inside = same(str_trim((struct str){line.p + 1, line.n - 2}), section);
        else if (inside && split(line, &name, &value) && same(name, key))
            found = unquote(cut_comment(value));
    }
    return found.p ? arena_strndup(a, found.p, found.n) : NULL;
}

enum tri ini_bool(const char *value)
{
    if (value && (str_eq(value, "1") || strcasecmp(value, "true") == 0))
        return TRI_YES;
    if (value && (str_eq(value, "0") || strcasecmp(value, "false") == 0))
        return TRI_NO;
    return TRI_UNKNOWN;
}

const char *osrel_get(const char *text, size_t len, const char *key, struct arena *a)
{
    struct str line, name, value, found = {NULL, 0};
    size_t pos = 0;
    while (str_line(text, len, &pos, &line))
        if (split(str_trim(line), &name, &value) && name.n == strlen(key) && memcmp(name.p, key, name.n) == 0)
            found = unquote(value);
    return found.p ? arena_strndup(a, found.p, found.n) : NULL;
}
