/* SPDX-License-Identifier: Apache-2.0 */
/* elf_tables - version tables and the strings that elf_read keeps. Sources: LSB "Symbol Versioning"; glibc elf/dl-version.c. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/util.h"
#include "formats/elf_internal.h"

enum {
    MAX_VERSIONS = 16384,    /* of one table; libstdc++ has about 60 */
    MAX_STRING = 1 << 20,    /* bytes; the longest real one seen is a RUNPATH of 20 kB */
    STR_TAIL = 256,          /* read behind the last wanted offset: most strings are shorter */
    STR_GAP = 4096,          /* larger holes are not read */
    STR_SPAN = 1 << 16,
    STR_NEAR = 1 << 13,      /* strings within so many bytes are kept as the one piece that they were read in */
    FEW = 64
};

void elf_strs_want(struct elf_strs *q, uint64_t off, const char **dst)
{
    *ARENA_PUSH(q->tmp, q->refs, q->n) = (struct elf_strref){off, dst};
}

static int by_offset(const void *a, const void *b)
{
    const struct elf_strref *x = a, *y = b;
    return x->off < y->off ? -1 : x->off > y->off;
}

/* A stretch of the string table in memory. */
struct stretch { uint64_t off; size_t len, cap; char *p; };

/* Make [t->off, t->off + want) available; the part that is there already is kept. */
static int stretch_read(struct stretch *t, const struct bytesrc *s, uint64_t base, size_t want)
{
    if (want > t->cap) {
        char *p = realloc(t->p, want);
        if (!p)
            return -ENOMEM;
        t->p = p;
        t->cap = want;
    }
    while (t->len < want) {
        long n = s->read(s->ctx, base + t->off + t->len, t->p + t->len, want - t->len);
        if (n < 0)
            return t->len ? 1 : (int)n; /* what a capture holds may be enough */
        if (n == 0) { /* behind the end, but in the last page: zeros */
            memset(t->p + t->len, 0, want - t->len);
            t->len = want;
        } else {
            t->len += (size_t)n;
        }
    }
    return 0;
}

/* Bytes that are worth reading at once from refs[i] on. */
static size_t span_of(const struct elf_strs *q, size_t i)
{
    uint64_t first = q->refs[i].off, last = first;
    for (; i < q->n && q->refs[i].off - last < STR_GAP && q->refs[i].off - first < STR_SPAN; i++)
        last = q->refs[i].off;
    return (size_t)(last - first) + STR_TAIL;
}

static int fetch_one(struct stretch *t, const struct bytesrc *s, uint64_t base, uint64_t strsz, const struct elf_strs *q, size_t i,
                     struct arena *a)
{
    const struct elf_strref *r = &q->refs[i];
    uint64_t most = strsz - r->off;
    if (r->off < t->off || r->off - t->off >= t->len) {
        size_t span = span_of(q, i);
        t->off = r->off;
        t->len = 0;
        int rc = stretch_read(t, s, base, most < span ? (size_t)most : span);
        if (rc < 0)
            return rc;
    }
    for (;;) {
        const char *from = t->p + (r->off - t->off);
        size_t have = t->len - (size_t)(r->off - t->off);
        const char *nul = memchr(from, '\0', have);
        if (nul || have >= most) {
            *r->dst = arena_strndup(a, from, nul ? (size_t)(nul - from) : (size_t)most);
            return 0;
        }
        if (have >= MAX_STRING)
            return -EBADMSG;
        uint64_t want = (uint64_t)t->len * 2 + STR_TAIL, limit = strsz - t->off;
        size_t before = t->len;
        int rc = stretch_read(t, s, base, want < limit ? (size_t)want : (size_t)limit);
        if (rc < 0 || (rc > 0 && t->len == before))
            return rc < 0 ? rc : -ENODATA;
    }
}

/* Few, and nearly sorted as a rule. */
static void sort_few(struct elf_strref *r, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct elf_strref x = r[i];
        size_t k = i;
        for (; k && r[k - 1].off > x.off; k--)
            r[k] = r[k - 1];
        r[k] = x;
    }
}

/* Strings that lie together, as they do in most files: one read, and no copies. false: not all of them were to be had that way. */
static bool fetch_piece(struct elf_strs *q, const struct bytesrc *s, uint64_t strtab, uint64_t strsz, struct arena *a)
{
    uint64_t low = UINT64_MAX, high = 0;
    for (size_t i = 0; i < q->n; i++) {
        low = q->refs[i].off < low ? q->refs[i].off : low;
        high = q->refs[i].off > high ? q->refs[i].off : high;
    }
    if (!q->n || high >= strsz || high - low > STR_NEAR)
        return false;
    size_t len = strsz - low < high - low + STR_TAIL ? (size_t)(strsz - low) : (size_t)(high - low) + STR_TAIL;
    char *p = arena_raw(a, len + 1);
    if (bytesrc_read_exact(s, strtab + low, p, len) < 0 || !memchr(p + (high - low), '\0', len - (size_t)(high - low)))
        return false;
    for (size_t i = 0; i < q->n; i++)
        *q->refs[i].dst = p + (q->refs[i].off - low);
    return true;
}

