/* SPDX-License-Identifier: Apache-2.0 */
/* required - literals of an expression: short texts of which each of its matches contains one. The same are found when data/causes/ is
 * built (tools/causes_explain.py); tools/check-patterns compares. */
#ifndef TG_EXPLAIN_REQUIRED_H
#define TG_EXPLAIN_REQUIRED_H
#include <stddef.h>
#include "base/arena.h"
#include "base/err.h"

enum { REQUIRED_LEAST = 6, REQUIRED_LEAST_MORE = 4 }; /* bytes: of an expression that finds a line, of one that is only asked besides */

/* required_literals - the literals, sorted; in one without capital letters the case of ASCII letters does not count.
 *
 * least:  bytes that each of them must have
 * errors: -ENODATA: a match need not contain so long a text; -E2BIG: too many ways to be followed; others as regex_parse; `e` has one
 *         translated line
 * cost:   bounded, some 10 µs for an ordinary expression
 */
int required_literals(struct arena *a, const char *re, size_t least, const char *const **ret, size_t *ret_n, struct err *e);
#endif
