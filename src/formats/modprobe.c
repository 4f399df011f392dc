/* SPDX-License-Identifier: Apache-2.0 */
/* modprobe - does a modprobe.d file or the kernel's command line keep a module from being loaded? */
#include "formats/modprobe.h"
#include <string.h>
#include "base/util.h"

static bool same_module(struct str s, const char *module)
{
    if (s.n != strlen(module))
        return false;
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] != module[i] && !(s.p[i] == '-' && module[i] == '_'))
            return false;
    return true;
}

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

static bool word(struct str *rest, struct str *ret)
{
    size_t i = 0, j;
    while (i < rest->n && blank(rest->p[i]))
        i++;
    for (j = i; j < rest->n && !blank(rest->p[j]);)
        j++;
    *ret = (struct str){rest->p + i, j - i};
    *rest = (struct str){rest->p + j, rest->n - j};
    return j > i;
}

static bool is(struct str s, const char *text)
{
    return s.n == strlen(text) && memcmp(s.p, text, s.n) == 0;
}

bool modprobe_blocks(const char *text, size_t len, const char *module)
{
    struct str line, verb, name, arg;
    size_t pos = 0;
    while (str_line(text, len, &pos, &line)) {
        if (!word(&line, &verb) || !word(&line, &name) || !same_module(name, module))
            continue;
        if (is(verb, "blacklist"))
            return true;
        if (!word(&line, &arg))
            continue;
        if (is(verb, "alias") && is(arg, "off"))
            return true;
        if (is(verb, "install") && (is(arg, "/bin/false") || is(arg, "/bin/true") || is(arg, "/usr/bin/false") || is(arg, "/usr/bin/true")))
            return true;
    }
    return false;
}

static bool listed(struct str list, const char *module)
{
    for (size_t i = 0; i <= list.n;) {
        size_t j = i;
        while (j < list.n && list.p[j] != ',')
            j++;
        if (same_module((struct str){list.p + i, j - i}, module))
            return true;
        i = j + 1;
    }
    return false;
}

bool cmdline_blocks(const char *text, size_t len, const char *module)
{
    static const char *const lists[] = {"modprobe.blacklist", "module_blacklist", "rd.driver.blacklist"};
    struct str rest = {text, len}, w;
    while (word(&rest, &w)) {
        const char *eq = memchr(w.p, '=', w.n), *dot = memchr(w.p, '.', w.n);
        if (!eq)
            continue;
        struct str key = {w.p, (size_t)(eq - w.p)}, value = {eq + 1, w.n - (size_t)(eq - w.p) - 1};
        for (size_t i = 0; i < TG_COUNT(lists); i++)
            if (is(key, lists[i]) && listed(value, module))
                return true;
        if (dot && dot < eq && is((struct str){dot + 1, (size_t)(eq - dot) - 1}, "modeset") && is(value, "0") &&
            same_module((struct str){w.p, (size_t)(dot - w.p)}, module))
            return true;
    }
    return false;
}
