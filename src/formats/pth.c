/* SPDX-License-Identifier: Apache-2.0 */
/* pth - path configuration files of site folders and ._pth files. */
#include "formats/pth.h"
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Python reads these files with universal newlines: \n, \r\n and a lone \r end a line. */
static bool next_line(const char *buf, size_t len, size_t *pos, struct str *ret)
{
    if (*pos >= len)
        return false;
    size_t end = *pos;
    while (end < len && buf[end] != '\n' && buf[end] != '\r')
        end++;
    *ret = (struct str){buf + *pos, end - *pos};
    *pos = end + (end < len) + (end + 1 < len && buf[end] == '\r' && buf[end + 1] == '\n');
    return true;
}

static struct str rstrip(struct str s)
{
    while (s.n && is_blank(s.p[s.n - 1]))
        s.n--;
    return s;
}

static bool starts(struct str s, const char *with)
{
    size_t n = strlen(with);
    return s.n >= n && memcmp(s.p, with, n) == 0;
}

bool pth_next(const char *buf, size_t len, size_t *pos, uint32_t *line, struct pth_line *ret)
{
    struct str s;
    while (next_line(buf, len, pos, &s)) {
        ++*line;
        struct str cut = rstrip(s);
        if (starts(s, "#") || cut.n == 0)
            continue;
        bool code = starts(s, "import ") || starts(s, "import\t");
        *ret = (struct pth_line){code ? PTH_CODE : PTH_PATH, cut, *line};
        return true;
    }
    return false;
}

bool pth_next_isolated(const char *buf, size_t len, size_t *pos, uint32_t *line, struct pth_line *ret)
{
    struct str s;
    if (*pos == 0 && len >= 3 && memcmp(buf, "\xef\xbb\xbf", 3) == 0)
        *pos = 3;
    while (next_line(buf, len, pos, &s)) {
        ++*line;
        const char *hash = memchr(s.p, '#', s.n);
        if (hash)
            s.n = (size_t)(hash - s.p);
        s = rstrip(s);
        while (s.n && is_blank(*s.p)) {
            s.p++;
            s.n--;
        }
        if (s.n == 0)
            continue;
        bool site = s.n == strlen("import site") && starts(s, "import site");
        *ret = (struct pth_line){site ? PTH_IMPORT_SITE : starts(s, "import ") ? PTH_CODE : PTH_PATH, s, *line};
        return true;
    }
    return false;
}
