/* SPDX-License-Identifier: Apache-2.0 */
/* ipynb - what the cells of a Jupyter notebook printed: streams, results, tracebacks. Read as a stream, in constant memory; pictures
 * and widgets are passed over.
 *
 * format: nbformat 4 (nbformat's own schema; a text is a string or a list of strings) and 3 (worksheets, prompt_number)
 */
#ifndef TG_FORMATS_IPYNB_H
#define TG_FORMATS_IPYNB_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

struct ipynb;
struct ipynb_ops {
    /* A piece of what the cell (from 1, in the order of the file) printed. Each output ends in a newline. */
    void (*text)(void *ctx, uint32_t cell, const char *p, size_t n);
    /* A cell that printed something ends; run: its execution count, 0 where there is none. */
    void (*cell_end)(void *ctx, uint32_t cell, uint32_t run);
    void *ctx;
};

/* Do the first bytes of a file look like a notebook's? An object that begins with a key of nbformat's top level. */
bool ipynb_looks_so(const char *p, size_t n);

/* ops: kept, not copied. NULL: no memory */
struct ipynb *ipynb_new(const struct ipynb_ops *ops);
void ipynb_free(struct ipynb *b); /* NULL is fine */
/* The notebook, in pieces of any size.
 * errors: -EBADMSG: no JSON from some byte on; `e` has one translated line. What came before was handed out.
 * cost:   one pass */
int ipynb_feed(struct ipynb *b, const char *p, size_t n, struct err *e);
/* The notebook ends. errors: those of ipynb_feed; -ENODATA: it was cut */
int ipynb_end(struct ipynb *b, struct err *e);
#endif
