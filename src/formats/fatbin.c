/* SPDX-License-Identifier: Apache-2.0 */
/* fatbin - the containers and entries of .nv_fatbin, by full walk or by sample. */
#include "formats/fatbin.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t container_magic = 0xBA55ED50u, segment_magic = 0x466243B1u;
enum {
    CONTAINER_HEADER = 16,
    ENTRY_HEADER = 48,       /* the part that is read: up to and with the flags */
    WINDOW = 192,            /* header of a container and of its first entry, or small entries in a row */
    SEGMENT_SIZE = 24,
    RELA_SIZE = 24,
    RELA_CHUNK = 170, /* records that one read looks at: a page */
    R_X86_64_RELATIVE = 8,
    SAMPLE_DRY = 4,          /* containers in a row without news that end a sample */
    MAX_SEGMENTS = 1 << 16,
    MAX_ARCHS = 256,
    SECTION_NOBITS = 8,
};
enum { PT_LOAD = 1, PF_W = 2, FLAG_VARIANT_A = 0x100000, FLAG_VARIANT_F = 0x200000 };

struct reader {
    const struct bytesrc *s;
    struct arena *a;
    struct fatbin *out;
    uint64_t begin, end; /* of the section */
    unsigned char win[WINDOW];
    uint64_t win_off;
    size_t win_len;
    bool until_ptx, has_ptx;
    bool news; /* the last container brought an arch that was not known */
};

static uint16_t u16(const unsigned char *p) { return (uint16_t)(p[0] | p[1] << 8); }
static uint32_t u32(const unsigned char *p) { return u16(p) | (uint32_t)u16(p + 2) << 16; }
static uint64_t u64(const unsigned char *p) { return u32(p) | (uint64_t)u32(p + 4) << 32; }

/* n bytes at off: out of the window, or after a read that moves it there. */
static int look(struct reader *r, uint64_t off, size_t n, const unsigned char **ret)
{
    if (off < r->win_off || off - r->win_off > r->win_len || r->win_len - (off - r->win_off) < n) {
        long got = r->s->read(r->s->ctx, off, r->win, WINDOW);
        r->out->reads++;
        r->win_off = off;
        r->win_len = got > 0 ? (size_t)got : 0;
        if (got < 0)
            return (int)got;
        if (r->win_len < n)
            return -EBADMSG;
    }
    *ret = r->win + (off - r->win_off);
    return 0;
}

static void note_bad(struct reader *r, uint64_t off)
{
    if (!r->out->bad_off)
        r->out->bad_off = off;
}

static void add_entry(struct reader *r, const unsigned char *h)
{
    struct fatbin *f = r->out;
    uint32_t sm = u32(h + 28);
    uint64_t flags = u64(h + 40);
    uint16_t kind = u16(h);
    f->entries++;
    if ((kind != FATBIN_PTX && kind != FATBIN_SASS) || sm > UINT16_MAX)
        return;
    struct fatbin_arch n = {.sm = (uint16_t)sm, .kind = (uint8_t)kind,
                            .variant = flags & FLAG_VARIANT_A ? 'a' : flags & FLAG_VARIANT_F ? 'f' : 0};
    size_t i = 0;
    while (i < f->n_archs && (f->archs[i].sm != n.sm || f->archs[i].kind != n.kind || f->archs[i].variant != n.variant))
        i++;
    if (i == f->n_archs) {
        if (i == MAX_ARCHS)
            return;
        *ARENA_PUSH(r->a, f->archs, f->n_archs) = n;
        r->news = true;
    }
    struct fatbin_arch *k = &f->archs[i];
    k->count++;
    r->has_ptx |= kind == FATBIN_PTX;
    uint16_t minor = u16(h + 24), major = u16(h + 26);
    if (kind == FATBIN_PTX && (major > k->isa_major || (major == k->isa_major && minor > k->isa_minor))) {
        k->isa_major = major;
        k->isa_minor = minor;
    }
}

