/* SPDX-License-Identifier: Apache-2.0 */
/* ydoc - a YAML document as a tree of texts, lists and maps that know their lines. Read with libyaml, event by event. */
#ifndef TG_FORMATS_YDOC_H
#define TG_FORMATS_YDOC_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"

enum { YDOC_MAX_BYTES = 256 * 1024, YDOC_MAX_DEPTH = 16, YDOC_MAX_NODES = 20000, YDOC_MAX_KEYS = 100 }; /* keys: of one map */

enum ydoc_kind { YDOC_TEXT, YDOC_LIST, YDOC_MAP };
struct ydoc {
    enum ydoc_kind kind;
    uint32_t line;                  /* from 1 */
    const char *text; bool plain;   /* of a text; plain: without quotes, so that `true` and `3` may be more than letters */
    struct ydoc *keys, *of; size_t n; /* of a list: `of`; of a map also `keys`, all texts, each once */
};

/* ydoc_parse - the one document of a file.
 *
 * ret:    in `a`; untouched on failure
 * errors: -EBADMSG: not YAML, not UTF-8, control characters, several documents, a key twice, or what is not read here: anchors, aliases,
 *         tags. -E2BIG: one of the limits above. `e` has one translated line, what and what to do, *ret_line its line
 * cost:   O(n); memory in proportion to the input
 */
int ydoc_parse(const char *p, size_t n, struct arena *a, struct ydoc *ret, uint32_t *ret_line, struct err *e);
/* The value of the key of a map, or NULL. */
const struct ydoc *ydoc_get(const struct ydoc *map, const char *key);
#endif
