/* SPDX-License-Identifier: Apache-2.0 */
/* files - opening by name, whoever holds the files. */
#include "base/files.h"
#include <errno.h>
#include "base/root.h"

int files_open(const struct files *s, const char *path, struct open_file *ret, struct err *e)
{
    return s->open(s->ctx, path, ret, e);
}

void file_close(struct open_file *f)
{
    if (f->close)
        f->close(f->handle);
    f->close = NULL;
}

int files_read(const struct files *s, const char *path, size_t max, struct arena *a, const char **ret, size_t *ret_len, struct err *e)
{
    struct open_file f;
    int rc = files_open(s, path, &f, e);
    if (rc < 0)
        return rc;
    if (f.src.size > max) {
        file_close(&f);
        return err_set(e, -EFBIG, "%s: larger than %zu bytes", path, max);
    }
    size_t n = (size_t)f.src.size;
    char *text = arena_raw(a, n + 1);
    rc = bytesrc_read_exact(&f.src, 0, text, n);
    file_close(&f);
    if (rc < 0)
        return err_set(e, rc, "%s: cannot be read", path);
    text[n] = '\0';
    *ret = text;
    *ret_len = n;
    return 0;
}

static void close_rfile(void *handle)
{
    rfile_close(handle);
}

static int open_in_root(void *ctx, const char *path, struct open_file *ret, struct err *e)
{
    struct rfile *f;
    int rc = root_open(ctx, path, &f, e);
    if (rc == 0)
        *ret = (struct open_file){.src = rfile_src(f), .close = close_rfile, .handle = f};
    return rc;
}

struct files files_of_root(struct root *r)
{
    return (struct files){.open = open_in_root, .ctx = r};
}
