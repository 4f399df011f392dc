/* SPDX-License-Identifier: Apache-2.0 */
/* fatbin: sections built here, as plain bytes and inside a small ELF file. */
#include "formats/fatbin.h"
#include <stdlib.h>
#include "../tap.h"

struct out { unsigned char p[65536]; size_t n; };

static void put(struct out *o, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        o->p[o->n++] = (unsigned char)(v >> 8 * i);
}

static void put_at(struct out *o, size_t at, uint64_t v, unsigned bytes)
{
    size_t n = o->n;
    o->n = at;
    put(o, v, bytes);
    o->n = n;
}

struct entry { uint16_t kind, sm; uint64_t flags; uint16_t isa_major, isa_minor, payload; };

static void put_container(struct out *o, const struct entry *e, size_t n)
{
    size_t begin = o->n;
    put(o, 0xBA55ED50u, 4);
    put(o, 1, 2);
    put(o, 16, 2);
    put(o, 0, 8);
    for (size_t i = 0; i < n; i++) {
        put(o, e[i].kind, 2);
        put(o, 0x101, 2);
        put(o, 64, 4);
        put(o, e[i].payload, 8);
        put(o, 0, 8);
        put(o, e[i].isa_minor, 2);
        put(o, e[i].isa_major, 2);
        put(o, e[i].sm, 4);
        put(o, 0, 8);
        put(o, e[i].flags, 8);
        put(o, 0, 16);
        o->n += e[i].payload;
    }
    put_at(o, begin + 8, o->n - begin - 16, 8);
    o->n = (o->n + 7) & ~(size_t)7;
}

static const struct entry base_set[] = {{2, 60, 0x2011, 0, 0, 24}, {2, 90, 0x2011, 0, 0, 8}, {1, 90, 0x2011, 8, 3, 40}};

static void test_plain(void)
{
    static struct out o;
    static const struct entry second[] = {{2, 90, 0x102011, 0, 0, 8}, {2, 120, 0x1202011, 0, 0, 8}, {1, 90, 0x2011, 8, 8, 0}, {7, 50, 0, 0, 0, 8}};
    struct arena a;
    struct fatbin f;
    struct err e;
    o.n = 0;
    put_container(&o, base_set, 3);
    put_container(&o, second, 4);
    struct memsrc m = {o.p, o.n};
    struct bytesrc s = bytesrc_mem(&m);
    arena_init(&a, 0);
    ok(fatbin_scan(&s, 0, o.n, &a, &f, &e) == 0 && f.complete, "a section of two containers is read to its end");
    ok(f.containers == 2 && f.containers_read == 2 && f.entries == 7, "counts of containers and entries");
    ok(fatbin_has(&f, FATBIN_SASS, 60) && fatbin_has(&f, FATBIN_SASS, 90) && fatbin_has(&f, FATBIN_SASS, 120), "machine code");
    ok(fatbin_has(&f, FATBIN_PTX, 90) && !fatbin_has(&f, FATBIN_PTX, 60), "PTX is kept apart");
    ok(!fatbin_has(&f, FATBIN_SASS, 50), "entries of other kinds are ignored");
    ok(f.n_archs == 5 && f.archs[0].kind == FATBIN_PTX && f.archs[0].count == 2 && f.archs[0].isa_minor == 8, "PTX: counted, highest ISA kept");
    ok(f.archs[2].sm == 90 && !f.archs[2].variant && f.archs[3].variant == 'a' && f.archs[4].variant == 'f', "variants a and f");
    ok(fatbin_scan(&s, 0, o.n - 16, &a, &f, &e) == 0 && !f.complete && f.bad_off, "a container beyond the end is damage");
    ok(fatbin_scan(&s, 0, o.n + 64, &a, &f, &e) == 0 && !f.complete, "a section beyond the file is not complete");
    put_at(&o, 16 + 8, UINT64_MAX - 4, 8);
    ok(fatbin_scan(&s, 0, o.n, &a, &f, &e) == 0 && !f.complete && f.bad_off == 16, "an entry larger than its container is named");
    put_at(&o, 16 + 8, 24, 8);
    put_at(&o, 16 + 4, 0, 4);
    ok(fatbin_scan(&s, 0, o.n, &a, &f, &e) == 0 && f.bad_off == 16, "an entry header of 0 bytes does not loop");
    ok(fatbin_scan(&s, 1 << 20, 64, &a, &f, &e) == 0 && f.n_archs == 0 && !f.complete, "a section behind the file holds nothing");
    arena_done(&a);
}

enum { CONTAINERS = 40, HEAD = 64 + 56 };

