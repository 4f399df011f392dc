/* SPDX-License-Identifier: Apache-2.0 */
/* zipmember - inflating by blocks, copies of the inflater between them. */
#include "formats/zipmember.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { MIN_BLOCK = 1 << 18, INPUT = 1 << 17, MIN_BLOCKS = 4, RAW = -MAX_WBITS };

struct block { uint64_t no; unsigned char *data; uint32_t used; }; /* used 0: empty */

/* An inflater with the offset of the packed byte that it wants next. */
struct flow { z_stream z; uint64_t in; bool live; };

struct zipmember {
    const struct bytesrc *zip;
    const struct zip_entry *m;
    uint64_t data;              /* offset of the packed bytes */
    size_t block;               /* bytes; the last one is shorter */
    uint64_t n_blocks;
    struct flow front;          /* stands before block n_copies */
    struct flow *copies;        /* [i] stands before block i; made when the front passes there; none for block 0 */
    uint64_t n_copies;
    uint32_t crc;
    const char *damage;
    struct block *cache;
    size_t n_cache;
    uint32_t clock;
    unsigned char *input;
};

static int fail(struct zipmember *m, const char *why)
{
    m->damage = why;
    return -EBADMSG;
}

static size_t block_size(const struct zipmember *m, uint64_t no)
{
    uint64_t left = m->m->size - no * m->block;
    return left < m->block ? (size_t)left : m->block;
}

/* One step of a flow with the packed bytes that it wants next; what zlib says of it. */
static int step(struct zipmember *m, struct flow *f)
{
    uint64_t left = m->m->packed - f->in;
    size_t take = left < INPUT ? (size_t)left : INPUT;
    if (bytesrc_read_exact(m->zip, m->data + f->in, m->input, take) < 0)
        return Z_DATA_ERROR;
    f->z.next_in = m->input;
    f->z.avail_in = (uInt)take;
    int z = inflate(&f->z, Z_NO_FLUSH);
    f->in += take - f->z.avail_in;
    return z;
}

/* n more bytes out of a flow. `last`: the packed data must end with them. */
static int inflate_on(struct zipmember *m, struct flow *f, unsigned char *dst, size_t n, bool last)
{
    unsigned char beyond;
    int z = Z_OK;
    f->z.next_out = dst;
    f->z.avail_out = (uInt)n;
    while (z == Z_OK && f->z.avail_out)
        z = step(m, f);
    if (f->z.avail_out)
        return fail(m, z == Z_STREAM_END ? "shorter than the directory says" : "its packed data is damaged or ends too early");
    if (!last)
        return 0;
    f->z.next_out = &beyond; /* the end mark may still be to come, but nothing else */
    f->z.avail_out = 1;
    while (z == Z_OK && f->z.avail_out)
        z = step(m, f);
    if (!f->z.avail_out || z != Z_STREAM_END || f->in != m->m->packed)
        return fail(m, "its packed data does not end where it should");
    return 0;
}

static void end_flow(struct flow *f)
{
    if (f->live)
        (void)inflateEnd(&f->z);
    f->live = false;
}

static int start_flow(struct flow *f)
{
    *f = (struct flow){0};
    f->live = inflateInit2(&f->z, RAW) == Z_OK;
    return f->live ? 0 : -ENOMEM;
}

static int copy_flow(struct flow *to, struct flow *from)
{
    if (inflateCopy(&to->z, &from->z) != Z_OK)
        return -ENOMEM;
    to->in = from->in;
    to->live = true;
    return 0;
}

/* Inflate the block that the front stands before. */
static int advance(struct zipmember *m, unsigned char *dst)
{
    uint64_t no = m->n_copies;
    size_t n = block_size(m, no);
    bool last = no + 1 == m->n_blocks;
    int rc = no ? copy_flow(&m->copies[no], &m->front) : start_flow(&m->front);
    if (rc < 0)
        return rc;
    m->n_copies++;
    rc = inflate_on(m, &m->front, dst, n, last);
    if (rc < 0)
        return rc;
    m->crc = (uint32_t)crc32(m->crc, dst, (uInt)n);
    if (last)
        end_flow(&m->front);
    return last && m->crc != m->m->crc ? fail(m, "its check sum is another") : 0;
}

/* Room for a block: an empty one or the least recently used one. */
static struct block *oldest(struct zipmember *m)
{
    struct block *b = m->cache;
    for (size_t i = 1; i < m->n_cache; i++)
        if (m->cache[i].used < b->used)
            b = &m->cache[i];
    b->used = 0;
    if (!b->data)
        b->data = malloc(m->block);
    return b->data ? b : NULL;
}

