/* SPDX-License-Identifier: Apache-2.0 */
/* shebang - the interpreter that a script's first lines name. */
#include "formats/shebang.h"
#include <string.h>

static struct str next_word(struct str *s)
{
    *s = str_trim(*s);
    size_t n = 0;
    while (n < s->n && s->p[n] != ' ' && s->p[n] != '\t')
        n++;
    struct str w = {s->p, n};
    *s = (struct str){s->p + n, s->n - n};
    return w;
}

static bool is(struct str s, const char *text)
{
    return s.n == strlen(text) && memcmp(s.p, text, s.n) == 0;
}

static bool has_base(struct str s, const char *name)
{
    size_t n = strlen(name);
    return s.n >= n && memcmp(s.p + s.n - n, name, n) == 0 && (s.n == n || s.p[s.n - n - 1] == '/');
}

/* '''exec' "/path" … or '''exec' /path … on the second line. */
static bool shell_detour(struct str line, struct str *ret)
{
    static const char head[] = "'''exec' ";
    if (line.n < sizeof head || memcmp(line.p, head, sizeof head - 1) != 0)
        return false;
    struct str s = {line.p + sizeof head - 1, line.n - (sizeof head - 1)};
    if (*s.p != '"') {
        *ret = next_word(&s);
        return ret->n > 0;
    }
    const char *end = memchr(s.p + 1, '"', s.n - 1);
    *ret = (struct str){s.p + 1, end ? (size_t)(end - s.p - 1) : 0};
    return ret->n > 0;
}

bool shebang_parse(const char *buf, size_t len, struct shebang *ret)
{
    struct str line, second = {NULL, 0};
    size_t pos = 0;
    if (len < 3 || buf[0] != '#' || buf[1] != '!' || !str_line(buf, len, &pos, &line) || memchr(line.p, '\0', line.n))
        return false;
    (void)str_line(buf, len, &pos, &second); /* there need not be one */
    line = (struct str){line.p + 2, line.n - 2};
    struct shebang s = {.program = next_word(&line)};
    if (s.program.n == 0)
        return false;
    if (has_base(s.program, "env")) {
        struct str w = next_word(&line);
        while (w.n && (*w.p == '-' || memchr(w.p, '=', w.n))) /* env's options and assignments */
            w = next_word(&line);
        if (w.n == 0)
            return false;
        s = (struct shebang){w, !memchr(w.p, '/', w.n)};
    } else if (has_base(s.program, "sh") && second.n && !memchr(second.p, '\0', second.n)) {
        (void)shell_detour(second, &s.program); /* an ordinary shell script stays what it is */
    }
    *ret = s;
    return !is(s.program, "");
}
