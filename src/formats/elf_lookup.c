/* SPDX-License-Identifier: Apache-2.0 */
/* elf_lookup - sections by name and defined symbols by DT_GNU_HASH, a few small reads each. */
#include <elf.h>
#include <errno.h>
#include <string.h>
#include "base/util.h"
#include "formats/elf_internal.h"

enum { MAX_SECTIONS = 4096, MAX_CHAIN = 65536, SHDR = 64, SYM = 24,
       NEAR = 128 /* bytes: look-ups go from place to place, and what reads in pages keeps them */ };

static int section_name(struct elf_win *w, uint64_t at, char *ret, size_t cap)
{
    const unsigned char *p;
    uint64_t rest = at < w->s->size ? w->s->size - at : 0;
    size_t n = rest < cap - 1 ? (size_t)rest : cap - 1;
    int rc = n ? elf_win_get(w, at, n, &p) : -EBADMSG;
    if (rc < 0)
        return rc;
    n = strnlen((const char *)p, n);
    memcpy(ret, p, n);
    ret[n] = '\0';
    return 0;
}

/* One section header; `names` is the window for the name table, so that neither window throws the other out. */
static int take_section(const unsigned char *p, struct elf_win *names, uint64_t strings, const char *const *want, size_t n,
                        struct elf_section *ret)
{
    struct elf_section s = {.type = elf_u32(p + 4), .flags = elf_u64(p + 8), .addr = elf_u64(p + 16), .off = elf_u64(p + 24),
                            .size = elf_u64(p + 32)};
    uint64_t at;
    if (s.type == SHT_NULL || __builtin_add_overflow(strings, elf_u32(p), &at))
        return 0;
    int rc = section_name(names, at, s.name, sizeof s.name);
    if (rc < 0)
        return rc == -EBADMSG ? 0 : rc;
    for (size_t k = 0; k < n; k++) {
        if (ret[k].type == SHT_NULL && strcmp(s.name, want[k]) == 0) {
            ret[k] = s;
            return 1;
        }
    }
    return 0;
}

int elf_sections(const struct bytesrc *s, const struct elf *f, const char *const *names, size_t n, struct elf_section *ret, struct err *e)
{
    struct elf_win w = {.s = s}, nw = {.s = s};
    const unsigned char *p;
    memset(ret, 0, n * sizeof *ret);
    if (!f->shoff || f->shentsize != SHDR || f->shnum > MAX_SECTIONS || f->shstrndx >= f->shnum)
        return 0;
    if (f->shoff > s->size || (uint64_t)f->shnum * SHDR > s->size - f->shoff)
        return 0; /* cut off: there are none */
    int rc = elf_win_get(&w, f->shoff + (uint64_t)f->shstrndx * SHDR, SHDR, &p), found = 0;
    uint64_t strings = rc < 0 ? 0 : elf_u64(p + 24);
    for (uint16_t i = 0; rc >= 0 && i < f->shnum && (size_t)found < n; i++) {
        rc = elf_win_get(&w, f->shoff + (uint64_t)i * SHDR, SHDR, &p);
        if (rc == 0)
            rc = take_section(p, &nw, strings, names, n, ret);
        found += rc > 0;
    }
    return rc < 0 ? err_set(e, rc, "cannot read the section headers: %s", strerror(-rc)) : found;
}

uint32_t elf_gnu_hash(const char *name)
{
    enum { F = 33 };
    const unsigned char *s = (const unsigned char *)name;
    uint32_t h = 5381;
    for (; s[0] && s[1] && s[2] && s[3]; s += 4) /* four steps in one, so that a product need not wait for the one before it */
        h = h * (F * F * F * F) + s[0] * (F * F * F) + s[1] * (F * F) + s[2] * F + s[3];
    for (; *s; s++)
        h = h * F + *s;
    return h;
}

/* 1 the string at `at` is `want`, 0 not. */
static int same_string(struct elf_win *w, uint64_t at, const char *want)
{
    const unsigned char *p;
    for (size_t left = strlen(want) + 1; left;) {
        size_t n = left < ELF_WIN ? left : ELF_WIN;
        int rc = elf_win_get(w, at, n, &p);
        if (rc < 0)
            return rc == -EBADMSG ? 0 : rc;
        if (memcmp(p, want, n) != 0)
            return 0;
        at += n;
        want += n;
        left -= n;
    }
    return 1;
}

static bool version_fits(const struct elf *f, uint16_t versym, const char *version)
{
    for (size_t i = 0; i < f->n_verdef; i++)
        if (f->verdef[i].index == (versym & 0x7fff) && strcmp(f->verdef[i].name, version) == 0)
            return true;
    return false;
}

