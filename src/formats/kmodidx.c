/* SPDX-License-Identifier: Apache-2.0 */
/* kmodidx - one look-up in modules.dep.bin. */
#include "formats/kmodidx.h"
#include <errno.h>
#include <stdbool.h>
#include <string.h>

enum { MAGIC = (int)0xB007F457, NODE_MAX = 1024, VALUE_MAX = 16384, DEPTH_MAX = 64 };
enum { HAS_VALUES = 4, HAS_CHILDREN = 2, HAS_PREFIX = 8 };
#define OFFSET_MASK 0x0fffffffu

struct node { uint32_t ref; uint64_t off; unsigned char p[NODE_MAX]; size_t n, at; };

static uint32_t be32(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static int node_read(const struct bytesrc *s, uint32_t ref, struct node *ret)
{
    ret->ref = ref >> 28;
    ret->off = ref & OFFSET_MASK;
    ret->at = 0;
    long n = s->read(s->ctx, ret->off, ret->p, sizeof ret->p);
    if (n < 0)
        return (int)n;
    ret->n = (size_t)n;
    return 0;
}

/* The prefix string: 1 it is the head of *key (which advances), 0 it is not, -EBADMSG no end within the window. */
static int eat_prefix(struct node *d, const char **key)
{
    if (!(d->ref & HAS_PREFIX))
        return 1;
    const unsigned char *end = memchr(d->p, '\0', d->n);
    if (!end)
        return -EBADMSG;
    size_t l = (size_t)(end - d->p);
    d->at = l + 1;
    if (strncmp(*key, (const char *)d->p, l) != 0)
        return 0;
    *key += l;
    return 1;
}

/* Reference of the child for character c, 0 when there is none; `at` goes behind the children. */
static int child(struct node *d, unsigned char c, uint32_t *ret)
{
    *ret = 0;
    if (!(d->ref & HAS_CHILDREN))
        return 0;
    if (d->n - d->at < 2 || d->p[d->at] > d->p[d->at + 1])
        return -EBADMSG;
    unsigned char first = d->p[d->at], last = d->p[d->at + 1];
    size_t table = d->at + 2, size = ((size_t)last - first + 1) * 4;
    if (table > d->n || size > d->n - table)
        return -EBADMSG;
    if (c >= first && c <= last)
        *ret = be32(d->p + table + ((size_t)c - first) * 4);
    d->at = table + size;
    return 0;
}

static int first_value(const struct bytesrc *s, const struct node *d, struct arena *a, const char **ret, struct err *e)
{
    char *p = arena_alloc(a, VALUE_MAX + 1); /* count, priority, then the string */
    long n = s->read(s->ctx, d->off + d->at, p, VALUE_MAX);
    if (n < 0)
        return (int)n;
    if (n < 9 || be32((const unsigned char *)p) == 0 || !memchr(p + 8, '\0', (size_t)n - 8))
        return err_set(e, -EBADMSG, "module index: bad value at offset %llu", (unsigned long long)(d->off + d->at));
    *ret = p + 8;
    return 1;
}

int kmodidx_find(const struct bytesrc *s, const char *key, struct arena *a, const char **ret, struct err *e)
{
    unsigned char head[12];
    int r = bytesrc_read_exact(s, 0, head, sizeof head);
    if (r < 0)
        return err_set(e, r, "module index: header");
    if (be32(head) != (uint32_t)MAGIC || be32(head + 4) >> 16 != 2)
        return err_set(e, -EBADMSG, "module index: magic %08x, version %08x", be32(head), be32(head + 4));
    uint32_t ref = be32(head + 8);
    for (int depth = 0; depth < DEPTH_MAX; depth++) {
        struct node d;
        uint32_t next;
        if ((r = node_read(s, ref, &d)) < 0 || (r = eat_prefix(&d, &key)) < 0)
            return err_set(e, r, "module index: node at offset %u", ref & OFFSET_MASK);
        if (r == 0)
            return 0;
        if ((r = child(&d, (unsigned char)*key, &next)) < 0)
            return err_set(e, r, "module index: children at offset %u", ref & OFFSET_MASK);
        if (*key == '\0')
            return d.ref & HAS_VALUES ? first_value(s, &d, a, ret, e) : 0;
        if (!(next & OFFSET_MASK))
            return 0;
        key++;
        ref = next;
    }
    return err_set(e, -EBADMSG, "module index: deeper than %d", (int)DEPTH_MAX);
}
