/* SPDX-License-Identifier: Apache-2.0 */
/* ldso_symbols - relocation as far as it can fail: undefined symbols, static TLS, pages that a cut file lacks.
 * Source: glibc elf/dl-lookup.c (check_match), elf/dl-reloc.c, elf/dl-open.c. A symbol counts as defined when the 32-bit hash of
 * its name is in the provider's DT_GNU_HASH; names are compared only where there is no such table. */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/util.h"
#include "loader/ldso_internal.h"

enum {
    MAX_SYMBOLS = 1 << 20, MAX_TABLE_BYTES = 16 << 20, CHUNK_RELAS = 256
};

struct ldso_symtab {
    bool usable;             /* has a DT_GNU_HASH that could be read */
    uint32_t nbuckets, first, words, shift, n; /* n: number of symbols */
    const unsigned char *bloom, *buckets, *chains, *versym;
};

struct open_obj { struct rfile *rf; struct bytesrc s; };

static bool open_file(struct ldso *p, const struct obj *o, struct open_obj *ret)
{
    if (root_open(p->root, ldso_abs(p, o->o.name), &ret->rf, NULL) < 0)
        return false;
    ret->s = rfile_src(ret->rf);
    return true;
}

static uint32_t u32(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t u64(const unsigned char *p)
{
    return u32(p) | (uint64_t)u32(p + 4) << 32;
}

static uint16_t u16(const unsigned char *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static const unsigned char *read_part(const struct bytesrc *s, struct arena *a, uint64_t off, uint64_t n)
{
    if (off > s->size || n > s->size - off || n > MAX_TABLE_BYTES)
        return NULL;
    unsigned char *b = arena_alloc(a, (size_t)n + 1);
    return bytesrc_read_exact(s, off, b, (size_t)n) < 0 ? NULL : b;
}

/* Index behind the last symbol: the end of the chain that starts last. */
static bool count_symbols(const struct bytesrc *s, struct ldso_symtab *t, uint64_t chains)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < t->nbuckets; i++)
        if (u32(t->buckets + (size_t)i * 4) > last)
            last = u32(t->buckets + (size_t)i * 4);
    t->n = t->first;
    if (last < t->first)
        return true; /* nothing is defined */
    for (t->n = last;; ) {
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
}

static void read_symtab(const struct bytesrc *s, const struct elf *e, struct arena *a, struct ldso_symtab *t)
{
    unsigned char head[16];
    if (!e->gnu_hash || bytesrc_read_exact(s, e->gnu_hash, head, sizeof head) < 0)
        return;
    t->nbuckets = u32(head);
    t->first = u32(head + 4);
    t->words = u32(head + 8);
    t->shift = u32(head + 12) & 31;
    uint64_t bloom = (uint64_t)t->words * 8, buckets = (uint64_t)t->nbuckets * 4, chains = e->gnu_hash + 16 + bloom + buckets;
    if (!t->nbuckets || !t->words || (t->words & (t->words - 1)))
        return;
    t->bloom = read_part(s, a, e->gnu_hash + 16, bloom + buckets);
    t->buckets = t->bloom ? t->bloom + bloom : NULL;
    if (!t->buckets || !count_symbols(s, t, chains))
        return;
    t->chains = read_part(s, a, chains, (uint64_t)(t->n - t->first) * 4);
    t->versym = e->versym ? read_part(s, a, e->versym, (uint64_t)t->n * 2) : NULL;
    t->usable = t->chains && (!e->versym || t->versym);
}

static const struct ldso_symtab *symtab_of(struct ldso *p, struct obj *o)
{
    struct open_obj f;
    if (o->symtab)
        return o->symtab;
    o->symtab = ARENA_NEW(p->a, struct ldso_symtab);
    if (o != p->vdso && open_file(p, o, &f)) {
        read_symtab(&f.s, o->o.elf, p->a, o->symtab);
        rfile_close(f.rf);
    }
    return o->symtab;
}

struct wanted { /* one undefined symbol */
    uint32_t index;          /* in the dynamic symbol table of who wants it */
    const char *name;
    const struct elf_verneed *version; /* NULL: any */
};

enum hit { HIT_NO, HIT_YES, HIT_ABORT };

/* Does this definition have the version that is wanted? */
static enum hit version_fits(const struct ldso *p, const struct obj *o, const unsigned char *versym, const struct wanted *w)
{
    const struct elf *e = o->o.elf;
    if (!versym) /* the loader's assertion: the file that the version was promised of has none */
        return w->version && ldso_names_match(p, o, w->version->file) ? HIT_ABORT : HIT_YES;
    uint16_t v = u16(versym), index = v & 0x7fff;
    if (!w->version)
        return index < 3 || !(v & 0x8000) ? HIT_YES : HIT_NO;
    for (size_t i = 0; i < e->n_verdef; i++)
        if (e->verdef[i].index == index && index > 1)
            return strcmp(e->verdef[i].name, w->version->version) == 0 ? HIT_YES : HIT_NO;
    return index <= 1 && !(v & 0x8000) ? HIT_YES : HIT_NO;
}

static enum hit find_by_name(struct ldso *p, const struct obj *o, const struct wanted *w)
{
    struct open_obj f;
    struct elf_sym sym;
    if (!o->o.elf->hash || !open_file(p, o, &f))
        return HIT_NO;
    int rc = elf_lookup(&f.s, o->o.elf, w->name, NULL, &sym);
    rfile_close(f.rf);
    unsigned char raw[2] = {(unsigned char)sym.versym, (unsigned char)(sym.versym >> 8)};
    return rc > 0 ? version_fits(p, o, o->o.elf->versym ? raw : NULL, w) : HIT_NO;
}

static enum hit find_in(struct ldso *p, struct obj *o, const struct wanted *w, uint32_t h)
{
    const struct ldso_symtab *t = symtab_of(p, o);
    if (!t->usable)
        return find_by_name(p, o, w);
    uint64_t bloom = u64(t->bloom + (size_t)((h / 64) & (t->words - 1)) * 8);
    if (!((bloom >> (h % 64)) & (bloom >> ((h >> t->shift) % 64)) & 1))
        return HIT_NO;
    uint32_t i = u32(t->buckets + (size_t)(h % t->nbuckets) * 4);
    for (; i >= t->first && i < t->n; i++) {
        uint32_t v = u32(t->chains + (size_t)(i - t->first) * 4);
        if ((v | 1) == (h | 1)) {
            enum hit hit = version_fits(p, o, t->versym ? t->versym + (size_t)i * 2 : NULL, w);
            if (hit != HIT_NO)
                return hit;
        }
        if (v & 1)
            break;
    }
    return HIT_NO;
}

/* The program's scope, then the one of the request. */
static enum hit find_symbol(struct ldso *p, const struct obj *asker, struct obj **list, size_t n, const struct wanted *w, struct obj **ret_in)
{
    uint32_t h = elf_gnu_hash(w->name);
    for (size_t i = 0; i < p->n_global + n; i++) {
        *ret_in = i < p->n_global ? p->global[i] : list[i - p->n_global];
        if (*ret_in == asker)
            continue; /* what is undefined in it cannot be found there */
        enum hit hit = find_in(p, *ret_in, w, h);
        if (hit != HIT_NO)
            return hit;
    }
    return HIT_NO;
}

static bool glibc_library(const char *file)
{
    static const char *const names[] = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1",
                                        "libutil.so.1", "ld-linux-x86-64.so.2"};
    for (size_t i = 0; i < TG_COUNT(names); i++)
        if (strcmp(file, names[i]) == 0)
            return true;
    return false;
}