/* One container at off. Gives the offset behind it, or 0 when there is none (padding, damage). */
static int read_container(struct reader *r, uint64_t off, uint64_t *ret_next)
{
    const unsigned char *h;
    *ret_next = 0;
    if (r->end - off < CONTAINER_HEADER)
        return 0;
    int rc = look(r, off, CONTAINER_HEADER, &h);
    if (rc)
        return rc;
    uint64_t head = u16(h + 6), size = u64(h + 8);
    if (u32(h) != container_magic || head < CONTAINER_HEADER || size > r->end - off || head > r->end - off - size) {
        note_bad(r, off);
        return 0;
    }
    uint64_t stop = off + head + size;
    for (uint64_t p = off + head; stop - p >= ENTRY_HEADER;) {
        rc = look(r, p, ENTRY_HEADER, &h);
        if (rc)
            return rc;
        uint64_t ehead = u32(h + 4), esize = u64(h + 8);
        if (ehead < ENTRY_HEADER || ehead > stop - p || esize > stop - p - ehead) {
            note_bad(r, p);
            break;
        }
        add_entry(r, h);
        p += ehead + esize;
    }
    r->out->containers_read++;
    *ret_next = stop > UINT64_MAX - 7 ? 0 : (stop + 7) & ~(uint64_t)7;
    return 0;
}

/* From the start of the section on, container by container. budget 0: to the end. */
static int walk_chain(struct reader *r, uint32_t budget)
{
    struct fatbin *f = r->out;
    uint64_t off = r->begin;
    uint32_t dry = 0;
    while (off < r->end && r->end - off >= CONTAINER_HEADER) {
        if (budget && (f->reads >= budget || dry >= SAMPLE_DRY || (r->until_ptx && r->has_ptx)))
            return 0;
        uint64_t next;
        r->news = false;
        int rc = read_container(r, off, &next);
        if (rc)
            return rc;
        if (!next)
            break;
        dry = r->news ? 0 : dry + 1;
        off = next;
    }
    f->complete = !f->bad_off;
    if (f->containers < f->containers_read || f->complete)
        f->containers = f->containers_read;
    return 0;
}

/* Index of the R_X86_64_RELATIVE record whose place is `want`; n when there is none. The linker sorts them by place and puts
 * them first, so a search that guesses by proportion, looks at a page at a time and begins at the end (the wrappers are
 * among the last data) needs a few reads. */
static int find_reloc(struct reader *r, const struct elf *f, uint64_t n, uint64_t want, uint64_t *ret)
{
    uint64_t lo = 0, hi = f->rela_count && f->rela_count < n ? f->rela_count : n, lo_at = UINT64_MAX, hi_at = want + 1;
    unsigned char *page = arena_array(r->a, RELA_CHUNK, RELA_SIZE);
    *ret = n;
    for (size_t i = 0; i < f->n_segs; i++) /* places lie in the writable segments */
        if (f->segs[i].type == PT_LOAD && f->segs[i].flags & PF_W && f->segs[i].vaddr < lo_at)
            lo_at = f->segs[i].vaddr;
    for (int i = 0; lo < hi && i < 40; i++) {
        uint64_t mid = lo + (hi - lo) / 2;
        if (i % 2 && want > lo_at && hi_at > want)
            mid = lo + (uint64_t)((double)(hi - lo) * ((double)(want - lo_at) / (double)(hi_at - lo_at)));
        mid = i == 0 ? hi - 1 : mid;
        mid = mid - lo < RELA_CHUNK - 1 ? lo : i == 0 ? hi - RELA_CHUNK : mid - RELA_CHUNK / 2;
        uint64_t k = 0, got = hi - mid < RELA_CHUNK ? hi - mid : RELA_CHUNK;
        r->out->reads++;
        int rc = bytesrc_read_exact(r->s, f->rela + mid * RELA_SIZE, page, (size_t)got * RELA_SIZE);
        if (rc)
            return rc == -EBADMSG ? 0 : rc;
        while (k < got && u64(page + k * RELA_SIZE + 8) == R_X86_64_RELATIVE && u64(page + k * RELA_SIZE) < want)
            k++;
        bool relative = k < got && u64(page + k * RELA_SIZE + 8) == R_X86_64_RELATIVE;
        if (relative && u64(page + k * RELA_SIZE) == want) {
            *ret = mid + k;
            return 0;
        }
        if (k == got) {
            lo = mid + got;
            lo_at = u64(page + (got - 1) * RELA_SIZE);
        } else if (k) {
            return 0; /* want lies between two records */
        } else {
            hi = mid;
            hi_at = relative ? u64(page) : hi_at;
        }
    }
    return 0;
}

