/* SPDX-License-Identifier: Apache-2.0 */
/* explain - a log in, causes out. Knows nothing of this machine; what it knows of faults is in data/causes/. */
#ifndef TG_EXPLAIN_EXPLAIN_H
#define TG_EXPLAIN_EXPLAIN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "explain_gen.h"

struct explain_value { const char *name, *value; };

/* One cause, symptom or harmless line that the log shows. Strings from the log are one line each, without control characters. */
struct explained {
    const struct explain_entry *entry;
    const char *file;               /* as given to explain_file */
    uint64_t line_number;           /* of the first line that shows it */
    const char *line;               /* that line, or the part of it around what matched */
    uint64_t count;                 /* how many lines show it */
    const struct explain_value *values; size_t n_values; /* named groups of its patterns, those of `line` first */
    const struct explain_entry *cause;  /* of a symptom: found too, and shown by this; else NULL */
};
/* A file that was not read to its end. */
struct explain_gap { const char *file, *why; };
struct explain_answer {
    const struct explained *found; size_t n; /* best first: causes, symptoms, harmless lines */
    uint64_t lines;                          /* how many were read */
    struct explain_gap *gaps; size_t n_gaps; /* the caller's: explain_judge leaves them as they are */
};

struct explain;
/* `a` holds what comes out. 0, or what matcher_new returns. */
int explain_new(struct arena *a, struct explain **ret, struct err *e);
void explain_free(struct explain *x); /* answers stay */
/* The name of what is fed from now on; kept, not copied. */
void explain_file(struct explain *x, const char *name);
/* The log, in pieces of any size. Cost: one pass; memory does not grow with the log. */
void explain_feed(struct explain *x, const void *p, size_t n);
/* The file ends. */
void explain_end(struct explain *x);
void explain_judge(struct explain *x, struct explain_answer *ret);

/* The entry of that id, or NULL. */
const struct explain_entry *explain_entry_of(const char *id);
/* The entry's one line, translated, with its values filled in; `x` NULL: names of the values in their place. */
const char *explain_headline(struct arena *a, const struct explain_entry *entry, const struct explained *x);
/* Why, translated. Sentences that need a value which the log does not give are left out; NULL when none is left. */
const char *explain_why(struct arena *a, const struct explain_entry *entry, const struct explained *x);

/* The command that shows that it is mended, or NULL: there is none, or the log does not fill its places. */
const char *explain_confirm(struct arena *a, const struct explain_entry *entry, const struct explained *x);

struct explain_fix { const struct explain_step *step; const char *command, *note; };
/* The steps of the entry whose places can all be filled, translated; returns how many. Steps for a rule's own variants (a, b, c) come
 * only where there are no others. `x` NULL: all steps, with the names of the values. */
size_t explain_steps(struct arena *a, const struct explain_entry *entry, const struct explained *x, const struct explain_fix **ret);
#endif
