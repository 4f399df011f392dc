/* SPDX-License-Identifier: Apache-2.0 */
/* explain - a log in, causes out. Knows nothing of this machine; what it knows of faults is in data/causes/. */
#ifndef TG_EXPLAIN_EXPLAIN_H
#define TG_EXPLAIN_EXPLAIN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "explain/catalog.h"
#include "explain/ending.h"
#include "explain/timeline.h"

/* One cause, symptom or harmless line that the log shows. Strings from the log are one line each, without control characters. */
struct explained {
    const struct explain_entry *entry;
    const char *file;               /* as given to explain_file */
    uint64_t line_number;           /* of the first line that shows it */
    const char *line;               /* that line, or the part of it around what matched */
    uint64_t count;                 /* how many lines show it */
    const struct explain_value *values; size_t n_values; /* named groups of its patterns, those of `line` first */
    const struct explain_entry *cause;  /* of a symptom: found too, and shown by this; else NULL */
    const struct explained_code *code;  /* it is known by this code alone; else NULL */
    struct sighting *seen; size_t n_seen; /* the places that show it, the first one first */
    bool has_after; int64_t after_us;   /* so long after the first failure of all; only where several places have times */
    bool is_later;                      /* of a cause: so much after it that it is a consequence */
};

/* Where numbers have changed (the CUDA runtime after 10.0, cuDNN after 8): which numbering is meant. */
enum explain_numbering { NUMBERING_BOTH, NUMBERING_NEW, NUMBERING_OLD };
struct explained_reading { const struct explain_code *row; enum explain_numbering numbering; };
/* One code of a driver or a library, as a name, a number or the library's words for it. */
struct explained_code {
    uint8_t family;                     /* enum explain_family: how it was printed */
    uint32_t number;                    /* as printed; 0: it was not printed */
    struct explained_reading readings[3]; size_t n_readings; /* several: ambiguous; none: not in the table */
    const char *file, *line, *gpu;      /* gpu: PCI address, or NULL */
    uint64_t line_number, count;
    struct sighting *seen; size_t n_seen; /* the places that have it */
    const struct explain_entry *entry;  /* what of the answer speaks of it, or NULL */
};
/* Of several places that failed, one after the first: its own first failure. */
struct explain_failure { const struct explain_entry *entry; const struct sighting *seen; int64_t after_us; };
/* A file that was not read to its end. */
struct explain_gap { const char *file, *why; };
/* What the facts of a machine say of the first answer, a symptom that the log alone does not resolve. */
struct explained_step { const char *command, *note, *side; bool needs_root; };
struct explained_machine {
    const char *source;                 /* facts file; NULL: this machine */
    const char *cause, *text, *subject; /* what it is on that machine; cause NULL: none of the symptom's causes shows there */
    const char *differs;                /* why the log cannot be of that machine as it is now, or NULL; then no cause is given */
    const char *first;                  /* then: the first broken link that does, or NULL */
    bool driver_asked;
    struct explained_step *steps; size_t n_steps;
};

struct explain_answer {
    const struct explain_catalog *catalog;   /* of the entries */
    const struct explained *found; size_t n; /* best first: causes, symptoms, harmless lines */
    const struct explained_code *codes; size_t n_codes; /* all of them, by their first lines */
    uint64_t lines;                          /* how many were read */
    const struct explain_failure *failures; size_t n_failures; /* the first of each place, by time; only where several places have times */
    const struct explain_ending *ending;     /* the caller's, as `gaps`: of a command that was run; else NULL */
    const char *driver;                      /* its version, where the log states it; else NULL */
    const struct explained_machine *machine; /* the caller's too, or NULL */
    struct explain_gap *gaps; size_t n_gaps; /* the caller's: explain_judge leaves them as they are */
};

struct explain;
/* `a` holds what comes out. k: lives as long. engine: as for matcher_new. 0, or what that returns. */
int explain_new(struct arena *a, const struct explain_catalog *k, const char *engine, struct explain **ret, struct err *e);
/* Begin anew with another log, what comes out goes to `a`: explain_new without its cost. Answers stay in the arena they are in. */
void explain_again(struct explain *x, struct arena *a);
void explain_free(struct explain *x); /* answers stay */
/* The name of what is fed from now on; kept, not copied. */
void explain_file(struct explain *x, const char *name);
/* The file is a notebook, and what is fed from now on is the output of this cell (from 1). */
void explain_cell(struct explain *x, uint32_t cell);
/* That cell's execution count, before or after its output. */
void explain_cell_run(struct explain *x, uint32_t cell, uint32_t run);
/* The log, in pieces of any size. Cost: one pass; memory does not grow with the log. */
void explain_feed(struct explain *x, const void *p, size_t n);
/* The file ends. */
void explain_end(struct explain *x);
void explain_judge(struct explain *x, struct explain_answer *ret);

/* The entry's one line, translated, with its values filled in; `x` NULL: names of the values in their place. */
const char *explain_headline(struct arena *a, const struct explain_catalog *k, const struct explain_entry *entry, const struct explained *x);
/* Why, translated. Sentences that need a value which the log does not give are left out; NULL when none is left. */
const char *explain_why(struct arena *a, const struct explain_catalog *k, const struct explain_entry *entry, const struct explained *x);

/* The command that shows that it is mended, or NULL: there is none, or the log does not fill its places. */
const char *explain_confirm(struct arena *a, const struct explain_catalog *k, const struct explain_entry *entry, const struct explained *x);

/* The page of a code: an entry as those of causes, with the name of the code as id. */
const struct explain_entry *explain_code_page(const struct explain_catalog *k, const struct explain_code *row);
/* What a user may mean: "xid:79", a name in any case, "cudnn8:3", a bare number. At most `max`; returns how many. */
size_t explain_code_find(const char *text, struct explained_reading *ret, size_t max);
/* "Xid 79", "CUDA_ERROR_TIMEOUT (909)". */
const char *explain_code_label(struct arena *a, const struct explained_reading *r);
/* What it means, in a few words, translated. */
const char *explain_code_meaning(struct arena *a, const struct explain_code *row);
/* Label and meaning; all of them, where a number is ambiguous. One line. */
const char *explain_code_text(struct arena *a, const struct explained_code *x);

struct explain_fix { const struct explain_step *step; const char *command, *note; };
/* The steps of the entry whose places can all be filled, translated; returns how many. Steps for a rule's own variants (a, b, c) come
 * only where there are no others. `x` NULL: all steps, with the names of the values. */
size_t explain_steps(struct arena *a, const struct explain_catalog *k, const struct explain_entry *entry, const struct explained *x, const struct explain_fix **ret);
#endif
