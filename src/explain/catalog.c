/* SPDX-License-Identifier: Apache-2.0 */
/* catalog - the shipped tables, and looking up in any. */
#include "explain/catalog.h"
#include "base/util.h"

struct explain_catalog catalog_shipped(void)
{
    return (struct explain_catalog){
        .texts = (const char *)&explain_texts, .entries = explain_entries, .n_entries = EXPLAIN_N_ENTRIES, .steps = explain_steps_table,
        .references = explain_references, .may_be = explain_may_be, .regexes = explain_regexes, .n_regexes = EXPLAIN_N_REGEXES,
        .literals = explain_literals, .patterns = explain_patterns, .n_patterns = EXPLAIN_N_PATTERNS};
}

const char *catalog_origin(const struct explain_catalog *k, const struct explain_entry *e)
{
    return k->origins ? k->origins[e - k->entries] : NULL;
}

const struct explain_entry *catalog_find(const struct explain_catalog *k, const char *id)
{
    for (size_t i = 0; i < k->n_entries; i++)
        if (str_eq(catalog_id(k, &k->entries[i]), id))
            return &k->entries[i];
    return NULL;
}
