/* SPDX-License-Identifier: Apache-2.0 */
/* jdoc - a JSON document as a tree of texts, lists and maps that know their lines (the nodes of formats/ydoc.h, read with ydoc_get). For
 * files that people may have edited, where a message has to name a line. */
#ifndef TG_FORMATS_JDOC_H
#define TG_FORMATS_JDOC_H
#include "formats/ydoc.h"

enum { JDOC_MAX_BYTES = 8 << 20, JDOC_MAX_DEPTH = 16, JDOC_MAX_NODES = 200000 }; /* keys of one map: YDOC_MAX_KEYS */

/* jdoc_parse - one document; numbers, true, false and null are texts with `plain` set, as they are written.
 *
 * ret:    in `a`; untouched on failure
 * errors: -EBADMSG: not JSON, control characters in a text, a key twice or longer than JSONFLOW_KEY. -E2BIG: one of the limits above.
 *         `e` has one translated line, *ret_line its line
 * cost:   O(n); memory in proportion to the input
 */
int jdoc_parse(const char *p, size_t n, struct arena *a, struct ydoc *ret, uint32_t *ret_line, struct err *e);
#endif
