/* SPDX-License-Identifier: Apache-2.0 */
/* util - small string and number helpers. */
#include "base/util.h"
#include <errno.h>
#include <string.h>

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 99;
}

int str_to_u64(const char *s, size_t n, unsigned base, uint64_t *ret)
{
    uint64_t v = 0;
    if (n == 0)
        return -EINVAL;
    for (size_t i = 0; i < n; i++) {
        unsigned d = (unsigned)digit(s[i]);
        if (d >= base)
            return -EINVAL;
        if (__builtin_mul_overflow(v, (uint64_t)base, &v) || __builtin_add_overflow(v, (uint64_t)d, &v))
            return -ERANGE;
    }
    *ret = v;
    return 0;
}

int str_to_u32(const char *s, uint32_t *ret)
{
    uint64_t v;
    int r = str_to_u64(s, strlen(s), 10, &v);
    if (r < 0)
        return r;
    if (v > UINT32_MAX)
        return -ERANGE;
    *ret = (uint32_t)v;
    return 0;
}

uint32_t str_hash(const char *s)
{
    const uint64_t factor = 0x9e3779b97f4a7c15u; /* 2^64 by the golden ratio */
    size_t n = strlen(s);
    uint64_t h = n, word = 0;
    for (; n >= sizeof word; s += sizeof word, n -= sizeof word) {
        memcpy(&word, s, sizeof word);
        h = (h ^ word) * factor;
        h ^= h >> 32;
    }
    for (word = 0; n; n--)
        word = word << 8 | (unsigned char)s[n - 1];
    h = (h ^ word) * factor;
    return (uint32_t)(h >> 32);
}

bool str_starts(const char *s, const char *prefix)
{
    return s && strncmp(s, prefix, strlen(prefix)) == 0;
}

bool str_ends(const char *s, const char *suffix)
{
    size_t n = s ? strlen(s) : 0, m = strlen(suffix);
    return s && n >= m && memcmp(s + n - m, suffix, m) == 0;
}

bool str_line(const char *text, size_t len, size_t *pos, struct str *ret)
{
    if (*pos >= len)
        return false;
    const char *p = text + *pos, *nl = memchr(p, '\n', len - *pos);
    size_t n = nl ? (size_t)(nl - p) : len - *pos;
    *pos += n + (nl ? 1 : 0);
    if (n && p[n - 1] == '\r')
        n--;
    *ret = (struct str){p, n};
    return true;
}

struct str str_trim(struct str s)
{
    while (s.n && (*s.p == ' ' || *s.p == '\t')) {
        s.p++;
        s.n--;
    }
    while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
        s.n--;
    return s;
}

/* Number at *s; advances behind it and one dot. false when there is no digit. */
static bool next_part(const char **s, uint64_t *ret)
{
    size_t n = strspn(*s, "0123456789");
    if (n == 0 || str_to_u64(*s, n, 10, ret) < 0)
        return false;
    *s += n;
    if (**s == '.')
        (*s)++;
    return true;
}

/* The digits of the next part, without the zeros in front; none: 0, as of a part that is not there. */
static bool next_digits(const char **s, struct str *ret)
{
    size_t n = strspn(*s, "0123456789"), zeros = strspn(*s, "0");
    *ret = (struct str){*s + zeros, n - zeros};
    *s += n + (n && (*s)[n] == '.');
    return n > 0;
}

/* Numbers of any length: they may come from a file that anybody wrote. */
int ver_cmp(const char *a, const char *b)
{
    for (;;) {
        struct str x, y;
        bool has_x = next_digits(&a, &x), has_y = next_digits(&b, &y);
        if (!has_x && !has_y)
            return 0;
        int order = x.n != y.n ? (x.n < y.n ? -1 : 1) : memcmp(x.p, y.p, x.n);
        if (order)
            return order < 0 ? -1 : 1;
    }
}

void ver_highest(const char **best, const char *version, const char *prefix)
{
    size_t n = strlen(prefix);
    if (version && strncmp(version, prefix, n) == 0 && version[n] >= '0' && version[n] <= '9' &&
        (!*best || (strcmp(version + n, *best) != 0 && ver_cmp(version + n, *best) > 0)))
        *best = version + n;
}

bool ver_major(const char *v, uint32_t *ret)
{
    uint64_t x;
    if (!v || !next_part(&v, &x) || x > UINT32_MAX)
        return false;
    *ret = (uint32_t)x;
    return true;
}

const char *bytes_text(struct arena *a, uint64_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t u = 0;
    uint64_t whole = bytes, rest = 0;
    for (; whole >= 1024 && u + 1 < TG_COUNT(units); u++) {
        rest = whole % 1024;
        whole /= 1024;
    }
    uint64_t tenth = (rest * 10 + 512) / 1024;
    if (tenth == 10) {
        whole++;
        tenth = 0;
    }
    return tenth ? arena_printf(a, "%llu.%llu %s", (unsigned long long)whole, (unsigned long long)tenth, units[u])
                 : arena_printf(a, "%llu %s", (unsigned long long)whole, units[u]);
}

const char *path_join(struct arena *a, const char *dir, const char *name)
{
    if (name[0] == '/' || dir[0] == '\0')
        return arena_strdup(a, name);
    size_t n = strlen(dir), m = strlen(name), slash = dir[n - 1] != '/';
    char *p = arena_raw(a, n + slash + m + 1);
    memcpy(p, dir, n);
    p[n] = '/';
    memcpy(p + n + slash, name, m + 1);
    return p;
}

const char *path_join_in(char buf[PATH_BUF + 1], const char *dir, const char *name)
{
    size_t n = name[0] == '/' ? 0 : strnlen(dir, PATH_BUF), slash = n && dir[n - 1] != '/' && n < PATH_BUF, m = strnlen(name, PATH_BUF - n - slash);
    memcpy(buf, dir, n);
    if (slash)
        buf[n] = '/';
    memcpy(buf + n + slash, name, m);
    buf[n + slash + m] = '\0';
    return buf;
}

const char *path_dir(struct arena *a, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return ".";
    while (slash > path && slash[-1] == '/')
        slash--;
    return slash == path ? "/" : arena_strndup(a, path, (size_t)(slash - path));
}

bool path_is_below(const char *path, const char *dir)
{
    size_t n = dir ? strlen(dir) : 0;
    return n && path && strncmp(path, dir, n) == 0 && path[n] == '/';
}

const char *path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *path_clean(struct arena *a, const char *path)
{
    size_t len = strlen(path), out = 0;
    bool absolute = path[0] == '/';
    char *p = arena_alloc(a, len + 2);
    if (absolute)
        p[out++] = '/';
    size_t floor = out; /* ".." may not go below this */
    for (size_t i = 0; i < len;) {
        size_t n = strcspn(path + i, "/");
        bool up = n == 2 && memcmp(path + i, "..", 2) == 0;
        if (up && out > floor) {
            while (out > floor && p[out - 1] != '/')
                out--;
            if (out > floor)
                out--;
        } else if (n && !(n == 1 && path[i] == '.') && !(up && absolute)) {
            if (out > 0 && p[out - 1] != '/')
                p[out++] = '/';
            memcpy(p + out, path + i, n);
            out += n;
            if (up)
                floor = out;
        }
        i += n + 1;
    }
    p[out] = '\0';
    return out ? p : ".";
}
