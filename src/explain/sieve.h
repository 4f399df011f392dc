/* SPDX-License-Identifier: Apache-2.0 */
/* sieve - where any of many short texts is in a large buffer, with vector instructions. Answers as literals do, several times as fast.
 *
 * Texts of LONG bytes or more: every fourth place is looked up in a set of hashed pieces, four of each text, so that one of them lies on
 * such a place. Shorter ones: the four rarest bytes of each lie in one of 16 groups; a byte that none of a group has at that place
 * rules the group out, for 32 places at once. What is left is compared with the texts. */
#ifndef TG_EXPLAIN_SIEVE_H
#define TG_EXPLAIN_SIEVE_H
#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"
#include "explain/literals.h"

struct sieve;
/* Does this processor have the instructions (AVX2, BMI2)? */
bool sieve_usable(void);
/* NULL for more than 65,535 texts. They must live as long. Cost: some tenths of a millisecond, 200 kB. */
struct sieve *sieve_new(struct arena *a, const struct texts *texts);
/* As literals_find. Only where sieve_usable. */
void sieve_find(const struct sieve *s, const char *p, size_t n, literal_fn *fn, void *ctx);
#endif
