/* SPDX-License-Identifier: Apache-2.0 */
/* learn_wheel - a wheel file: its sum, its members, its row. */
#include <errno.h>
#include "base/sha256.h"
#include "formats/wheel.h"
#include "probe/learn.h"

enum { CHUNK = 1 << 18 };

static int hash(const struct bytesrc *src, struct arena *a, const char **ret, struct err *e)
{
    struct sha256 h;
    unsigned char digest[32];
    char *hex = arena_alloc(a, 65), *buf = arena_raw(a, CHUNK);
    long n = 0;
    sha256_init(&h);
    for (uint64_t off = 0; (n = src->read(src->ctx, off, buf, CHUNK)) > 0; off += (uint64_t)n)
        sha256_add(&h, buf, (size_t)n);
    if (n < 0)
        return err_set(e, (int)n, "cannot be read");
    sha256_done(&h, digest);
    sha256_hex(digest, hex);
    *ret = hex;
    return 0;
}

static void list_objects(const struct wheel *w, struct arena *a, struct learn_in *in)
{
    for (size_t i = 0; i < w->n; i++)
        if (learn_is_object(w->list[i].path))
            *ARENA_PUSH(a, in->objects, in->n_objects) = w->list[i].path;
}

int learn_wheel(const struct bytesrc *src, const char *name, struct arena *a, struct fact_wheel *ret, struct err *e)
{
    struct wheel w;
    const char *sha = NULL;
    int rc = wheel_open(src, a, &w, e);
    if (rc < 0)
        return rc;
    struct learn_in in = {.files = &w.files, .info = w.info};
    list_objects(&w, a, &in);
    rc = hash(src, a, &sha, e);
    if (rc == 0)
        rc = learn_distribution(&in, a, ret, e);
    rc = wheel_explain(&w, rc, e);
    wheel_close(&w);
    if (rc < 0)
        return rc;
    ret->file = name;
    ret->sha256 = sha;
    ret->has_bytes = true;
    ret->bytes = src->size;
    return 0;
}
