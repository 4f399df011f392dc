/* SPDX-License-Identifier: Apache-2.0 */
/* literals - which of many short texts are in the lines of a buffer, found in one pass (Aho and Corasick 1975, as a table). */
#ifndef TG_EXPLAIN_LITERALS_H
#define TG_EXPLAIN_LITERALS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"

enum {
    LITERAL_LEAST = 4, LITERAL_MOST = 255,             /* bytes of a text */
    LITERALS_STATES = 0x7fff,
    LITERALS_MOST = (LITERALS_STATES - 1) / LITERAL_LEAST /* so many texts always fit */
};

/* The texts. In one without capital letters the case of ASCII letters does not count; one with capitals is meant exactly. */
struct texts { const char *const *of; uint8_t *length; bool *any_case; size_t n; };
/* of: any bytes but NUL and newline; kept, not copied. false: one is too short or too long. */
bool texts_init(struct arena *a, const char *const *of, size_t n, struct texts *ret);
/* Does text `i` stand at p, of which `room` bytes may be read? */
bool texts_at(const struct texts *t, uint32_t i, const char *p, size_t room);

/* Text number `text` is there, and byte `at` of the buffer belongs to it. */
typedef void literal_fn(void *ctx, uint32_t text, size_t at);

struct literals;
/* NULL when the texts need more than LITERALS_STATES states. They must live as long. Memory: some 1,000 bytes a text. */
struct literals *literals_new(struct arena *a, const struct texts *texts);
/* `fn` at least once for each text of each line of the buffer that holds it, line by line. Cost: one table look-up a byte. */
void literals_find(const struct literals *l, const char *p, size_t n, literal_fn *fn, void *ctx);
#endif