static int get_block(struct zipmember *m, uint64_t no, struct block **ret)
{
    for (size_t i = 0; i < m->n_cache; i++)
        if (m->cache[i].used && m->cache[i].no == no) {
            m->cache[i].used = ++m->clock;
            *ret = &m->cache[i];
            return 0;
        }
    int rc = 0;
    struct block *b;
    do { /* up to it through all that lies before, or it alone */
        bool is_new = m->n_copies <= no;
        uint64_t now = is_new ? m->n_copies : no;
        struct flow f = {0};
        b = oldest(m);
        if (!b)
            return -ENOMEM;
        if (is_new)
            rc = advance(m, b->data);
        else if ((rc = no ? copy_flow(&f, &m->copies[no]) : start_flow(&f)) == 0)
            rc = inflate_on(m, &f, b->data, block_size(m, no), no + 1 == m->n_blocks);
        end_flow(&f);
        if (rc < 0)
            return rc;
        *b = (struct block){.no = now, .data = b->data, .used = ++m->clock};
    } while (b->no != no);
    *ret = b;
    return 0;
}

static long member_read(void *ctx, uint64_t off, void *dst, size_t n)
{
    struct zipmember *m = ctx;
    size_t done = 0;
    if (m->damage)
        return -EBADMSG;
    if (off >= m->m->size)
        return 0;
    n = n < m->m->size - off ? n : (size_t)(m->m->size - off);
    if (m->m->method == ZIP_STORED) {
        int rc = bytesrc_read_exact(m->zip, m->data + off, dst, n);
        return rc < 0 ? rc : (long)n;
    }
    while (done < n) {
        struct block *b;
        uint64_t at = off + done;
        int rc = get_block(m, at / m->block, &b);
        if (rc < 0)
            return rc;
        size_t skip = (size_t)(at % m->block), have = block_size(m, b->no) - skip, take = n - done < have ? n - done : have;
        memcpy((char *)dst + done, b->data + skip, take);
        done += take;
    }
    return (long)n;
}

/* The whole of a stored member against its check sum; inflated ones are compared on the way. */
static int check_stored(struct zipmember *m)
{
    uint32_t crc = 0;
    for (uint64_t off = 0; off < m->m->size;) {
        size_t n = m->m->size - off < INPUT ? (size_t)(m->m->size - off) : INPUT;
        int rc = bytesrc_read_exact(m->zip, m->data + off, m->input, n);
        if (rc < 0)
            return rc;
        crc = (uint32_t)crc32(crc, m->input, (uInt)n);
        off += n;
    }
    return crc == m->m->crc ? 0 : fail(m, "its check sum is another");
}

int zipmember_open(const struct bytesrc *zip, const struct zip_entry *entry, struct zipmember **ret, struct err *e)
{
    uint64_t data;
    int rc = zip_data(zip, entry, &data, e);
    if (rc < 0)
        return rc;
    struct zipmember *m = calloc(1, sizeof *m);
    if (!m)
        return err_set(e, -ENOMEM, "out of memory");
    *m = (struct zipmember){.zip = zip, .m = entry, .data = data, .block = MIN_BLOCK};
    while (m->block < entry->size / ZIPMEMBER_COPIES)
        m->block *= 2;
    m->n_blocks = (entry->size + m->block - 1) / m->block;
    m->n_cache = ZIPMEMBER_BLOCKS / m->block < MIN_BLOCKS ? MIN_BLOCKS : ZIPMEMBER_BLOCKS / m->block;
    if (m->n_blocks < m->n_cache)
        m->n_cache = m->n_blocks ? (size_t)m->n_blocks : 1;
    if (entry->size < m->block)
        m->block = entry->size ? (size_t)entry->size : 1;
    m->cache = calloc(m->n_cache, sizeof *m->cache);
    m->copies = calloc((size_t)m->n_blocks + 1, sizeof *m->copies);
    m->input = malloc(INPUT);
    if (!m->cache || !m->copies || !m->input) {
        zipmember_close(m);
        return err_set(e, -ENOMEM, "out of memory");
    }
    if (entry->method == ZIP_STORED && (rc = check_stored(m)) < 0) {
        rc = err_set(e, rc, "%s: %s", entry->name, m->damage ? m->damage : "cannot be read");
        zipmember_close(m);
        return rc;
    }
    *ret = m;
    return 0;
}

struct bytesrc zipmember_src(struct zipmember *m)
{
    return (struct bytesrc){.size = m->m->size, .read = member_read, .ctx = m};
}

const char *zipmember_damage(const struct zipmember *m) { return m->damage; }

void zipmember_trim(struct zipmember *m)
{
    for (size_t i = 0; i < m->n_cache; i++) {
        free(m->cache[i].data);
        m->cache[i] = (struct block){0};
    }
}

struct zipmember *zipmember_close(struct zipmember *m)
{
    if (!m)
        return NULL;
    end_flow(&m->front);
    for (uint64_t i = 0; m->copies && i < m->n_copies && i <= m->n_blocks; i++)
        end_flow(&m->copies[i]);
    if (m->cache)
        zipmember_trim(m);
    free(m->cache);
    free(m->copies);
    free(m->input);
    free(m);
    return NULL;
}
