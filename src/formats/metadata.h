/* SPDX-License-Identifier: Apache-2.0 */
/* metadata - METADATA (PKG-INFO) and WHEEL of an installed Python distribution: "Key: value" lines up to the first blank
 * one. Format: Python packaging specifications, "Core metadata" and "Binary distribution format". */
#ifndef TG_FORMATS_METADATA_H
#define TG_FORMATS_METADATA_H
#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"

enum { METADATA_MAX_LIST = 4096 };

struct metadata {
    const char *name, *version, *requires_python;          /* as written; NULL when absent */
    const char **requires_dist; size_t n_requires_dist;    /* as written, file order */
    const char **provides_extra; size_t n_provides_extra;  /* as written, file order */
};

/* metadata_parse - the head of METADATA.
 *
 * buf,len: the file or any beginning of it that holds the head; not kept
 * ret:     strings in `a`; untouched on failure. Continuation lines are ignored (no wanted field has any)
 * errors:  -EBADMSG  no line "Key: value" at all, or a NUL byte in the head
 *          -E2BIG    more than METADATA_MAX_LIST requirements or extras
 */
int metadata_parse(const char *buf, size_t len, struct arena *a, struct metadata *ret, struct err *e);
/* Has the text reached the blank line that ends the head? Then the rest of the file need not be read. */
bool metadata_head_complete(const char *buf, size_t len);

/* Tags of WHEEL ("cp311-cp311-manylinux_2_17_x86_64"), compressed sets as written. Errors as above; none is fine. */
int metadata_parse_wheel(const char *buf, size_t len, struct arena *a, const char ***ret_tags, size_t *ret_n, struct err *e);

/* A project's name as indexes compare it: lower case, runs of "-", "_" and "." become one "-". */
const char *metadata_normal_name(struct arena *a, const char *name, size_t n);
#endif