static const struct elf_verneed *version_of(const struct elf *e, const unsigned char *versym, uint32_t index)
{
    uint16_t v = versym ? u16(versym + (size_t)index * 2) & 0x7fff : 0;
    for (size_t i = 0; v > 1 && i < e->n_verneed; i++)
        if (e->verneed[i].index == v)
            return &e->verneed[i];
    return NULL;
}

/* Undefined symbols come first in a table with DT_GNU_HASH; otherwise all are looked at. */
static uint32_t symbols_to_scan(const struct bytesrc *s, const struct elf *e)
{
    unsigned char head[8];
    if (e->gnu_hash && bytesrc_read_exact(s, e->gnu_hash, head, 8) == 0 && u32(head + 4) > 1)
        return u32(head + 4) < MAX_SYMBOLS ? u32(head + 4) : 0;
    if (!e->gnu_hash && e->hash && bytesrc_read_exact(s, e->hash, head, 8) == 0)
        return u32(head + 4) < MAX_SYMBOLS ? u32(head + 4) : 0;
    uint64_t n = e->strtab > e->symtab ? (e->strtab - e->symtab) / sizeof(Elf64_Sym) : 0; /* the usual order of sections */
    return n < MAX_SYMBOLS ? (uint32_t)n : 0;
}

/* The undefined symbols of one object that are worth a look-up. Names are read through windows: they lie near each other. */
static void list_wanted(struct ldso *p, const struct bytesrc *s, const struct elf *e, struct arena *tmp, struct wanted **ret, size_t *ret_n)
{
    uint32_t n = symbols_to_scan(s, e);
    const unsigned char *syms = read_part(s, tmp, e->symtab, (uint64_t)n * sizeof(Elf64_Sym));
    const unsigned char *versym = e->versym ? read_part(s, tmp, e->versym, (uint64_t)n * 2) : NULL;
    uint64_t low = UINT64_MAX, high = 0;
    for (uint32_t i = 1; syms && i < n; i++) {
        const unsigned char *y = syms + (size_t)i * sizeof(Elf64_Sym);
        if (u16(y + 6) != SHN_UNDEF || ELF64_ST_BIND(y[4]) != STB_GLOBAL || !u32(y) || u32(y) >= e->strsz)
            continue;
        const struct elf_verneed *v = version_of(e, versym, i);
        if (v && !p->cfg.glibc_symbols && glibc_library(v->file))
            continue;
        *ARENA_PUSH(tmp, *ret, *ret_n) = (struct wanted){.index = i, .version = v};
        low = u32(y) < low ? u32(y) : low;
        high = u32(y) > high ? u32(y) : high;
    }
    if (!*ret_n)
        return;
    uint64_t span = high - low + 4096 < e->strsz - low ? high - low + 4096 : e->strsz - low;
    const char *names = (const char *)read_part(s, tmp, e->strtab + low, span);
    if (!names) /* too far apart to be read: nothing is claimed about them */
        *ret_n = 0;
    for (size_t i = 0; i < *ret_n; i++)
        (*ret)[i].name = names + (u32(syms + (size_t)(*ret)[i].index * sizeof(Elf64_Sym)) - low);
}