/* Addresses from the records of the wrappers: one each, some have a second one for their last field. Zero where none is. */
static int read_relocs(struct reader *r, const struct elf *f, const struct elf_section *seg, uint64_t n, uint64_t *addr)
{
    uint64_t total = f->rela_size / RELA_SIZE, first;
    int rc = find_reloc(r, f, total, seg->addr + 8, &first);
    if (rc || first >= total)
        return rc;
    uint64_t got = total - first < 2 * n ? total - first : 2 * n;
    unsigned char *raw = arena_array(r->a, got, RELA_SIZE);
    r->out->reads++;
    rc = bytesrc_read_exact(r->s, f->rela + first * RELA_SIZE, raw, (size_t)got * RELA_SIZE);
    if (rc)
        return rc == -EBADMSG ? 0 : rc;
    for (uint64_t i = 0; i < got; i++) {
        uint64_t at = u64(raw + i * RELA_SIZE) - seg->addr;
        if (u64(raw + i * RELA_SIZE + 8) != R_X86_64_RELATIVE || at / SEGMENT_SIZE >= n)
            break;
        if (at % SEGMENT_SIZE == 8)
            addr[at / SEGMENT_SIZE] = u64(raw + i * RELA_SIZE + 16);
    }
    return 0;
}

/* Addresses of the containers from the wrappers. Linkers that do not repeat the addend in place (lld) leave them zero; then
 * the relocation records tell. Leaves ret_n 0 when neither does. */
static int read_segments(struct reader *r, const struct elf *f, const struct elf_section *seg, uint64_t **ret, uint32_t *ret_n)
{
    uint64_t n = seg->size / SEGMENT_SIZE;
    *ret_n = 0;
    if (!n || n > MAX_SEGMENTS || seg->type == SECTION_NOBITS)
        return 0;
    unsigned char *raw = arena_array(r->a, n, SEGMENT_SIZE);
    uint64_t *addr = arena_array(r->a, n, sizeof *addr);
    r->out->reads++;
    int rc = bytesrc_read_exact(r->s, seg->off, raw, (size_t)n * SEGMENT_SIZE);
    if (rc)
        return rc == -EBADMSG ? 0 : rc;
    bool zero = u64(raw + 8) == 0;
    for (uint64_t i = 0; i < n; i++) {
        if (u32(raw + i * SEGMENT_SIZE) != segment_magic)
            return 0;
        addr[i] = u64(raw + i * SEGMENT_SIZE + 8);
    }
    if (zero) {
        rc = read_relocs(r, f, seg, n, addr);
        if (rc)
            return rc;
    }
    uint32_t kept = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t off;
        if (addr[i] && elf_vaddr_to_off(f, addr[i], &off) && off >= r->begin && off < r->end)
            addr[kept++] = off;
    }
    *ret = addr;
    *ret_n = kept;
    return 0;
}

/* t-th place of an even spread over n: both ends, the middle, the quarters, the eighths … */
static uint32_t spread(uint32_t t, uint32_t n)
{
    if (t < 2)
        return t ? n - 1 : 0;
    uint32_t m = t - 1, level = 1;
    while (m >> level)
        level++;
    uint64_t k = 2 * (uint64_t)(m - (1u << (level - 1))) + 1;
    return (uint32_t)(((uint64_t)(n - 1) * k) >> level);
}

