/* SPDX-License-Identifier: Apache-2.0 */
/* grouping - into which of a few groups short texts go, so that the nibbles of a group let through little of what logs are made of. */
#ifndef TG_EXPLAIN_GROUPING_H
#define TG_EXPLAIN_GROUPING_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"

enum { GROUPING_GROUPS = 8, GROUPING_PIECE = 4, GROUPING_WINDOWS = 8192, GROUPING_ASCII = 128 };

/* Which groups have the nibble at that byte of a piece, a bit a group: of the byte's low half, and of its bits 3 to 6. The two share a
 * bit: with bit 7 in place of it, which text has not, letters would be told apart by the low half alone. exact: which have that very byte
 * there; of a byte above 127, its lower seven bits. */
struct grouping_tables { uint8_t low[GROUPING_PIECE][16], high[GROUPING_PIECE][16], exact[GROUPING_PIECE][GROUPING_ASCII]; };

struct grouping;
/* windows: what stands at places of a log, four bytes each; at most GROUPING_WINDOWS of them count. Memory: 280 kB in the arena. */
struct grouping *grouping_new(struct arena *a, const uint32_t *windows, size_t n);
/* Four bytes of the text (of which there are at least as many; case as in struct texts) into a group; *ret: where in the text they are.
 * false, and nothing is changed: `most` windows or more would pass by it. Cost: some microseconds. */
bool grouping_add(struct grouping *g, const char *text, size_t n, bool any_case, size_t most, size_t *ret);
void grouping_get(const struct grouping *g, struct grouping_tables *ret);
#endif