/* Walk the relocations in the loader's order. For each: the symbol's index and the place that is written. true: stop. */
struct rela_walk {
    const struct bytesrc *s;
    const struct elf *e;
    const struct wanted *missing; size_t n_missing;
    uint32_t found;          /* symbol that the first failing relocation names */
    bool cut;                /* a place lies behind the end of the file */
};

static bool rela_fails(struct rela_walk *r, const unsigned char *p)
{
    uint32_t sym = (uint32_t)(u64(p + 8) >> 32);
    uint64_t off;
    if (r->e->is_cut && elf_vaddr_to_off(r->e, u64(p), &off) && off >= (r->s->size + 4095) / 4096 * 4096)
        return r->cut = true;
    for (size_t i = 0; sym && i < r->n_missing; i++)
        if (r->missing[i].index == sym) {
            r->found = sym;
            return true;
        }
    return false;
}

static bool walk_relas(struct rela_walk *r, uint64_t off, uint64_t size)
{
    unsigned char part[CHUNK_RELAS * sizeof(Elf64_Rela)];
    for (uint64_t done = 0; done + sizeof(Elf64_Rela) <= size;) {
        uint64_t want = size - done < sizeof part ? size - done : sizeof part;
        long got = r->s->read(r->s->ctx, off + done, part, (size_t)want);
        if (got < (long)sizeof(Elf64_Rela))
            return false;
        for (long i = 0; i + (long)sizeof(Elf64_Rela) <= got; i += (long)sizeof(Elf64_Rela))
            if (rela_fails(r, part + i))
                return true;
        done += (uint64_t)got / sizeof(Elf64_Rela) * sizeof(Elf64_Rela);
    }
    return false;
}

static bool walk_all(struct rela_walk *r)
{
    const struct elf *e = r->e;
    uint64_t skip = e->is_cut ? 0 : e->rela_count * sizeof(Elf64_Rela);
    return walk_relas(r, e->rela + skip, e->rela_size - skip) || walk_relas(r, e->jmprel, e->jmprel_size);
}

