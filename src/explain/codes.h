/* SPDX-License-Identifier: Apache-2.0 */
/* codes - the codes of drivers and libraries in a log: which, where, what they mean, and whether a cause speaks of them.
 * What is known of codes: data/tables/codes_*.yaml; how programs print them: code_formats.yaml. */
#ifndef TG_EXPLAIN_CODES_H
#define TG_EXPLAIN_CODES_H
#include "explain/explain.h"
#include "explain/lines.h"
#include "explain/match.h"

struct codes;
/* `a` holds what comes out. Memory: at most CODES_MAX different codes are kept. */
enum { CODES_MAX = 256 };
struct codes *codes_new(struct arena *a, const struct explain_catalog *k);

/* For each line, in this order: begin, then match for each regex of a code (catalog_is_code_regex) and hit for each
 * of a cause that matches, again while codes_again is true, then end.
 *
 * ordinal: of the line among all lines; shown: the text of the line for people, called for a code that is new */
void codes_begin(struct codes *c, const struct line *line, uint64_t ordinal);
void codes_match(struct codes *c, uint32_t regex, const struct match *m);
void codes_hit(struct codes *c, uint32_t regex);
/* Is the line to be searched again, for matches that end behind *ret_after? Bounded. */
bool codes_again(struct codes *c, size_t *ret_after);
void codes_end(struct codes *c, struct places *places, const char *(*shown)(struct arena *a, const struct line *l, size_t start), struct arena *a);

/* What was found besides codes, and which entry a regex of a cause speaks for (NULL: none; its pattern does not hold). */
struct codes_found { const void *ctx; const struct explain_entry *(*of_regex)(const void *ctx, uint32_t regex); bool (*has)(const void *ctx, const struct explain_entry *entry); };
/* All codes, in the order of their first lines. */
size_t codes_judge(struct codes *c, const struct codes_found *found, const struct explained_code **ret);
/* The answer for a code that nothing else explains, or false: it is explained, or the number alone does not say enough. */
bool codes_answer(struct arena *a, const struct explain_catalog *k, const struct explained_code *code, struct explained *ret);
/* The version of the driver that the log states, or NULL. */
const char *codes_driver(const struct codes *c);
#endif
