/* SPDX-License-Identifier: Apache-2.0 */
/* files - a set of files that are opened by name: the judged machine, an environment in it, the members of a wheel. What reads
 * through it does not know which. */
#ifndef TG_BASE_FILES_H
#define TG_BASE_FILES_H
#include <stddef.h>
#include "base/arena.h"
#include "base/bytesrc.h"
#include "base/err.h"

struct open_file {
    struct bytesrc src;       /* valid until file_close */
    void (*close)(void *ctx); /* of what `handle` is */
    void *handle;
};
struct files {
    /* 0, or a negative errno (-ENOENT: no such file) with `e` filled. */
    int (*open)(void *ctx, const char *path, struct open_file *ret, struct err *e);
    void *ctx;
};

int files_open(const struct files *s, const char *path, struct open_file *ret, struct err *e);
void file_close(struct open_file *f); /* of one that is closed already: nothing */
/* Whole file, NUL added behind (not counted). -EFBIG when larger than max. */
int files_read(const struct files *s, const char *path, size_t max, struct arena *a, const char **ret, size_t *ret_len, struct err *e);

struct root;
/* Those of a root; paths as root.h has them. */
struct files files_of_root(struct root *r);
#endif
