/* SPDX-License-Identifier: Apache-2.0 */
/* elf_symbols - reads hash tables, undefined symbols and relocations. */
#include "formats/elf_symbols.h"
#include <elf.h>
#include <errno.h>
#include <string.h>
#include "base/util.h"
#include "formats/elf_internal.h"

enum { MAX_SYMBOLS = 1 << 20, MAX_TABLE_BYTES = 16 << 20, NAME_TAIL = 4096, FEW_NAMES = 16, CHUNK_RELAS = 256, HEAD = 16, ONCE_BYTES = 1 << 18 };

/* n bytes at `off`, with one NUL behind them; NULL when they are not there or too many. */
static const unsigned char *read_part(const struct bytesrc *s, struct arena *a, uint64_t off, uint64_t n)
{
    if (off > s->size || n > s->size - off || n > MAX_TABLE_BYTES)
        return NULL;
    unsigned char *b = arena_raw(a, (size_t)n + 1);
    b[n] = '\0';
    return bytesrc_read_exact(s, off, b, (size_t)n) < 0 ? NULL : b;
}

/* Index of the chain that starts last: it ends with the last symbol. */
static uint32_t last_chain(const struct elf_symtab *t)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < t->nbuckets; i++) {
        uint32_t v = elf_u32(t->buckets + (size_t)i * 4);
        last = v > last ? v : last;
    }
    return last;
}

/* Number of symbols: the end of the chain that starts last. */
static bool count_symbols(const struct bytesrc *s, struct elf_symtab *t, uint64_t chains)
{
    uint32_t last = last_chain(t);
    t->n = last < t->first ? t->first : last;
    while (last >= t->first) {
        unsigned char part[256];
        uint64_t off = chains + (uint64_t)(t->n - t->first) * 4;
        if (off >= s->size || t->n > MAX_SYMBOLS)
            return false;
        long got = s->read(s->ctx, off, part, sizeof part);
        if (got < 4)
            return false;
        for (long i = 0; i + 4 <= got; i += 4) {
            t->n++;
            if (part[i] & 1)
                return true;
        }
    }
    return true; /* nothing is defined */
}

static bool take_head(struct elf_symtab *t, const unsigned char *head)
{
    t->nbuckets = elf_u32(head);
    t->first = elf_u32(head + 4);
    t->words = elf_u32(head + 8);
    t->shift = elf_u32(head + 12) & 31;
    return t->nbuckets && t->words && !(t->words & (t->words - 1));
}

/* The hash table ends where the table behind it begins at the latest: all of it in one read. false: not to be had that way. */
static bool read_at_once(const struct bytesrc *s, const struct elf *f, struct arena *a, struct elf_symtab *t)
{
    const uint64_t tables[] = {f->symtab, f->strtab, f->versym, f->hash, f->rela, f->jmprel};
    uint64_t n = UINT64_MAX;
    for (size_t i = 0; i < TG_COUNT(tables); i++)
        if (tables[i] > f->gnu_hash && tables[i] - f->gnu_hash < n)
            n = tables[i] - f->gnu_hash;
    if (n < HEAD || n > ONCE_BYTES)
        return false;
    const unsigned char *p = read_part(s, a, f->gnu_hash, n);
    if (!p || !take_head(t, p))
        return false;
    uint64_t bloom = (uint64_t)t->words * 8, chains = HEAD + bloom + (uint64_t)t->nbuckets * 4;
    if (chains > n)
        return false;
    t->bloom = p + HEAD;
    t->buckets = t->bloom + bloom;
    t->chains = p + chains;
    uint32_t last = last_chain(t);
    uint64_t room = (n - chains) / 4;
    t->n = last < t->first ? t->first : last;
    for (bool end = last < t->first; !end; t->n++) {
        if (t->n - t->first >= room)
            return false;
        end = t->chains[(size_t)(t->n - t->first) * 4] & 1;
    }
    return true;
}

