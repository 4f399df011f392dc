/* SPDX-License-Identifier: Apache-2.0 */
/* timeline - which of several files or ranks failed first. Pure. */
#ifndef TG_EXPLAIN_TIMELINE_H
#define TG_EXPLAIN_TIMELINE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "explain/sighting.h"

enum { TIMELINE_TOGETHER_US = 1000000 }; /* clocks of machines differ: what is nearer than this has no order by time */

struct timeline {
    bool on;                /* several places have times of one clock */
    enum when_clock clock;  /* that of the most places */
    unsigned year;          /* for dates without one */
    int64_t near;           /* microseconds: they lie within half a year of this */
    int64_t first;          /* the earliest */
};

/* Of these sightings, which are those of failures. */
struct timeline timeline_of(const struct sighting *const *s, size_t n);
/* false: its time cannot be compared with the others'. */
bool timeline_key(const struct timeline *t, const struct sighting *s, int64_t *ret_us);
/* By time, those that have none behind, in the order of reading. */
void timeline_sort(const struct timeline *t, struct sighting *s, size_t n);
#endif
