/* SPDX-License-Identifier: Apache-2.0 */
/* wrap - text in lines of a given display width. */
#include "report/wrap.h"
#include <stdbool.h>
#include <string.h>
#include "base/i18n.h"

enum { PIECE_MAX = 8 };

void wrap_pad(struct buf *out, size_t have, size_t col)
{
    do
        buf_addc(out, ' ');
    while (++have < col);
}

static size_t char_len(const char *s)
{
    unsigned char c = (unsigned char)*s;
    size_t n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
    for (size_t i = 1; i < n; i++)
        if (((unsigned char)s[i] & 0xc0) != 0x80)
            return 1;
    return n;
}

static size_t char_width(const char *s, size_t n)
{
    char one[PIECE_MAX];
    memcpy(one, s, n);
    one[n] = '\0';
    return n == 1 ? 1 : i18n_width(one);
}

static bool is_one_of(const char *s, const char *marks)
{
    size_t n = char_len(s);
    for (const char *m = marks; n > 1 && *m; m += char_len(m))
        if (strncmp(m, s, n) == 0)
            return true;
    return false;
}

/* Full-width punctuation that must not begin a line, and such that must not end one. */
static bool clings(const char *s)
{
    return is_one_of(s, "，。、；：？！）》」』】”’");
}

static bool opens(const char *s)
{
    return is_one_of(s, "（《「『【“‘");
}

/* The next piece that is not broken: a word, or one wide character with the punctuation that belongs to it. */
static size_t piece_len(const char *s, size_t *ret_width)
{
    size_t n = 0, width = 0;
    bool opened = false;
    while (s[n] && s[n] != ' ' && s[n] != '\n') {
        size_t len = char_len(s + n), w = char_width(s + n, len);
        if (n && w == 2 && !opened && !clings(s + n))
            break;
        opened = opens(s + n);
        n += len;
        width += w;
        if (w == 2 && !opened && !clings(s + n))
            break;
    }
    *ret_width = width;
    return n;
}

void wrap_text(struct buf *out, const char *text, size_t col, size_t indent, size_t width)
{
    bool blank = false, fresh = col <= indent;
    for (const char *s = text; *s;) {
        if (*s == ' ') {
            blank = true;
            s++;
            continue;
        }
        size_t w, n = piece_len(s, &w);
        if (*s == '\n' || (!fresh && col + blank + w > width)) {
            buf_addc(out, '\n');
            for (col = 0; col < indent; col++)
                buf_addc(out, ' ');
            blank = false;
            fresh = true;
            s += *s == '\n';
            continue;
        }
        if (blank && !fresh) {
            buf_addc(out, ' ');
            col++;
        }
        buf_add_safe(out, s, n);
        col += w;
        s += n;
        blank = false;
        fresh = false;
    }
}