/* An ELF file of 40 containers; every eighth has sm_100 too. zero: addresses only in relocation records, as lld writes them. */
static void put_elf(struct out *o, bool zero, uint64_t *rela, uint64_t *rela_size)
{
    static const struct entry more[] = {{2, 60, 0, 0, 0, 8}, {2, 90, 0, 0, 0, 8}, {2, 100, 0, 0, 0, 8}};
    static const char names[] = "\0.nv_fatbin\0.nvFatBinSegment\0.shstrtab";
    uint64_t at[CONTAINERS];
    o->n = HEAD;
    memset(o->p, 0, sizeof o->p);
    for (size_t i = 0; i < CONTAINERS; i++) {
        at[i] = o->n;
        put_container(o, i % 8 == 7 ? more : base_set, 3);
    }
    uint64_t fat_end = o->n, seg = o->n;
    for (size_t i = 0; i < CONTAINERS; i++) {
        put(o, 0x466243B1u, 4);
        put(o, 1, 4);
        put(o, zero ? 0 : at[i], 8);
        put(o, 0, 8);
    }
    *rela = o->n;
    for (size_t i = 0; i < 500; i++) { /* others before it, places ascending */
        put(o, 16 + i, 8);
        put(o, 8, 8);
        put(o, 0, 8);
    }
    for (size_t i = 0; i < CONTAINERS; i++) {
        put(o, seg + 8 + 24 * i, 8);
        put(o, 8, 8);
        put(o, at[i], 8);
    }
    put(o, 0, 24);
    *rela_size = o->n - *rela;
    uint64_t str = o->n;
    memcpy(o->p + o->n, names, sizeof names);
    o->n += (sizeof names + 7) & ~(size_t)7;
    uint64_t sh = o->n;
    const uint64_t sections[4][4] = {{0, 0, 0, 0}, {1, 1, HEAD, fat_end - HEAD}, {12, 1, seg, *rela - seg}, {29, 3, str, sizeof names}};
    for (size_t i = 0; i < 4; i++) {
        put(o, sections[i][0], 4);
        put(o, sections[i][1], 4);
        put(o, 2, 8);
        put(o, sections[i][2], 8);
        put(o, sections[i][2], 8);
        put(o, sections[i][3], 8);
        put(o, 0, 24);
    }
    struct out h = {.n = 0};
    put(&h, 0x00010102464C457FULL, 8);
    put(&h, 0, 8);
    put(&h, 3 | 62 << 16 | 1ULL << 32, 8);
    put(&h, 0, 8);
    put(&h, 64, 8);
    put(&h, sh, 8);
    put(&h, 0, 4);
    put(&h, 64 | 56 << 16 | 1ULL << 32 | 64ULL << 48, 8);
    put(&h, 4 | 3 << 16, 4);
    put(&h, 1 | 7ULL << 32, 8);
    put(&h, 0, 24);
    put(&h, o->n, 8);
    put(&h, o->n, 8);
    put(&h, 4096, 8);
    memcpy(o->p, h.p, h.n);
}

static void test_elf(bool zero)
{
    static struct out o;
    const char *kind = zero ? "relocated" : "plain";
    struct arena a;
    struct elf elf;
    struct fatbin f;
    struct err e = {0};
    uint64_t rela, rela_size;
    struct fatbin_opts full = {.full = true}, sample = {0}, tiny = {.max_reads = 1}, isa = {.until_ptx = true};
    put_elf(&o, zero, &rela, &rela_size);
    struct memsrc m = {o.p, o.n};
    struct bytesrc s = bytesrc_mem(&m);
    arena_init(&a, 0);
    ok(elf_read(&s, false, &a, &elf, &e) == 0, "%s: file is read", kind);
    elf.rela = rela;
    elf.rela_size = rela_size;
    ok(fatbin_read(&s, &elf, &full, &a, &f, &e) == 0 && f.complete && f.containers == CONTAINERS && f.entries == 3 * CONTAINERS,
       "%s: full walk", kind);
    ok(fatbin_read(&s, &elf, &sample, &a, &f, &e) == 0 && !f.complete && f.containers == CONTAINERS && f.containers_read < 20,
       "%s: a sample says how many of how many", kind);
    ok(fatbin_has(&f, FATBIN_SASS, 100) && fatbin_has(&f, FATBIN_PTX, 90), "%s: the sample is spread, not the first ones", kind);
    ok(fatbin_read(&s, &elf, &tiny, &a, &f, &e) == 0 && f.containers_read == 2 && !f.complete, "%s: the limit counts", kind);
    ok(fatbin_read(&s, &elf, &isa, &a, &f, &e) == 0 && f.n_archs && f.archs[0].isa_major == 8, "%s: PTX ISA", kind);
    elf.rela_size = 0;
    ok(fatbin_read(&s, &elf, &sample, &a, &f, &e) == 0 && f.containers == CONTAINERS && f.containers_read >= 4, "%s: without records the chain is walked", kind);
    elf.shoff = 0;
    elf.shnum = 0;
    ok(fatbin_read(&s, &elf, &sample, &a, &f, &e) == 0 && !f.has_code && !f.complete, "%s: without section headers nothing is claimed", kind);
    arena_done(&a);
}

int main(void)
{
    test_plain();
    test_elf(false);
    test_elf(true);
    return tap_done();
}
