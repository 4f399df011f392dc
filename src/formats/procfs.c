/* SPDX-License-Identifier: Apache-2.0 */
/* procfs - single values of the kernel's texts. */
#include "formats/procfs.h"
#include <string.h>
#include "base/util.h"

static struct str next_word(struct str *rest)
{
    *rest = str_trim(*rest);
    size_t n = 0;
    while (n < rest->n && rest->p[n] != ' ' && rest->p[n] != '\t')
        n++;
    struct str word = {rest->p, n};
    *rest = (struct str){rest->p + n, rest->n - n};
    return word;
}

/* What stands behind `name` in the line that begins with it. */
static bool line_of(const char *text, size_t len, const char *name, struct str *ret)
{
    size_t pos = 0, n = strlen(name);
    struct str line;
    while (str_line(text, len, &pos, &line))
        if (line.n > n && memcmp(line.p, name, n) == 0 && (line.p[n] == ':' || line.p[n] == ' ')) {
            *ret = (struct str){line.p + n + 1, line.n - n - 1};
            return true;
        }
    return false;
}

bool meminfo_get(const char *text, size_t len, const char *key, uint64_t *ret_bytes)
{
    struct str rest;
    uint64_t v;
    if (!line_of(text, len, key, &rest))
        return false;
    struct str number = next_word(&rest), unit = next_word(&rest);
    if (str_to_u64(number.p, number.n, 10, &v) < 0 || unit.n != 2 || memcmp(unit.p, "kB", 2) != 0)
        return false;
    return !__builtin_mul_overflow(v, (uint64_t)1024, ret_bytes);
}

bool proc_limit_get(const char *text, size_t len, const char *name, struct proc_limit *ret)
{
    static const char unlimited[] = "unlimited";
    struct str rest;
    uint64_t v = 0;
    if (!line_of(text, len, name, &rest))
        return false;
    struct str soft = next_word(&rest);
    bool none = soft.n == sizeof unlimited - 1 && memcmp(soft.p, unlimited, soft.n) == 0;
    if (!none && str_to_u64(soft.p, soft.n, 10, &v) < 0)
        return false;
    *ret = (struct proc_limit){.unlimited = none, .value = v};
    return true;
}

/* "cpu,memory" holds "memory"; the unified hierarchy's list is empty. */
static bool has_controller(struct str list, const char *controller)
{
    size_t n = controller ? strlen(controller) : 0, i = 0;
    if (!controller)
        return list.n == 0;
    while (i < list.n) {
        size_t end = i;
        while (end < list.n && list.p[end] != ',')
            end++;
        if (end - i == n && memcmp(list.p + i, controller, n) == 0)
            return true;
        i = end + 1;
    }
    return false;
}

const char *cgroup_path(const char *text, size_t len, const char *controller, struct arena *a)
{
    size_t pos = 0;
    struct str line;
    while (str_line(text, len, &pos, &line)) { /* number:controllers:path */
        const char *end = line.p + line.n, *c1 = memchr(line.p, ':', line.n);
        const char *c2 = c1 ? memchr(c1 + 1, ':', (size_t)(end - c1 - 1)) : NULL;
        if (c2 && c2 + 1 < end && c2[1] == '/' && has_controller((struct str){c1 + 1, (size_t)(c2 - c1 - 1)}, controller))
            return arena_strndup(a, c2 + 1, (size_t)(end - c2 - 1));
    }
    return NULL;
}

/* "3" or "0-7"; how many that is, 0: neither. */
static uint64_t range_count(struct str s)
{
    const char *dash = memchr(s.p, '-', s.n);
    uint64_t from, to;
    size_t n = dash ? (size_t)(dash - s.p) : s.n;
    if (str_to_u64(s.p, n, 10, &from) < 0)
        return 0;
    if (!dash)
        return 1;
    return str_to_u64(dash + 1, s.n - n - 1, 10, &to) == 0 && to >= from && to - from < UINT32_MAX ? to - from + 1 : 0;
}

bool cpu_list_count(const char *text, size_t len, const char *key, uint32_t *ret)
{
    struct str rest;
    uint64_t sum = 0;
    if (!line_of(text, len, key, &rest))
        return false;
    rest = str_trim(rest);
    while (rest.n) {
        const char *comma = memchr(rest.p, ',', rest.n);
        size_t n = comma ? (size_t)(comma - rest.p) : rest.n;
        uint64_t one = range_count((struct str){rest.p, n});
        if (one == 0 || (sum += one) > UINT32_MAX)
            return false;
        n += comma != NULL;
        rest = (struct str){rest.p + n, rest.n - n};
    }
    *ret = (uint32_t)sum;
    return sum > 0;
}

bool cpu_quota(const char *text, size_t len, uint32_t *ret_percent)
{
    size_t pos = 0;
    struct str line;
    uint64_t quota, period;
    if (!str_line(text, len, &pos, &line))
        return false;
    struct str q = next_word(&line), p = next_word(&line);
    if (str_to_u64(q.p, q.n, 10, &quota) < 0 || str_to_u64(p.p, p.n, 10, &period) < 0 || period == 0 || quota > UINT32_MAX)
        return false;
    uint64_t percent = quota * 100 / period;
    *ret_percent = percent < UINT32_MAX ? (uint32_t)percent : UINT32_MAX;
    return true;
}

bool sysfs_number(const char *text, size_t len, uint64_t *ret)
{
    size_t pos = 0;
    struct str line;
    if (!str_line(text, len, &pos, &line))
        return false;
    line = str_trim(line);
    return str_to_u64(line.p, line.n, 10, ret) == 0;
}

uint32_t pcie_generation(const char *text)
{
    static const char *const speeds[] = {"2.5", "5", "8", "16", "32", "64", "128"}; /* GT/s, generation 1 first */
    struct str rest = {text, text ? strlen(text) : 0}, speed = next_word(&rest), unit = next_word(&rest);
    if (unit.n != 4 || memcmp(unit.p, "GT/s", 4) != 0)
        return 0;
    if (speed.n > 2 && memcmp(speed.p + speed.n - 2, ".0", 2) == 0) /* older kernels print "8 GT/s" */
        speed.n -= 2;
    for (uint32_t i = 0; i < TG_COUNT(speeds); i++)
        if (speed.n == strlen(speeds[i]) && memcmp(speed.p, speeds[i], speed.n) == 0)
            return i + 1;
    return 0;
}
