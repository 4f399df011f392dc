/* SPDX-License-Identifier: Apache-2.0 */
/* distname - name and version of an installed distribution from the name of its folder. */
#include "formats/distname.h"
#include <string.h>
#include <strings.h>

static bool ends(struct str s, const char *with)
{
    size_t n = strlen(with);
    return s.n >= n && strncasecmp(s.p + s.n - n, with, n) == 0;
}

static struct str upto(struct str *rest, char c)
{
    const char *p = rest->n ? memchr(rest->p, c, rest->n) : NULL;
    struct str head = {rest->p, p ? (size_t)(p - rest->p) : rest->n};
    *rest = p ? (struct str){p + 1, rest->n - head.n - 1} : (struct str){NULL, 0};
    return head;
}

enum dist_form distname_parse(const char *entry, struct distname *ret)
{
    static const char info[] = ".dist-info", egg[] = ".egg-info";
    struct str s = {entry, strlen(entry)};
    *ret = (struct distname){.form = DIST_NONE};
    bool is_info = ends(s, info);
    if (!is_info && !ends(s, egg))
        return DIST_NONE;
    s.n -= is_info ? sizeof info - 1 : sizeof egg - 1;
    if (s.n == 0 || *s.p == '~') /* "~umpy…": what pip leaves behind when an uninstall was cut short; nobody finds it by name */
        return DIST_NONE;
    struct str name = upto(&s, '-'), version = upto(&s, '-');
    *ret = (struct distname){is_info ? DIST_INFO : DIST_EGG_INFO, name, version, false};
    bool digit = version.n && version.p[0] >= '0' && version.p[0] <= '9';
    bool py_tag = s.n >= 3 && memcmp(s.p, "py", 2) == 0; /* "-py3.11" of an egg-info */
    ret->unsure = !digit || (s.n && (is_info || !py_tag));
    return ret->form;
}

/* The last but one and the last "-" split it: neither version nor build of a conda package holds one. */
bool condaname_parse(const char *entry, struct condaname *ret)
{
    struct str s = {entry, strlen(entry)};
    if (!ends(s, ".json"))
        return false;
    s.n -= strlen(".json");
    const char *b = s.n ? memrchr(s.p, '-', s.n) : NULL;
    const char *v = b ? memrchr(s.p, '-', (size_t)(b - s.p)) : NULL;
    if (!v || v == s.p || b == v + 1 || b + 1 == s.p + s.n)
        return false;
    *ret = (struct condaname){{s.p, (size_t)(v - s.p)}, {v + 1, (size_t)(b - v - 1)}, {b + 1, (size_t)(s.p + s.n - b - 1)}};
    return true;
}
