/* SPDX-License-Identifier: Apache-2.0 */
/* pystart - environment variables that the interpreter checks before anything else: with a value that it does not take, it ends. */
#include <string.h>
#include "probe/probe.h"

enum { ALIASES_MAX = 1 << 18, NAME_MAX_LEN = 64, TRACE_MAX = 65535, DIGITS_MIN = 640 };

/* As C reads a number: blanks before, a sign, digits, nothing behind. */
static bool is_number(const char *s, bool *minus, uint64_t *ret)
{
    s += strspn(s, " \t\n\v\f\r");
    *minus = *s == '-';
    s += *s == '-' || *s == '+';
    return *s && str_to_u64(s, strlen(s), 10, ret) == 0;
}

static bool one_of(const char *s, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(s, words[i]))
            return true;
    return false;
}

static bool takes_utf8(struct probe *p, const char *v)
{
    (void)p;
    return str_eq(v, "0") || str_eq(v, "1");
}

static bool takes_seed(struct probe *p, const char *v)
{
    bool minus;
    uint64_t seed;
    (void)p;
    return str_eq(v, "random") || (is_number(v, &minus, &seed) && seed <= UINT32_MAX && (!minus || !seed));
}

static bool takes_allocator(struct probe *p, const char *v)
{
    static const char *const words[] = {"default", "debug", "malloc", "malloc_debug", "pymalloc", "pymalloc_debug", "mimalloc", "mimalloc_debug"};
    const size_t n = TG_COUNT(words) - (p->f->python.minor < 13 ? 2 : 0);
    return one_of(v, words, n);
}

static bool takes_frames(struct probe *p, const char *v)
{
    bool minus;
    uint64_t n;
    (void)p;
    return is_number(v, &minus, &n) && n <= TRACE_MAX && (!minus || !n);
}

static bool takes_digits(struct probe *p, const char *v)
{
    bool minus;
    uint64_t n;
    return p->f->python.minor < 11 || (is_number(v, &minus, &n) && n <= INT32_MAX && (n == 0 || (n >= DIGITS_MIN && !minus))); /* older: only their last releases look */
}

/* "ENCODING:ERRORS": a module of that name in the library's encodings/, or another name of one. What cannot be read is believed. */
static bool takes_encoding(struct probe *p, const char *v)
{
    char name[NAME_MAX_LEN];
    size_t n = strcspn(v, ":"), len;
    struct root_stat st;
    const char *text, *dir = p->f->python.stdlib ? path_join(p->a, p->f->python.stdlib, "encodings") : NULL;
    if (!n || n >= sizeof name || !dir)
        return n < sizeof name;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)v[i];
        bool upper = c >= 'A' && c <= 'Z', plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.';
        name[i] = upper ? (char)(c + 'a' - 'A') : plain ? (char)c : '_';
    }
    name[n] = '\0';
    if (root_stat(p->root, arena_printf(p->a, "%s/%s.py", dir, name), &st) == 0)
        return true;
    if (root_read(p->root, path_join(p->a, dir, "aliases.py"), ALIASES_MAX, p->a, &text, &len) < 0)
        return true;
    const char *quoted = arena_printf(p->a, "'%s'", name);
    return memmem(text, len, quoted, strlen(quoted)) != NULL;
}

/* At level 2 the interpreter drops docstrings. As C reads a number: all of it, else it counts as 1. Source: CPython Python/initconfig.c,
 * _Py_get_env_flag. */
bool probe_drops_docstrings(struct probe *p)
{
    bool minus;
    uint64_t level;
    const char *v = probe_variable(p, "PYTHONOPTIMIZE");
    return v && is_number(v, &minus, &level) && !minus && level >= 2 && level <= INT32_MAX;
}

void probe_python_start(struct probe *p)
{
    static const struct { const char *name, *want; bool (*takes)(struct probe *, const char *); } rows[] = {
        {"PYTHONUTF8", "0, 1", takes_utf8},
        {"PYTHONMALLOC", "default, debug, malloc, malloc_debug, pymalloc, pymalloc_debug", takes_allocator},
        {"PYTHONHASHSEED", "random, 0-4294967295", takes_seed},
        {"PYTHONTRACEMALLOC", "0-65535", takes_frames},
        {"PYTHONINTMAXSTRDIGITS", "0, >=640", takes_digits},
        {"PYTHONIOENCODING", "utf-8", takes_encoding},
    };
    struct fact_python *py = &p->f->python;
    for (size_t i = 0; i < TG_COUNT(rows) && !py->refused && str_eq(py->implementation, "cpython"); i++) {
        const char *v = probe_variable(p, rows[i].name);
        if (v && *v && !rows[i].takes(p, v)) {
            py->refused = rows[i].name;
            py->refused_value = v;
            py->refused_want = rows[i].want;
        }
    }
}
