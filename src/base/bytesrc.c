/* SPDX-License-Identifier: Apache-2.0 */
/* bytesrc - bytes that are read piecewise. */
#include "base/bytesrc.h"
#include <errno.h>
#include <string.h>

int bytesrc_read_exact(const struct bytesrc *s, uint64_t off, void *dst, size_t n)
{
    if (off > s->size || n > s->size - off)
        return -EBADMSG;
    for (size_t got = 0; got < n;) {
        long r = s->read(s->ctx, off + got, (char *)dst + got, n - got);
        if (r < 0)
            return (int)r;
        if (r == 0)
            return -EBADMSG; /* the file shrank */
        got += (size_t)r;
    }
    return 0;
}

static long mem_read(void *ctx, uint64_t off, void *dst, size_t n)
{
    const struct memsrc *m = ctx;
    if (off >= m->len)
        return 0;
    if (n > m->len - off)
        n = (size_t)(m->len - off);
    memcpy(dst, m->p + off, n);
    return (long)n;
}

struct bytesrc bytesrc_mem(struct memsrc *m)
{
    return (struct bytesrc){.size = m->len, .read = mem_read, .ctx = m};
}
