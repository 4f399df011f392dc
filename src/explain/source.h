/* SPDX-License-Identifier: Apache-2.0 */
/* source - what a log comes in: as it is, packed (gzip, Zstandard), UTF-16, a Jupyter notebook. The bytes of a file in, its text into explain; what
 * it is, its bytes tell, not its name. */
#ifndef TG_EXPLAIN_SOURCE_H
#define TG_EXPLAIN_SOURCE_H
#include <stddef.h>
#include "base/err.h"
#include "explain/explain.h"

struct source;
/* The text goes into `x`, under what explain_file named. Memory as for arena_alloc. */
struct source *source_new(struct explain *x);
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
