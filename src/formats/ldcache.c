/* SPDX-License-Identifier: Apache-2.0 */
/* ldcache - reads and searches the image of an ld.so.cache. */
#include "formats/ldcache.h"
#include <errno.h>
#include <string.h>
#include "base/util.h"

#define MAGIC_NEW "glibc-ld.so.cache1.1"
#define MAGIC_OLD "ld.so-1.7.0"

enum {
    NEW_HEADER = 48, NEW_ENTRY = 24, OLD_HEADER = 16, OLD_ENTRY = 12,
    FLAGS_X86_64 = 0x303,      /* libc6, x86-64: the only ones that an x86-64 loader takes */
    ENDIAN_MASK = 3, ENDIAN_LITTLE = 2,
    EXT_TAG_HWCAPS = 1, EXT_MAX_SECTIONS = 64
};
#define HWCAP_NAMED (UINT64_C(1) << 62)   /* low 32 bits: index into the extension's list; bits 32-41: level wanted by the file */
#define HWCAP_TLS (UINT64_C(1) << 63)

static uint32_t u32(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static const char *string_from(const struct ldcache *c, size_t base, uint32_t off)
{
    if (off >= c->len - base)
        return NULL;
    const char *s = (const char *)c->image + base + off;
    return memchr(s, '\0', c->len - base - off) ? s : NULL;
}

static const char *string_at(const struct ldcache *c, uint32_t off)
{
    return string_from(c, c->strings, off);
}

/* The extension section is optional and may be damaged: then there are no named levels. The loader counts its offsets, and
 * those of the names of the levels, from the start of the file, also where an old table comes first; ldconfig counts the names
 * from the new header, so that in its "compat" files no level is ever recognised (glibc 2.36, measured). */
static void read_extension(struct ldcache *c, uint32_t off)
{
    const unsigned char *p = c->image;
    size_t len = c->len;
    if (!off || off > len || len - off < 8 || (off & 3) || u32(p + off) != 0xEAA42174u)
        return;
    uint32_t n = u32(p + off + 4);
    for (uint32_t i = 0; i < n && i < EXT_MAX_SECTIONS && len - off - 8 >= (size_t)(i + 1) * 16; i++) {
        const unsigned char *sec = p + off + 8 + (size_t)i * 16;
        uint32_t at = u32(sec + 8), size = u32(sec + 12);
        if (u32(sec) != EXT_TAG_HWCAPS || at > len || size > len - at)
            continue;
        c->hwcaps = at;
        c->n_hwcaps = size / 4;
        return;
    }
}

/* The new table at `at`. false: not one, or of the other byte order (*ret_foreign). */
static bool take_new(struct ldcache *c, size_t at, bool *ret_foreign)
{
    const unsigned char *p = c->image + at;
    size_t len = c->len - at;
    if (len < NEW_HEADER || memcmp(p, MAGIC_NEW, sizeof MAGIC_NEW - 1) != 0 || (len - NEW_HEADER) / NEW_ENTRY < u32(p + 20))
        return false;
    unsigned endian = p[28] & ENDIAN_MASK;
    *ret_foreign = endian != 0 && endian != ENDIAN_LITTLE;
    c->strings = at;
    c->entries = at + NEW_HEADER;
    c->entry_size = NEW_ENTRY;
    c->count = u32(p + 20);
    read_extension(c, u32(p + 32));
    return !*ret_foreign;
}

int ldcache_parse(const unsigned char *p, size_t len, struct ldcache *ret, struct err *e)
{
    bool foreign = false;
    *ret = (struct ldcache){.kind = LDCACHE_NEW, .image = p, .len = len};
    if (len > NEW_HEADER && take_new(ret, 0, &foreign))
        return 0;
    if (!foreign && len > OLD_HEADER && memcmp(p, MAGIC_OLD, sizeof MAGIC_OLD - 1) == 0) {
        uint32_t n = u32(p + 12);
        if ((len - OLD_HEADER) / OLD_ENTRY >= n) {
            size_t end = OLD_HEADER + (size_t)n * OLD_ENTRY, aligned = (end + 7) & ~(size_t)7;
            ret->kind = LDCACHE_COMPAT;
            if (aligned < len && take_new(ret, aligned, &foreign))
                return 0;
            if (!foreign) {
                *ret = (struct ldcache){.kind = LDCACHE_OLD, .image = p, .len = len, .entries = OLD_HEADER, .entry_size = OLD_ENTRY,
                                        .count = n, .strings = end};
                return 0;
            }
        }
    }
    *ret = (struct ldcache){0};
    return err_set(e, -EBADMSG, "not an ld.so.cache of this machine's kind");
}

bool ldcache_entry(const struct ldcache *c, uint32_t i, struct ldcache_entry *ret)
{
    if (i >= c->count)
        return false;
    const unsigned char *p = c->image + c->entries + (size_t)i * c->entry_size;
    *ret = (struct ldcache_entry){.flags = (int32_t)u32(p), .soname = string_at(c, u32(p + 4)), .path = string_at(c, u32(p + 8))};
    if (c->entry_size == NEW_ENTRY)
        ret->hwcap_bits = u32(p + 16) | (uint64_t)u32(p + 20) << 32;
    uint32_t level = (uint32_t)ret->hwcap_bits;
    if ((ret->hwcap_bits & HWCAP_NAMED) && level < c->n_hwcaps)
        ret->hwcap = string_from(c, 0, u32(c->image + c->hwcaps + (size_t)level * 4));
    return ret->soname && ret->path;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Numbers wrap like the loader's int, so that even absurd names are ordered as it orders them. */
static uint32_t take_number(const char **p)
{
    uint32_t v = 0;
    for (; is_digit(**p); ++*p)
        v = v * 10 + (uint32_t)(**p - '0');
    return v;
}

int ldcache_compare(const char *a, const char *b)
{
    while (*a) {
        if (is_digit(*a)) {
            if (!is_digit(*b))
                return 1;
            int32_t x = (int32_t)take_number(&a), y = (int32_t)take_number(&b);
            if (x != y)
                return x < y ? -1 : 1;
        } else if (is_digit(*b)) {
            return -1;
        } else if (*a != *b) {
            return (signed char)*a < (signed char)*b ? -1 : 1;
        } else {
            a++;
            b++;
        }
    }
    return *b ? -1 : 0;
}

static const char *key_at(const struct ldcache *c, uint32_t i)
{
    return string_at(c, u32(c->image + c->entries + (size_t)i * c->entry_size + 4));
}

/* 0: not usable; else the smaller the better. */
static unsigned named_rank(const struct ldcache_entry *e, const struct ldcache_cpu *cpu)
{
    static const char *const levels[] = {"x86-64-v4", "x86-64-v3", "x86-64-v2"};
    uint64_t wanted = (e->hwcap_bits >> 32) & 1023; /* level that the file itself asks for, 0 = v1 */
    if (!cpu->named_hwcaps || wanted >= cpu->level || !e->hwcap)
        return 0;
    for (unsigned i = 0; i < TG_COUNT(levels); i++)
        if (4 - i <= cpu->level && strcmp(e->hwcap, levels[i]) == 0)
            return i + 1;
    return 0;
}

static bool plain_usable(const struct ldcache_entry *e, const struct ldcache_cpu *cpu)
{
    if (e->hwcap_bits == 0)
        return true;
    return cpu->legacy_hwcaps && !(e->hwcap_bits & ~(cpu->legacy_mask | HWCAP_TLS));
}

/* The entries of one name lie side by side; `first` is the first of them. */
static const char *best_of(const struct ldcache *c, uint32_t first, const char *soname, const struct ldcache_cpu *cpu)
{
    const char *best = NULL;
    unsigned best_rank = 0;
    for (uint32_t i = first; i < c->count; i++) {
        struct ldcache_entry e;
        const char *key = key_at(c, i);
        if (!key || ldcache_compare(soname, key) != 0)
            break;
        if (!ldcache_entry(c, i, &e) || e.flags != FLAGS_X86_64)
            continue;
        if (!(e.hwcap_bits & HWCAP_NAMED)) {
            if (!plain_usable(&e, cpu))
                continue;
            return best ? best : e.path;
        }
        unsigned rank = named_rank(&e, cpu);
        if (rank && (!best || rank < best_rank)) {
            best = e.path;
            best_rank = rank;
        }
    }
    return best;
}

const char *ldcache_lookup(const struct ldcache *c, const char *soname, const struct ldcache_cpu *cpu)
{
    for (uint32_t left = 0, right = c->count; left < right;) {
        uint32_t mid = left + (right - left) / 2;
        const char *key = key_at(c, mid);
        if (!key)
            return NULL;
        int order = ldcache_compare(soname, key);
        if (order == 0) {
            while (mid > 0 && (key = key_at(c, mid - 1)) && ldcache_compare(soname, key) == 0)
                mid--;
            return key ? best_of(c, mid, soname, cpu) : NULL;
        }
        if (order < 0)
            left = mid + 1; /* the table is sorted downwards */
        else
            right = mid;
    }
    return NULL;
}
