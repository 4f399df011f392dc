/* SPDX-License-Identifier: Apache-2.0 */
/* simpleindex - the page of one project in a package index: its files. Format: Python packaging specifications, "Simple repository
 * API", as JSON (application/vnd.pypi.simple.v1+json) and as HTML, which older servers and mirrors send. */
#ifndef TG_FORMATS_SIMPLEINDEX_H
#define TG_FORMATS_SIMPLEINDEX_H
#include <stdbool.h>
#include <stddef.h>
#include "base/err.h"

enum { SIMPLEINDEX_TEXT = 2048 }; /* of a name, an address, a specifier; a file with longer ones is left out */

struct simpleindex_file {
    const char *name;             /* "numpy-2.2.0-cp312-cp312-manylinux2014_x86_64.whl"; never empty */
    const char *url;              /* as written, without a fragment; may be relative */
    const char *requires_python;  /* "" where the page does not say */
    bool yanked, has_metadata;    /* its METADATA is at url + ".metadata" */
};
typedef void simpleindex_fn(void *ctx, const struct simpleindex_file *f); /* strings are good during the call */

/* simpleindex_read - each file of the page, in its order.
 *
 * p,n:    any bytes
 * errors: -EBADMSG: neither such JSON nor HTML; `e` says so. Files may have been handed out before
 * cost:   one pass, constant memory
 */
int simpleindex_read(const char *p, size_t n, simpleindex_fn *fn, void *ctx, struct err *e);
#endif