static bool read_in_parts(const struct bytesrc *s, const struct elf *f, struct arena *a, struct elf_symtab *t)
{
    unsigned char head[HEAD];
    if (bytesrc_read_exact(s, f->gnu_hash, head, sizeof head) < 0 || !take_head(t, head))
        return false;
    uint64_t bloom = (uint64_t)t->words * 8, buckets = (uint64_t)t->nbuckets * 4, chains = f->gnu_hash + HEAD + bloom + buckets;
    t->bloom = read_part(s, a, f->gnu_hash + HEAD, bloom + buckets);
    t->buckets = t->bloom ? t->bloom + bloom : NULL;
    if (!t->buckets || !count_symbols(s, t, chains))
        return false;
    t->chains = read_part(s, a, chains, (uint64_t)(t->n - t->first) * 4);
    return t->chains;
}

void elf_symtab_read(const struct bytesrc *s, const struct elf *f, struct arena *a, struct elf_symtab *ret)
{
    struct elf_symtab *t = ret;
    *t = (struct elf_symtab){0};
    if (!f->gnu_hash || (!read_at_once(s, f, a, t) && !read_in_parts(s, f, a, t)))
        return;
    t->versym = f->versym ? read_part(s, a, f->versym, (uint64_t)t->n * 2) : NULL;
    t->usable = !f->versym || t->versym;
}

uint32_t elf_symtab_next(const struct elf_symtab *t, uint32_t hash, uint32_t after)
{
    uint32_t i = after + 1;
    if (!after) {
        uint64_t bloom = elf_u64(t->bloom + (size_t)((hash / 64) & (t->words - 1)) * 8);
        if (!((bloom >> (hash % 64)) & (bloom >> ((hash >> t->shift) % 64)) & 1))
            return 0;
        i = elf_u32(t->buckets + (size_t)(hash % t->nbuckets) * 4);
    } else if (after < t->first || after >= t->n || (t->chains[(size_t)(after - t->first) * 4] & 1)) {
        return 0; /* it ended its chain */
    }
    for (; i >= t->first && i < t->n; i++) {
        uint32_t v = elf_u32(t->chains + (size_t)(i - t->first) * 4);
        if ((v | 1) == (hash | 1))
            return i;
        if (v & 1)
            break;
    }
    return 0;
}

uint16_t elf_symtab_version(const struct elf_symtab *t, uint32_t index)
{
    return t->versym && index < t->n ? elf_u16(t->versym + (size_t)index * 2) : 1;
}

/* Undefined symbols come first in a file with DT_GNU_HASH; otherwise all symbols are looked at. */
static uint32_t symbols_to_scan(const struct bytesrc *s, const struct elf *f)
{
    unsigned char head[8];
    uint64_t n = 0;
    if (f->first_defined > 1)
        n = f->first_defined;
    else if (f->gnu_hash && bytesrc_read_exact(s, f->gnu_hash, head, 8) == 0 && elf_u32(head + 4) > 1)
        n = elf_u32(head + 4);
    else if (!f->gnu_hash && f->hash && bytesrc_read_exact(s, f->hash, head, 8) == 0)
        n = elf_u32(head + 4);
    else if (f->strtab > f->symtab) /* the usual order of sections */
        n = (f->strtab - f->symtab) / sizeof(Elf64_Sym);
    return n < MAX_SYMBOLS ? (uint32_t)n : 0;
}

/* What DT_VERSYM's numbers stand for: DT_VERNEED's records by their index. */
struct wanted { const struct elf_verneed *v; bool skipped; };

static const struct wanted *wanted_by_index(const struct elf *f, elf_skip_fn *skip, void *ctx, struct arena *a, uint32_t *ret_n)
{
    uint32_t n = 2; /* 0 and 1 name no version */
    for (size_t i = 0; i < f->n_verneed; i++)
        n = f->verneed[i].index >= n ? f->verneed[i].index + 1u : n;
    struct wanted *w = arena_array(a, n, sizeof *w);
    w[0].skipped = w[1].skipped = skip && skip(ctx, NULL);
    for (size_t i = f->n_verneed; i-- > 0;) /* the first one counts */
        if (f->verneed[i].index > 1)
            w[f->verneed[i].index] = (struct wanted){&f->verneed[i], skip && skip(ctx, &f->verneed[i])};
    *ret_n = n;
    return w;
}