int elf_versym(const struct bytesrc *s, const struct elf *f, uint32_t index, uint16_t *ret)
{
    unsigned char raw[2] = {0};
    int rc = f->versym ? bytesrc_read_exact(s, f->versym + (uint64_t)index * 2, raw, 2) : 0;
    *ret = elf_u16(raw);
    return rc;
}

/* Symbol `idx`, whose hash fits: is it the one? Fills *ret. */
static int take_symbol(const struct bytesrc *s, const struct elf *f, uint32_t idx, const char *name, const char *version, struct elf_win *w,
                       struct elf_sym *ret)
{
    const unsigned char *p;
    int rc = elf_win_get(w, f->symtab + (uint64_t)idx * SYM, SYM, &p);
    if (rc < 0)
        return rc;
    struct elf_sym sym = {.value = elf_u64(p + 8), .size = elf_u64(p + 16), .index = idx, .shndx = elf_u16(p + 6), .info = p[4]};
    uint32_t str = elf_u32(p);
    if (sym.shndx == SHN_UNDEF || str >= f->strsz)
        return 0;
    uint16_t versym;
    if (version && f->n_verdef && (rc = elf_versym(s, f, idx, &versym)) < 0)
        return rc;
    if (version && f->n_verdef && !version_fits(f, versym, version))
        return 0;
    rc = same_string(w, f->strtab + str, name);
    if (rc > 0)
        *ret = sym;
    return rc;
}

static uint32_t sysv_hash(const char *name)
{
    uint32_t h = 0;
    for (; *name; name++) {
        h = (h << 4) + (unsigned char)*name;
        h = (h ^ ((h & 0xf0000000) >> 24)) & 0x0fffffff;
    }
    return h;
}

static int lookup_sysv(const struct bytesrc *s, const struct elf *f, const char *name, const char *version, struct elf_sym *ret)
{
    struct elf_win w = {.s = s};
    unsigned char head[8], word[4];
    int rc = bytesrc_read_exact(s, f->hash, head, sizeof head);
    uint32_t nbucket = rc < 0 ? 0 : elf_u32(head), nchain = rc < 0 ? 0 : elf_u32(head + 4);
    if (!nbucket)
        return rc;
    rc = bytesrc_read_exact(s, f->hash + 8 + (uint64_t)(sysv_hash(name) % nbucket) * 4, word, 4);
    uint32_t idx = rc < 0 ? 0 : elf_u32(word);
    for (size_t step = 0; rc == 0 && idx && idx < nchain && step < MAX_CHAIN; step++) {
        rc = take_symbol(s, f, idx, name, version, &w, ret);
        if (rc == 0)
            rc = bytesrc_read_exact(s, f->hash + 8 + ((uint64_t)nbucket + idx) * 4, word, 4);
        idx = rc < 0 ? 0 : elf_u32(word);
    }
    return rc;
}

int elf_lookup(const struct bytesrc *s, const struct elf *f, const char *name, const char *version, struct elf_sym *ret)
{
    struct elf_win chain = {.s = s, .step = NEAR}, w = {.s = s, .step = NEAR};
    unsigned char head[16], word[8];
    uint32_t h = elf_gnu_hash(name);
    if (!f->symtab || !f->strtab || (!f->gnu_hash && !f->hash))
        return 0;
    if (!f->gnu_hash)
        return lookup_sysv(s, f, name, version, ret);
    int rc = bytesrc_read_exact(s, f->gnu_hash, head, sizeof head);
    if (rc < 0)
        return rc;
    uint32_t nbuckets = elf_u32(head), first = elf_u32(head + 4), words = elf_u32(head + 8), shift = elf_u32(head + 12);
    if (!nbuckets || !words || (words & (words - 1)) || shift > 31)
        return 0;
    rc = bytesrc_read_exact(s, f->gnu_hash + 16 + (uint64_t)((h / 64) & (words - 1)) * 8, word, 8);
    if (rc < 0)
        return rc;
    uint64_t bloom = elf_u64(word);
    if (!((bloom >> (h % 64)) & (bloom >> ((h >> shift) % 64)) & 1))
        return 0;
    uint64_t buckets = f->gnu_hash + 16 + (uint64_t)words * 8, chains = buckets + (uint64_t)nbuckets * 4;
    rc = bytesrc_read_exact(s, buckets + (uint64_t)(h % nbuckets) * 4, word, 4);
    uint32_t idx = rc < 0 ? 0 : elf_u32(word);
    for (size_t step = 0; rc == 0 && idx >= first && step < MAX_CHAIN; idx++, step++) {
        const unsigned char *p;
        rc = elf_win_get(&chain, chains + (uint64_t)(idx - first) * 4, 4, &p);
        if (rc < 0)
            break;
        uint32_t v = elf_u32(p);
        if ((v | 1) == (h | 1))
            rc = take_symbol(s, f, idx, name, version, &w, ret);
        if (v & 1)
            break;
    }
    return rc;
}
