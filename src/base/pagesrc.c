/* SPDX-License-Identifier: Apache-2.0 */
/* pagesrc - 64 pieces of 1 kB (a read of 4 kB costs twice as much), the least recently used one is replaced. */
#include "base/pagesrc.h"
#include <string.h>

enum { PAGE = 1024, PAGES = 64 };

struct page { uint64_t no; uint32_t len, used; }; /* used 0: empty */
struct pagesrc {
    const struct bytesrc *src;
    unsigned reads;
    uint32_t clock;
    int last; /* the page that was used last */
    struct page page[PAGES];
    struct arena *a;
    unsigned char *data[PAGES]; /* made when first needed */
};

struct pagesrc *pagesrc_new(struct arena *a, const struct bytesrc *src)
{
    struct pagesrc *p = ARENA_NEW(a, struct pagesrc);
    p->src = src;
    p->a = a;
    return p;
}

/* The page with this number; its index, or a negative errno. */
static int fetch(struct pagesrc *p, uint64_t no)
{
    int oldest = 0;
    if (p->page[p->last].used && p->page[p->last].no == no)
        return p->last;
    for (int i = 0; i < PAGES; i++) {
        if (p->page[i].used && p->page[i].no == no) {
            p->page[i].used = ++p->clock;
            return p->last = i;
        }
        if (p->page[i].used < p->page[oldest].used)
            oldest = i;
    }
    struct page *g = &p->page[oldest];
    g->used = 0;
    if (!p->data[oldest])
        p->data[oldest] = arena_raw(p->a, PAGE);
    p->reads++;
    long got = p->src->read(p->src->ctx, no * PAGE, p->data[oldest], PAGE);
    if (got < 0)
        return (int)got;
    *g = (struct page){.no = no, .len = (uint32_t)got, .used = ++p->clock};
    return p->last = oldest;
}

static long page_read(void *ctx, uint64_t off, void *dst, size_t n)
{
    struct pagesrc *p = ctx;
    size_t done = 0;
    if (n > PAGE) {
        p->reads++;
        return p->src->read(p->src->ctx, off, dst, n);
    }
    while (done < n && off + done < p->src->size) {
        uint64_t at = off + done;
        int i = fetch(p, at / PAGE);
        size_t skip = (size_t)(at % PAGE), want = n - done < PAGE - skip ? n - done : PAGE - skip;
        if (i < 0 || p->page[i].len < skip + want) { /* a hole in a capture, or the end: ask for exactly this */
            p->reads++;
            long got = p->src->read(p->src->ctx, at, (char *)dst + done, want);
            if (got < 0)
                return got;
            if (got == 0)
                break;
            done += (size_t)got;
            continue;
        }
        memcpy((char *)dst + done, p->data[i] + skip, want);
        done += want;
    }
    return (long)done;
}

struct bytesrc pagesrc_src(struct pagesrc *p)
{
    return (struct bytesrc){.size = p->src->size, .read = page_read, .ctx = p};
}

unsigned pagesrc_reads(const struct pagesrc *p) { return p->reads; }
