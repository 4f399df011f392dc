/* SPDX-License-Identifier: Apache-2.0 */
/* sieve - where any of many short texts is in a large buffer, with vector instructions. Answers as literals do, several times as fast.
 *
 * Texts of seven bytes or more: every fourth place is looked up in a set of hashed pieces of four bytes, four of each text, so that one
 * of them lies on such a place. Shorter ones: a piece of each lies in one of eight groups (grouping.h); a byte that none of a group has
 * at that place rules the group out, for 32 or 64 places at once. What is left is compared with the texts. */
#ifndef TG_EXPLAIN_SIEVE_H
#define TG_EXPLAIN_SIEVE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "explain/grouping.h"
#include "explain/literals.h"

struct sieve;
/* Does this processor have the instructions (AVX2, BMI2)? With those of AVX-512 (VBMI) a step takes half as long. */
bool sieve_usable(void);
/* How often pieces of texts, and bytes, are in a log; all zero at first. */
enum { SIEVE_SAMPLE_BITS = 16, SIEVE_SAMPLE_PLACES = 4 * GROUPING_WINDOWS };
struct sieve_sample { uint32_t pieces[1 << SIEVE_SAMPLE_BITS], windows[GROUPING_WINDOWS]; size_t n_places, skip; };
/* The next bytes of the log: one place in `step`. The last SIEVE_SAMPLE_PLACES places count most. Cost: some nanoseconds a place. */
void sieve_learn(struct sieve_sample *sample, const char *p, size_t n, size_t step);
/* sample: by it those pieces of the texts are looked for that the log has least; NULL: by what logs have in general. It changes the
 * speed, not the answer. narrow: without AVX-512. NULL for more than 65,535 texts. The texts must live as long. Cost: about a millisecond, 300 kB. */
struct sieve *sieve_new(struct arena *a, const struct texts *texts, const struct sieve_sample *sample, bool narrow);
/* As literals_find. Only where sieve_usable. */
void sieve_find(const struct sieve *s, const char *p, size_t n, literal_fn *fn, void *ctx);
#endif
