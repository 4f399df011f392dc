/* SPDX-License-Identifier: Apache-2.0 */
/* ldcache - glibc's ld.so.cache: which file does it name for a soname? The image is searched in place, never copied.
 * Format: glibc sysdeps/generic/dl-cache.h; rules of the choice: elf/dl-cache.c search_cache. */
#ifndef TG_FORMATS_LDCACHE_H
#define TG_FORMATS_LDCACHE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

enum ldcache_kind {
    LDCACHE_NEW,    /* "glibc-ld.so.cache1.1" alone (ldconfig's default since 2.32) */
    LDCACHE_COMPAT, /* the old table first, the new one behind it (default before 2.32) */
    LDCACHE_OLD     /* "ld.so-1.7.0" alone */
};

struct ldcache {
    enum ldcache_kind kind;
    const unsigned char *image; size_t len; /* the caller's bytes; they must outlive this */
    size_t entries;        /* offset of the first entry */
    size_t entry_size;     /* 24 (new) or 12 (old) */
    uint32_t count;
    size_t strings;        /* what the string offsets of the entries count from */
    size_t hwcaps; uint32_t n_hwcaps; /* array of string offsets that the extension section names; 0 when there is none */
};

/* What the searching loader can use. */
struct ldcache_cpu {
    uint32_t level;          /* x86-64 level 1..4 */
    bool named_hwcaps;       /* glibc >= 2.33: glibc-hwcaps entries count */
    bool legacy_hwcaps;      /* glibc < 2.37: platform and AT_HWCAP entries count */
    uint64_t legacy_mask;    /* bits of such entries that are usable here */
};

/* ldcache_parse - find the tables of an image.
 *
 * p,len:   whole file, any bytes; kept by reference
 * errors:  -EBADMSG  neither format, a count that does not fit, other byte order: for the loader the same as no cache at all
 * cost:    O(1) */
int ldcache_parse(const unsigned char *p, size_t len, struct ldcache *ret, struct err *e);

/* The path for a soname as the loader chooses it, or NULL. Points into the image.
 * Only x86-64 entries count (flags 0x303). The best usable glibc-hwcaps level wins, else the first plain entry. */
const char *ldcache_lookup(const struct ldcache *c, const char *soname, const struct ldcache_cpu *cpu);

struct ldcache_entry { const char *soname, *path, *hwcap; /* level's name or NULL */ int32_t flags; uint64_t hwcap_bits; };
/* Entry i in file order; false when i or one of its strings is outside. */
bool ldcache_entry(const struct ldcache *c, uint32_t i, struct ldcache_entry *ret);
/* The order of the entries: like strcmp, but runs of digits compare as numbers. */
int ldcache_compare(const char *a, const char *b);
#endif
