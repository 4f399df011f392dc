/* SPDX-License-Identifier: Apache-2.0 */
/* nvversion - NVIDIA driver numbers in the texts that carry them. */
#include "formats/nvversion.h"
#include <string.h>
#include <strings.h>
#include "base/util.h"
#include "formats/ini.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

size_t nvversion_len(const char *s, size_t n)
{
    size_t i = 0, parts = 0;
    while (i < n && parts < 3) {
        size_t d = i;
        while (d < n && is_digit(s[d]))
            d++;
        if (d == i || d - i > 4 || (parts == 0 && d - i != 3))
            return 0;
        parts++;
        i = d;
        if (i == n || s[i] != '.')
            break;
        if (parts < 3)
            i++;
    }
    bool ended = i == n || s[i] == ' ' || s[i] == '\t' || s[i] == '\n' || s[i] == '\r' || s[i] == '\0';
    return parts >= 2 && ended ? i : 0;
}

const char *nvversion_proc(const char *text, size_t len, struct arena *a, bool *ret_open)
{
    struct str line;
    size_t pos = 0;
    if (!str_line(text, len, &pos, &line) || line.n < 5 || memcmp(line.p, "NVRM ", 5) != 0)
        return NULL;
    for (size_t i = 1; i < line.n; i++) {
        size_t n = line.p[i - 1] == ' ' ? nvversion_len(line.p + i, line.n - i) : 0;
        if (!n)
            continue;
        *ret_open = memmem(line.p, i, "Open Kernel Module", 18) != NULL;
        return arena_strndup(a, line.p + i, n);
    }
    return NULL;
}

const char *nvversion_name(const char *file, struct arena *a)
{
    const char *so = strstr(file, ".so.");
    if (!so)
        return NULL;
    size_t n = nvversion_len(so + 4, strlen(so + 4));
    return n ? arena_strndup(a, so + 4, n) : NULL;
}

/* "31.0.15.3713" at the start of s; its last five digits, counted over the dots, are the number. */
static const char *from_windows(struct str s, struct arena *a)
{
    char digits[5] = "00000";
    size_t i = 0, dots = 0, seen = 0;
    for (; i < s.n && (is_digit(s.p[i]) || s.p[i] == '.'); i++) {
        if (s.p[i] == '.') {
            dots++;
            continue;
        }
        memmove(digits, digits + 1, 4);
        digits[4] = s.p[i];
        seen++;
    }
    if (dots != 3 || seen < 7 || digits[0] == '0')
        return NULL;
    return arena_printf(a, "%.3s.%.2s", digits, digits + 3);
}

const char *nvversion_inf(const char *p, size_t len, struct arena *a)
{
    struct str line;
    size_t pos = 0;
    p = text_plain(p, len, a, &len);
    while (str_line(p, len, &pos, &line)) {
        line = str_trim(line);
        if (line.n < 9 || strncasecmp(line.p, "DriverVer", 9) != 0)
            continue;
        const char *comma = memchr(line.p, ',', line.n);
        if (!comma)
            continue;
        struct str rest = str_trim((struct str){comma + 1, line.n - (size_t)(comma + 1 - line.p)});
        const char *v = from_windows(rest, a);
        if (v)
            return v;
    }
    return NULL;
}
