/* SPDX-License-Identifier: Apache-2.0 */
/* wheelname - names of wheel files. */
#include "formats/wheelname.h"
#include <string.h>

enum { FIELDS_MAX = 6, MINORS = 32 };

/* The next of a list whose parts `sep` divides; false behind the last. */
static bool next(struct str list, char sep, size_t *pos, struct str *ret)
{
    if (*pos > list.n)
        return false;
    const char *p = list.p + *pos, *end = memchr(p, sep, list.n - *pos);
    *ret = (struct str){p, end ? (size_t)(end - p) : list.n - *pos};
    *pos += ret->n + 1;
    return true;
}

static bool is(struct str s, const char *text)
{
    return s.n == strlen(text) && memcmp(s.p, text, s.n) == 0;
}

/* The number between `before` and `after`. */
static bool number(struct str s, const char *before, const char *after, unsigned *ret)
{
    uint64_t v;
    size_t b = strlen(before), e = strlen(after);
    if (s.n <= b + e || memcmp(s.p, before, b) != 0 || memcmp(s.p + s.n - e, after, e) != 0 || str_to_u64(s.p + b, s.n - b - e, 10, &v) < 0 || v > 999)
        return false;
    *ret = (unsigned)v;
    return true;
}

/* Which CPython 3 an interpreter's tag and an ABI's tag allow together. */
static uint32_t pythons_of(struct str py, struct str abi)
{
    unsigned m, own;
    bool none = is(abi, "none");
    if (is(py, "py3"))
        return none ? UINT32_MAX : 0;
    if (number(py, "py3", "", &m))
        return none && m < MINORS ? UINT32_MAX << m : 0;
    if (!number(py, "cp3", "", &m) || m >= MINORS)
        return 0;
    if (is(abi, "abi3"))
        return UINT32_MAX << m;
    return none || ((number(abi, "cp3", "", &own) || number(abi, "cp3", "m", &own)) && own == m) ? UINT32_C(1) << m : 0;
}

/* Lowest glibc of a platform's tag; false: another platform. */
static bool glibc_of(struct str plat, unsigned *ret)
{
    static const struct { const char *tag; unsigned minor; } fixed[] = {
        {"any", 0}, {"linux_x86_64", 0}, {"manylinux1_x86_64", 5}, {"manylinux2010_x86_64", 12}, {"manylinux2014_x86_64", 17}};
    for (size_t i = 0; i < TG_COUNT(fixed); i++)
        if (is(plat, fixed[i].tag)) {
            *ret = fixed[i].minor;
            return true;
        }
    return number(plat, "manylinux_2_", "_x86_64", ret);
}

bool wheelname_parse(const char *file, struct wheelname *ret)
{
    struct str field[FIELDS_MAX], py, abi, plat;
    struct str all = {file, strlen(file)};
    struct wheelname w = {.glibc_minor = UINT32_MAX};
    size_t n = 0, at = 0;
    if (!str_ends(file, ".whl"))
        return false;
    all.n -= 4;
    while (n < FIELDS_MAX && next(all, '-', &at, &field[n]))
        if (!field[n++].n)
            return false;
    if (n < FIELDS_MAX - 1 || at <= all.n)
        return false;
    w.name = field[0];
    w.version = field[1];
    for (size_t i = 0; next(field[n - 3], '.', &i, &py);)
        for (size_t k = 0; next(field[n - 2], '.', &k, &abi);)
            w.pythons |= pythons_of(py, abi);
    for (size_t i = 0; next(field[n - 1], '.', &i, &plat);) {
        unsigned minor;
        if (glibc_of(plat, &minor) && minor < w.glibc_minor)
            w.glibc_minor = minor;
    }
    if (!w.pythons || w.glibc_minor == UINT32_MAX)
        return false;
    *ret = w;
    return true;
}
