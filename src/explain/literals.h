/* SPDX-License-Identifier: Apache-2.0 */
/* literals - which of many short texts are in a line, found in one pass (Aho and Corasick 1975, as a table). */
#ifndef TG_EXPLAIN_LITERALS_H
#define TG_EXPLAIN_LITERALS_H
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"

struct literals;
/* texts: lower case; the case of ASCII letters in the line does not count. owners: given to the callback.
 * NULL when they need more than 32,767 states (some 2,500 texts). Memory: about 100 bytes for each byte of the texts. */
struct literals *literals_new(struct arena *a, const char *const *texts, const uint32_t *owners, size_t n);
/* `fn` once for each place where a text ends. Cost: one table look-up a byte. */
void literals_find(const struct literals *l, const char *p, size_t n, void (*fn)(void *ctx, uint32_t owner), void *ctx);
#endif
