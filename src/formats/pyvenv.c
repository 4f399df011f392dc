/* SPDX-License-Identifier: Apache-2.0 */
/* pyvenv - pyvenv.cfg, the file that makes a folder a Python virtual environment. */
#include "formats/pyvenv.h"
#include <string.h>
#include <strings.h>
#include "base/util.h"

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Python's str.strip() for ASCII. */
static struct str strip(struct str s)
{
    while (s.n && is_blank(*s.p)) {
        s.p++;
        s.n--;
    }
    while (s.n && is_blank(s.p[s.n - 1]))
        s.n--;
    return s;
}

static bool is_key(struct str s, const char *key)
{
    return s.n == strlen(key) && strncasecmp(s.p, key, s.n) == 0;
}

void pyvenv_parse(const char *buf, size_t len, struct arena *a, struct pyvenv_cfg *ret)
{
    struct str line;
    struct pyvenv_cfg c = {.system_site = true};
    for (size_t pos = 0; str_line(buf, len, &pos, &line);) {
        const char *eq = memchr(line.p, '=', line.n);
        if (!eq || memchr(line.p, '\0', line.n))
            continue;
        struct str key = strip((struct str){line.p, (size_t)(eq - line.p)});
        struct str val = strip((struct str){eq + 1, line.n - (size_t)(eq + 1 - line.p)});
        const struct {
            const char *name, **field;
        } text[] = {{"version", &c.version},   {"version_info", &c.version}, {"executable", &c.executable},
                    {"prompt", &c.prompt},     {"implementation", &c.implementation},
                    {"uv", &c.uv},             {"home", &c.home}};
        if (is_key(key, "include-system-site-packages"))
            c.system_site = is_key(val, "true");
        for (size_t i = 0; i < TG_COUNT(text); i++)
            if (!*text[i].field && is_key(key, text[i].name))
                *text[i].field = arena_strndup(a, val.p, val.n);
    }
    *ret = c;
}