/* Few names that lie far apart are read one by one. */
static bool read_names(const struct bytesrc *s, const struct elf *f, const unsigned char *syms, struct arena *a, struct elf_undef *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t off = elf_u32(syms + (size_t)list[i].index * sizeof(Elf64_Sym)), room = f->strsz - off;
        list[i].name = (const char *)read_part(s, a, f->strtab + off, room < NAME_TAIL ? room : NAME_TAIL);
        if (!list[i].name)
            return false;
    }
    return true;
}

int elf_undefined(const struct bytesrc *s, const struct elf *f, elf_skip_fn *skip, void *ctx, struct arena *a, struct elf_undef **ret,
                  size_t *ret_n)
{
    uint32_t n = symbols_to_scan(s, f);
    uint64_t low = UINT64_MAX, high = 0;
    size_t n_list = 0;
    *ret_n = 0;
    if (!f->symtab)
        return 0;
    const unsigned char *syms = read_part(s, a, f->symtab, (uint64_t)n * sizeof(Elf64_Sym));
    const unsigned char *versym = f->versym ? read_part(s, a, f->versym, (uint64_t)n * 2) : NULL;
    if (!syms || (f->versym && !versym))
        return -EBADMSG;
    struct elf_undef *list = arena_raw(a, n * sizeof *list);
    uint32_t n_wanted;
    const struct wanted *wanted = wanted_by_index(f, skip, ctx, a, &n_wanted);
    for (uint32_t i = 1; i < n; i++) {
        const unsigned char *y = syms + (size_t)i * sizeof(Elf64_Sym);
        uint32_t name = elf_u32(y);
        if (elf_u16(y + 6) != SHN_UNDEF || ELF64_ST_BIND(y[4]) != STB_GLOBAL || !name || name >= f->strsz)
            continue;
        uint32_t k = versym ? elf_u16(versym + (size_t)i * 2) & 0x7fff : 0;
        if (k >= n_wanted)
            k = 0;
        if (wanted[k].skipped)
            continue;
        list[n_list++] = (struct elf_undef){.index = i, .version = wanted[k].v};
        low = name < low ? name : low;
        high = name > high ? name : high;
    }
    if (!n_list)
        return 0;
    uint64_t span = high - low + NAME_TAIL < f->strsz - low ? high - low + NAME_TAIL : f->strsz - low;
    bool apart = n_list <= FEW_NAMES && span > n_list * NAME_TAIL;
    const char *names = apart ? NULL : (const char *)read_part(s, a, f->strtab + low, span);
    if (apart ? !read_names(s, f, syms, a, list, n_list) : !names)
        return -EBADMSG;
    for (size_t i = 0; names && i < n_list; i++)
        list[i].name = names + (elf_u32(syms + (size_t)list[i].index * sizeof(Elf64_Sym)) - low);
    *ret = list;
    *ret_n = n_list;
    return 0;
}

static bool walk(const struct bytesrc *s, uint64_t off, uint64_t size, elf_rela_fn *visit, void *ctx)
{
    unsigned char part[CHUNK_RELAS * sizeof(Elf64_Rela)];
    for (uint64_t done = 0; size - done >= sizeof(Elf64_Rela);) {
        uint64_t want = size - done < sizeof part ? size - done : sizeof part;
        long got = s->read(s->ctx, off + done, part, (size_t)want);
        if (got < (long)sizeof(Elf64_Rela))
            return false;
        for (long i = 0; i + (long)sizeof(Elf64_Rela) <= got; i += (long)sizeof(Elf64_Rela))
            if (visit(ctx, elf_u64(part + i), elf_u32(part + i + 12), elf_u32(part + i + 8)))
                return true;
        done += (uint64_t)got / sizeof(Elf64_Rela) * sizeof(Elf64_Rela);
    }
    return false;
}

bool elf_relas(const struct bytesrc *s, const struct elf *f, bool relative, elf_rela_fn *visit, void *ctx)
{
    uint64_t skip = relative ? 0 : f->rela_count * sizeof(Elf64_Rela);
    return walk(s, f->rela + skip, f->rela_size - skip, visit, ctx) || walk(s, f->jmprel, f->jmprel_size, visit, ctx);
}