static bool fault_symbol(struct ldso *p, const struct obj *o, const struct wanted *w, struct ldso_fault *f)
{
    *f = (struct ldso_fault){
        .outcome = LDSO_FAILED, .culprit = o->o.asked, .culprit_file = o->o.name,
        .culprit_by = o->o.loader ? o->o.loader->name : NULL,
        .message = arena_printf(p->a, "%s: undefined symbol: %s%s%s", o->o.name, w->name, w->version ? ", version " : "",
                                w->version ? w->version->version : "")};
    return false;
}

static bool fault_kills(const struct obj *o, const char *file, const char *signal, struct ldso_fault *f)
{
    *f = (struct ldso_fault){.outcome = LDSO_KILLED, .signal = signal, .culprit = o->o.asked, .culprit_file = file,
                             .culprit_by = o->o.loader ? o->o.loader->name : NULL};
    return false;
}

/* Symbols of one object; its file is open. */
static bool relocate_open(struct ldso *p, struct obj *o, const struct bytesrc *s, struct obj **list, size_t n, struct arena *tmp,
                          struct ldso_fault *f)
{
    struct wanted *all = NULL, *missing = NULL;
    size_t n_all = 0, n_missing = 0;
    if (p->cfg.check_symbols)
        list_wanted(p, s, o->o.elf, tmp, &all, &n_all);
    for (size_t i = 0; i < n_all; i++) {
        struct obj *in;
        enum hit hit = find_symbol(p, o, list, n, &all[i], &in);
        if (hit == HIT_ABORT)
            return fault_kills(o, in->o.name, "abort", f);
        if (hit == HIT_NO)
            *ARENA_PUSH(tmp, missing, n_missing) = all[i];
    }
    struct rela_walk r = {.s = s, .e = o->o.elf, .missing = missing, .n_missing = n_missing};
    if ((!n_missing && !o->o.elf->is_cut) || !walk_all(&r))
        return true;
    if (r.cut)
        return fault_kills(o, o->o.name, "SIGBUS", f);
    for (size_t i = 0; i < n_missing; i++)
        if (missing[i].index == r.found)
            return fault_symbol(p, o, &missing[i], f);
    return true;
}

static bool relocate_one(struct ldso *p, struct obj *o, struct obj **list, size_t n, struct ldso_fault *f)
{
    const struct elf *e = o->o.elf;
    struct open_obj file;
    struct arena tmp;
    if (o->relocated)
        return true;
    o->relocated = true;
    if ((p->cfg.check_symbols || e->is_cut) && open_file(p, o, &file)) {
        arena_init(&tmp, 0);
        bool fine = relocate_open(p, o, &file.s, list, n, &tmp, f);
        arena_done(&tmp);
        rfile_close(file.rf);
        if (!fine)
            return false;
    }
    if (!e->static_tls || !e->tls_size)
        return true;
    p->static_tls += e->tls_size < MAX_TABLE_BYTES ? e->tls_size : MAX_TABLE_BYTES;
    if (p->static_tls <= p->static_tls_max)
        return true;
    *f = (struct ldso_fault){.outcome = LDSO_FAILED, .culprit = o->o.asked, .culprit_file = o->o.name,
                             .culprit_by = o->o.loader ? o->o.loader->name : NULL,
                             .message = arena_printf(p->a, "%s: cannot allocate memory in static TLS block", o->o.name)};
    return false;
}

/* Dependencies first, each object once: depth first over what it needs. */
struct order { struct obj **out; size_t n; uint32_t stamp; };

static void visit(struct order *v, struct obj *o)
{
    if (o->seen == v->stamp)
        return;
    o->seen = v->stamp;
    for (size_t i = 0; i < o->o.n_deps; i++)
        visit(v, (struct obj *)o->o.deps[i]);
    v->out[v->n++] = o;
}

bool ldso_relocate(struct ldso *p, struct obj **list, size_t n, struct ldso_fault *f)
{
    struct order v = {.out = arena_array(p->a, p->n_objs + 1, sizeof *v.out), .stamp = ++p->stamp};
    for (size_t i = n; i-- > 0;)
        visit(&v, list[i]);
    for (size_t i = 0; i < v.n; i++)
        if (!relocate_one(p, v.out[i], list, n, f))
            return false;
    return true;
}
