/* SPDX-License-Identifier: Apache-2.0 */
/* source - what a log comes in: as it is, packed (gzip, Zstandard), UTF-16, a Jupyter notebook. The bytes of a file in, its text into explain; what
 * it is, its bytes tell, not its name. */
#ifndef TG_EXPLAIN_SOURCE_H
#define TG_EXPLAIN_SOURCE_H
#include <stddef.h>
#include "base/err.h"
#include "explain/explain.h"

/* Where the text goes; explain_feed and its neighbours, usually. */
struct source_sink {
    void *ctx;
    void (*feed)(void *ctx, const void *p, size_t n);
    void (*end)(void *ctx);                                 /* of the file, or of a cell's text */
    void (*cell)(void *ctx, uint32_t cell);                 /* what is fed from now on is of that cell of a notebook */
    void (*cell_run)(void *ctx, uint32_t cell, uint32_t run); /* its execution count, 0: none; after its text */
};
struct source_sink source_into(struct explain *x);

struct source;
/* Memory as for arena_alloc. */
struct source *source_new(const struct source_sink *sink);
void source_free(struct source *s);
/* The file, in pieces of any size. After a failure nothing more may be fed, but source_end is called all the same: what came
 * before counts.
 *
 * errors: `e` has one translated line, without the name of the file
 *         -EMEDIUMTYPE  not a log: binary data, or packed in a way that is not unpacked here
 *         -EBADMSG, -E2BIG, -ENOMEM  as for unpack_feed and ipynb_feed
 * memory: 20 kB, 64 kB for a notebook, and that of unpack.h */
int source_feed(struct source *s, const void *p, size_t n, struct err *e);
/* The file ends. errors: those of source_feed (a short file is judged here), and -ENODATA: it was cut. */
int source_end(struct source *s, struct err *e);
#endif