int elf_strs_fetch(struct elf_strs *q, const struct bytesrc *s, uint64_t strtab, uint64_t strsz, struct arena *a)
{
    struct stretch t = {0};
    int rc = 0;
    uint64_t end = (s->size + ELF_PAGE - 1) / ELF_PAGE * ELF_PAGE, mapped = strtab < end ? end - strtab : 0;
    if (strsz > mapped)
        strsz = mapped;
    if (fetch_piece(q, s, strtab, strsz, a))
        return 0;
    if (q->n <= FEW)
        sort_few(q->refs, q->n);
    else
        qsort(q->refs, q->n, sizeof *q->refs, by_offset);
    for (size_t i = 0; i < q->n && rc == 0; i++) {
        if (q->refs[i].off >= strsz)
            rc = -EBADMSG;
        else if (i > 0 && q->refs[i].off == q->refs[i - 1].off)
            *q->refs[i].dst = *q->refs[i - 1].dst;
        else
            rc = fetch_one(&t, s, strtab, strsz, q, i, a);
    }
    for (size_t i = 0; i < q->n; i++)
        if (!*q->refs[i].dst)
            *q->refs[i].dst = "";
    free(t.p);
    return rc;
}

/* Records are chained by offsets: they may point anywhere, so the number of steps is bounded. */
static int count_needs(struct elf_win *w, uint64_t need, size_t *ret_n)
{
    const unsigned char *p;
    size_t n = 0, files = 0, most = w->s->size / 16 < MAX_VERSIONS ? (size_t)(w->s->size / 16) : MAX_VERSIONS;
    for (uint64_t at = need; n < most && files < most; files++) {
        int rc = elf_win_get(w, at, 16, &p);
        if (rc < 0)
            return rc;
        n += elf_u16(p + 2);
        uint32_t next = elf_u32(p + 12);
        if (!next)
            break;
        at += next;
    }
    *ret_n = n < most ? n : most;
    return 0;
}

/* The versions wanted of one file. */
static int read_need_aux(struct elf_win *w, uint64_t at, size_t n, size_t max, struct elf_strs *q, struct elf *f)
{
    const unsigned char *p;
    for (size_t i = 0; i < n && f->n_verneed < max; i++) {
        int rc = elf_win_get(w, at, 16, &p);
        if (rc < 0)
            return rc;
        struct elf_verneed *v = &f->verneed[f->n_verneed++];
        v->hash = elf_u32(p);
        v->weak = elf_u16(p + 4) & 2; /* VER_FLG_WEAK */
        v->index = elf_u16(p + 6) & 0x7fff;
        elf_strs_want(q, elf_u32(p + 8), &v->version);
        uint32_t next = elf_u32(p + 12);
        if (!next)
            break;
        at += next;
    }
    return 0;
}

static int read_needs(struct elf_win *w, uint64_t need, struct elf_strs *q, struct arena *a, struct elf *f)
{
    const unsigned char *p;
    size_t max;
    int rc = count_needs(w, need, &max);
    if (rc < 0)
        return rc;
    f->verneed = arena_array(a, max, sizeof *f->verneed);
    size_t files = 0;
    for (uint64_t at = need; f->n_verneed < max && files < max; files++) {
        rc = elf_win_get(w, at, 16, &p);
        if (rc < 0)
            return rc;
        uint32_t next = elf_u32(p + 12), file = elf_u32(p + 4);
        size_t first = f->n_verneed;
        rc = read_need_aux(w, at + elf_u32(p + 8), elf_u16(p + 2), max, q, f);
        for (size_t i = first; i < f->n_verneed; i++)
            elf_strs_want(q, file, &f->verneed[i].file);
        if (rc < 0 || !next)
            return rc;
        at += next;
    }
    return 0;
}

static int count_defs(struct elf_win *w, uint64_t def, size_t *ret_n)
{
    const unsigned char *p;
    size_t n = 0;
    for (uint64_t at = def; n < MAX_VERSIONS; n++) {
        int rc = elf_win_get(w, at, 20, &p);
        if (rc < 0)
            return rc;
        uint32_t next = elf_u32(p + 16);
        if (!next) {
            n++;
            break;
        }
        at += next;
    }
    *ret_n = n;
    return 0;
}

static int read_defs(struct elf_win *w, uint64_t def, struct elf_strs *q, struct arena *a, struct elf *f)
{
    const unsigned char *p;
    size_t n;
    int rc = count_defs(w, def, &n);
    if (rc < 0)
        return rc;
    f->verdef = arena_array(a, n, sizeof *f->verdef);
    for (uint64_t at = def; f->n_verdef < n;) {
        rc = elf_win_get(w, at, 20, &p);
        if (rc < 0)
            return rc;
        struct elf_verdef *v = &f->verdef[f->n_verdef];
        *v = (struct elf_verdef){.hash = elf_u32(p + 8), .index = elf_u16(p + 4) & 0x7fff};
        uint32_t next = elf_u32(p + 16);
        rc = elf_win_get(w, at + elf_u32(p + 12), 8, &p);
        if (rc < 0)
            return rc;
        elf_strs_want(q, elf_u32(p), &v->name);
        f->n_verdef++;
        at += next;
    }
    return 0;
}

int elf_read_versions(struct elf_win *w, uint64_t need, uint64_t def, struct elf_strs *q, struct arena *a, struct elf *f)
{
    const unsigned char *p;
    if (def && need > def && need - def < ELF_WIN / 2)
        (void)elf_win_get(w, def, 20, &p); /* linkers put one behind the other: both come with one read */
    int rc = need ? read_needs(w, need, q, a, f) : 0;
    return rc == 0 && def ? read_defs(w, def, q, a, f) : rc;
}
