/* SPDX-License-Identifier: Apache-2.0 */
/* site - causes that a site wrote down itself: files in the format of data/causes/, read at run time. docs/site-knowledge.md. */
#ifndef TG_EXPLAIN_SITE_H
#define TG_EXPLAIN_SITE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "explain/catalog.h"

enum { SITE_MAX_FILES = 2000, SITE_MAX_PATTERNS = 50, SITE_MAX_SAMPLES = 100, SITE_MAX_MISTAKES = 100 };

struct site_text { const char *en, *zh; };      /* zh: Chinese, or NULL */
struct site_named { const char *text; uint32_t line; };
struct site_step { uint32_t when; uint8_t side; bool needs_root; const char *command; struct site_text note; };
/* What is searched: as in the tables, with (?i) in front where the case does not count. re NULL: none, or (with a line) a wrong one. */
struct site_regex { const char *re; uint32_t line; const char *const *literals; size_t n_literals; };
struct site_pattern {
    struct site_regex re, also, unless;
    struct site_named *match, *near; size_t n_match, n_near;
};
struct site_cause {
    const char *file, *id;
    uint8_t kind, layer, severity, chain;
    bool extends;                               /* its patterns join those of the shipped cause of that id; it has no texts */
    bool has_explain;
    struct site_text title, why, text;          /* text.en NULL without has_explain */
    const char *confirm;
    struct site_step *steps; size_t n_steps;
    struct site_named *references, *may_be; size_t n_references, n_may_be;
    struct site_pattern *patterns; size_t n_patterns;
};

/* What is wrong with a file: one translated line each, what and what to do, in the order of lines once sorted. */
struct site_mistake { uint32_t line; const char *what; };
struct site_mistakes { struct arena *a; struct site_mistake *of; size_t n, more; }; /* more: so many were not kept */
void site_mistake(struct site_mistakes *m, uint32_t line, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void site_mistakes_sort(struct site_mistakes *m);

/* site_read - the cause of one file.
 *
 * file:  its path, which is kept; the id has to be its name
 * false: `m` has at least one mistake more, all that can be told, and `ret` has what is right in it, for
 *        site_try only
 * cost:  O(n), and some 10 µs an expression
 */
bool site_read(struct arena *a, const char *file, const char *p, size_t n, struct site_cause *ret, struct site_mistakes *m);
/* What only `kb lint` asks: PCRE2 takes each expression; the patterns match their own samples and not those beside them, by the engine
 * itself (engine: as for matcher_new); nothing in them tells who wrote it. Cost: some milliseconds. */
void site_try(const struct site_cause *c, const char *engine, struct site_mistakes *m);
/* Is it, word for word, a cause that is shipped? */
bool site_is_shipped(const struct site_cause *c);

/* catalog_add - a catalogue with the site's causes among the shipped ones.
 *
 * from:   the first of an id counts; one of a shipped id takes its place, or joins it (extends)
 * zh:     their Chinese texts, where they have some
 * ret:    in `a`, texts copied
 * Returns how many causes were taken: the first with which there would be more literals than LITERALS_MOST, the shipped ones included, and those behind it are not.
 * cost:   a copy of the shipped tables (0.5 MB)
 */
size_t catalog_add(struct arena *a, const struct site_cause *from, size_t n, bool zh, struct explain_catalog *ret);

struct site_found {
    struct site_cause *causes; size_t n;        /* as for catalog_add: the user's before the machine's */
    const char **problems; size_t n_problems;   /* files that are not used, and why: one translated line each, with the line of the file where there is one */
    const char **hidden; size_t n_hidden;       /* files whose id an earlier folder has */
};
/* Every *.yaml in these folders (NULL-terminated, the most important first), as dropins_read reads them. */
void site_find(struct arena *a, const char *const *folders, struct site_found *ret);
#endif
