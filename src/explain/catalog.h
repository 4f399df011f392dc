/* SPDX-License-Identifier: Apache-2.0 */
/* catalog - the tables that explain works on: those of data/causes/ alone, or with a site's causes among them (catalog_add). */
#ifndef TG_EXPLAIN_CATALOG_H
#define TG_EXPLAIN_CATALOG_H
#include <stddef.h>
#include "base/arena.h"
#include "explain_gen.h"

/* Entries: EXPLAIN_N_CAUSES shipped causes, then the pages of codes, together EXPLAIN_N_ENTRIES, then those of the site. Regexes:
 * EXPLAIN_N_CAUSE_REGEXES of shipped causes, then those of codes, together EXPLAIN_N_REGEXES, then those of the site. Shipped ones have
 * the same index in every catalogue. The patterns of one entry stand together. */
struct explain_catalog {
    const char *texts;          /* what the offsets count from */
    const struct explain_entry *entries; size_t n_entries;
    const struct explain_step *steps;
    const uint32_t *references;
    const uint16_t *may_be;
    const struct explain_regex *regexes; size_t n_regexes;
    const uint32_t *literals;
    const struct explain_pattern *patterns; size_t n_patterns;
    const char *const *origins; /* of each entry: the file of a site's cause, NULL of a shipped one; NULL: all are shipped */
};

/* What is shipped; not to be freed. Cost: none to speak of. */
struct explain_catalog catalog_shipped(void);
/* The text at an offset; 0: NULL. */
static inline const char *catalog_text(const struct explain_catalog *k, uint32_t at)
{
    return at ? k->texts + at : NULL;
}
static inline const char *catalog_id(const struct explain_catalog *k, const struct explain_entry *e)
{
    return catalog_text(k, e->id);
}
/* The file that the entry comes from, or NULL: it is shipped. */
const char *catalog_origin(const struct explain_catalog *k, const struct explain_entry *e);
/* Is it the regex of a code, not of a cause? */
static inline bool catalog_is_code_regex(uint32_t regex)
{
    return regex >= EXPLAIN_N_CAUSE_REGEXES && regex < EXPLAIN_N_REGEXES;
}
/* The entry of that id, or NULL. */
const struct explain_entry *catalog_find(const struct explain_catalog *k, const char *id);
#endif
