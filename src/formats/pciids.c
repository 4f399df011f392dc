/* SPDX-License-Identifier: Apache-2.0 */
/* pciids - names of PCI devices from pci.ids, by bisection over the bytes. */
#include "formats/pciids.h"
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include "base/util.h"

enum { WINDOW = 4096, NARROW = 512 };

struct win { uint64_t off; size_t n; char p[WINDOW + 1]; }; /* bytes [off, off+n) of the file */
struct mark { uint64_t line, next; uint32_t id; };         /* a line that has an id, and where the next line begins */

static int win_load(const struct bytesrc *s, struct win *w, uint64_t off)
{
    long n = s->read(s->ctx, off, w->p, WINDOW);
    if (n < 0)
        return (int)n;
    w->off = off;
    w->n = (size_t)n;
    w->p[w->n] = '\0';
    return 0;
}

/* Id of a vendor line ("10de  …") or, with `device`, of a device line ("\t2684  …"). Classes count as beyond every vendor. */
static bool line_id(const char *p, size_t n, bool device, uint32_t *ret)
{
    uint64_t v;
    if (!device && n >= 2 && p[0] == 'C' && p[1] == ' ') {
        *ret = UINT32_MAX;
        return true;
    }
    if (device && (n < 1 || p[0] != '\t'))
        return false;
    p += device;
    n -= device;
    if (n < 6 || p[4] != ' ' || p[5] != ' ' || str_to_u64(p, 4, 16, &v) < 0)
        return false;
    *ret = (uint32_t)v;
    return true;
}

/* First line with an id that begins in [from, to). `from` is a line's start when `at_line`, else the first partial line is skipped.
 * 1 found, 0 none, negative errno. */
static int seek_id(const struct bytesrc *s, struct win *w, uint64_t from, uint64_t to, bool at_line, bool device, struct mark *ret)
{
    bool skip = !at_line;
    for (uint64_t off = from; off < to;) {
        int r = win_load(s, w, off);
        if (r < 0)
            return r;
        if (w->n == 0)
            return 0;
        size_t i = 0;
        while (i < w->n && off + i < to) {
            const char *nl = memchr(w->p + i, '\n', w->n - i);
            if (!nl && off + w->n < s->size && i > 0)
                break; /* cut by the window: read on from this line */
            size_t l = nl ? (size_t)(nl - (w->p + i)) : w->n - i;
            if (!skip && line_id(w->p + i, l, device, &ret->id)) {
                ret->line = off + i;
                ret->next = off + i + l + (nl ? 1 : 0);
                return 1;
            }
            skip = !nl; /* a line longer than the window goes on in the next one */
            i += l + (nl ? 1 : 0);
        }
        off += i;
    }
    return 0;
}

/* First line in [lo, hi) with an id of `want` or more; lo is the start of a line. 1 found, 0 none, negative errno. */
static int lower_bound(const struct bytesrc *s, struct win *w, uint64_t lo, uint64_t hi, uint32_t want, bool device, struct mark *ret)
{
    struct mark m, best = {.id = 0};
    bool have = false;
    int r;
    while (hi > lo && hi - lo > NARROW) {
        uint64_t mid = lo + (hi - lo) / 2;
        if ((r = seek_id(s, w, mid, hi, false, device, &m)) < 0)
            return r;
        if (r == 1 && m.id < want) {
            lo = m.next;
            continue;
        }
        if (r == 1) {
            best = m;
            have = true;
        }
        hi = mid + 1; /* a line that begins at mid itself was not seen */
    }
    while (lo < hi && (r = seek_id(s, w, lo, hi, true, device, &m)) != 0) {
        if (r < 0)
            return r;
        if (m.id >= want) {
            *ret = m;
            return 1;
        }
        lo = m.next;
    }
    *ret = best;
    return have;
}

/* Bytes in which the vendor's devices lie. */
static int vendor_range(const struct bytesrc *s, struct win *w, uint16_t vendor, uint64_t *ret_lo, uint64_t *ret_hi)
{
    struct mark v, end;
    int r = lower_bound(s, w, 0, s->size, vendor, false, &v);
    if (r <= 0 || v.id != vendor)
        return r < 0 ? r : 0;
    if ((r = lower_bound(s, w, v.next, s->size, (uint32_t)vendor + 1, false, &end)) < 0)
        return r;
    *ret_lo = v.next;
    *ret_hi = r == 1 ? end.line : s->size;
    return 1;
}

int pciids_find(const struct bytesrc *s, uint16_t vendor, uint16_t device, struct arena *a, const char **ret, struct err *e)
{
    enum { HEAD = 7 }; /* tab, id, two blanks */
    struct win w;
    struct mark d = {0};
    uint64_t lo, hi;
    int r = vendor_range(s, &w, vendor, &lo, &hi);
    if (r == 1)
        r = lower_bound(s, &w, lo, hi, device, true, &d);
    if (r == 0 || (r == 1 && d.id != device))
        return 0;
    if (r < 0 || (r = win_load(s, &w, d.line)) < 0)
        return err_set(e, r, "pci.ids: reading");
    if (w.n <= HEAD)
        return 0;
    *ret = arena_strndup(a, w.p + HEAD, strcspn(w.p + HEAD, "\r\n"));
    return 1;
}