static int read_sample(struct reader *r, const uint64_t *at, uint32_t n, uint32_t budget)
{
    unsigned char *seen = arena_alloc(r->a, n);
    uint32_t dry = 0;
    r->out->containers = n;
    for (uint32_t t = 0; t < 4 * n && dry < SAMPLE_DRY && !(r->until_ptx && r->has_ptx); t++) {
        uint32_t i = spread(t, n);
        uint64_t next;
        if (seen[i])
            continue;
        if (r->out->reads >= budget && r->out->containers_read >= 2)
            break;
        seen[i] = 1;
        r->news = false;
        int rc = read_container(r, at[i], &next);
        if (rc)
            return rc;
        dry = r->news ? 0 : dry + 1;
    }
    return 0;
}

static int by_arch(const void *x, const void *y)
{
    const struct fatbin_arch *a = x, *b = y;
    int d = (int)a->kind - (int)b->kind;
    if (!d)
        d = (int)a->sm - (int)b->sm;
    return d ? d : a->variant - b->variant;
}

static int finish(struct reader *r, int rc, struct fatbin *ret, struct err *e)
{
    if (rc)
        return err_set(e, rc, "fat binary: cannot read at offset %llu", (unsigned long long)r->win_off);
    if (r->out->n_archs)
        qsort(r->out->archs, r->out->n_archs, sizeof *r->out->archs, by_arch);
    *ret = *r->out;
    return 0;
}

int fatbin_scan(const struct bytesrc *s, uint64_t off, uint64_t size, struct arena *a, struct fatbin *ret, struct err *e)
{
    struct fatbin out = {.has_code = size != 0};
    struct reader r = {.s = s, .a = a, .out = &out, .begin = off, .end = off};
    if (off <= s->size)
        r.end = off + (size < s->size - off ? size : s->size - off);
    int rc = walk_chain(&r, 0);
    if (off > s->size || size > s->size - off)
        out.complete = false;
    return finish(&r, rc, ret, e);
}

int fatbin_read(const struct bytesrc *s, const struct elf *f, const struct fatbin_opts *o, struct arena *a,
                struct fatbin *ret, struct err *e)
{
    static const char *const names[] = {".nv_fatbin", "__nv_relfatbin", ".nvFatBinSegment"};
    struct elf_section sec[3] = {0};
    struct fatbin out = {0};
    int rc = elf_sections(s, f, names, 3, sec, e);
    if (rc < 0)
        return rc;
    out.has_rel = sec[1].type != 0 && sec[1].size != 0;
    out.has_code = sec[0].type != 0 && sec[0].type != SECTION_NOBITS && sec[0].size != 0;
    if (!out.has_code) {
        out.complete = rc > 0 || f->shnum > 0;
        *ret = out;
        return 0;
    }
    struct reader r = {.s = s, .a = a, .out = &out, .begin = sec[0].off, .end = sec[0].off, .until_ptx = o->until_ptx};
    if (sec[0].off <= s->size)
        r.end = sec[0].off + (sec[0].size < s->size - sec[0].off ? sec[0].size : s->size - sec[0].off);
    uint64_t *at = NULL;
    uint32_t n = 0, budget = o->max_reads ? o->max_reads : FATBIN_SAMPLE_READS;
    if (!o->full) {
        rc = read_segments(&r, f, &sec[2], &at, &n);
        if (rc)
            return finish(&r, rc, ret, e);
        budget += out.reads;
    }
    if (!o->full && n > SAMPLE_DRY) {
        rc = read_sample(&r, at, n, budget);
    } else {
        out.containers = sec[2].type && !out.has_rel && sec[2].size / SEGMENT_SIZE < MAX_SEGMENTS ? (uint32_t)(sec[2].size / SEGMENT_SIZE) : 0;
        rc = walk_chain(&r, o->full ? 0 : budget);
    }
    if (r.end - r.begin < sec[0].size)
        out.complete = false; /* the file ends before the section does */
    return finish(&r, rc, ret, e);
}

bool fatbin_has(const struct fatbin *f, enum fatbin_kind kind, uint16_t sm)
{
    for (size_t i = 0; i < f->n_archs; i++)
        if (f->archs[i].kind == kind && f->archs[i].sm == sm)
            return true;
    return false;
}
