/* SPDX-License-Identifier: Apache-2.0 */
/* sighting - where and when something was seen first: in which file, by which rank, in the output of which notebook cell. */
#ifndef TG_EXPLAIN_SIGHTING_H
#define TG_EXPLAIN_SIGHTING_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "explain/when.h"

struct explain_value { const char *name, *value, *all; }; /* all: joined, where the log has several; else NULL */

enum { SIGHTINGS_MAX = 1024 }; /* of one thing; those at further places are counted with the last one */

enum { PLACES_TAIL = 8192 };

/* Where lines come from. */
struct place {
    const char *file;
    uint32_t cell;          /* of a notebook, from 1; else 0 */
    uint32_t run;           /* its execution count; 0: not known */
    struct rank rank;
    uint32_t file_order;    /* which file, in the order in which they were read */
};

/* The first line at one place that shows it. */
struct sighting {
    const struct place *place;
    uint64_t count;         /* lines at this place that show it */
    uint64_t line_number;   /* in the file, or in the cell's output; from 1 */
    uint64_t at;            /* among all lines of all files */
    struct when when;       /* of that line, or of the nearest one above it that tells */
    const char *line;       /* one line of clean text */
    const struct explain_value *values; size_t n_values;
};
struct sightings { struct sighting *list; size_t n; uint64_t count; };

/* What is being read. */
struct places {
    struct arena *a;
    struct place **list; size_t n;
    const struct place *now;    /* the file or cell, without rank */
    const char *fed; size_t n_fed;      /* the bytes that are being read, for the lines above one */
    char tail[PLACES_TAIL]; size_t n_tail; /* the last bytes before them */
};
void places_init(struct places *p, struct arena *a);
/* Lines come from this file (kept, not copied), of a cell when that is not 0, from now on. */
void places_file(struct places *p, const char *file);
void places_cell(struct places *p, uint32_t cell);
/* The execution count of a cell of this file; before or after its lines. */
void places_run(struct places *p, uint32_t cell, uint32_t run);
/* These bytes are read next; NULL: they are gone. Cost: a copy of the last few kB. */
void places_feed(struct places *p, const char *bytes, size_t n);

/* The line shows it. Gives the new sighting, whose line and values are the caller's to fill; NULL when there is one of this place.
 * Cost: some compares where there is one; a new one looks at up to 200 lines above it for a time. */
struct sighting *sightings_add(struct places *p, struct sightings *s, const char *line, size_t n, uint64_t line_number, uint64_t at);
/* Was x before y? Files in the order of reading, cells as they were executed. */
bool sighting_before(const struct sighting *x, const struct sighting *y);
bool place_same(const struct place *x, const struct place *y);
#endif
