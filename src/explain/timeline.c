/* SPDX-License-Identifier: Apache-2.0 */
/* timeline - which of several files or ranks failed first. */
#include "explain/timeline.h"
#include <stdlib.h>

static const int64_t year_us = 365 * 86400ll * 1000000;

/* Are there two places with a time of that clock, and how many sightings have one? */
static size_t with_clock(const struct sighting *const *s, size_t n, enum when_clock clock, bool *ret_several)
{
    const struct place *one = NULL;
    size_t count = 0;
    *ret_several = false;
    for (size_t i = 0; i < n; i++) {
        if (s[i]->when.clock != clock)
            continue;
        count++;
        *ret_several |= one && !place_same(one, s[i]->place);
        one = s[i]->place;
    }
    return count;
}

/* A date with a year, else any, is what the others are near to. */
static void set_near(struct timeline *t, const struct sighting *const *s, size_t n)
{
    enum { ANY_YEAR = 2001 };
    struct when ref = {0};
    for (size_t i = 0; i < n; i++)
        if (s[i]->when.clock == t->clock && (!ref.clock || (!ref.year && s[i]->when.year)))
            ref = s[i]->when;
    t->year = ref.year ? ref.year : ANY_YEAR;
    t->near = when_key(&ref, t->year);
}

bool timeline_key(const struct timeline *t, const struct sighting *s, int64_t *ret_us)
{
    if (!t->on || s->when.clock != t->clock)
        return false;
    int64_t key = when_key(&s->when, t->year);
    if (t->clock != WHEN_UPTIME && !s->when.year) /* New Year lies between them */
        key += key - t->near > year_us / 2 ? -year_us : t->near - key > year_us / 2 ? year_us : 0;
    *ret_us = key;
    return true;
}

struct timeline timeline_of(const struct sighting *const *s, size_t n)
{
    struct timeline t = {0};
    size_t most = 0;
    for (enum when_clock c = WHEN_LOCAL; c < WHEN_CLOCKS; c++) {
        bool several;
        size_t count = with_clock(s, n, c, &several);
        if (several && count > most) {
            t = (struct timeline){.on = true, .clock = c};
            most = count;
        }
    }
    if (!t.on)
        return t;
    set_near(&t, s, n);
    t.first = INT64_MAX;
    for (size_t i = 0; i < n; i++) {
        int64_t key;
        if (timeline_key(&t, s[i], &key) && key < t.first)
            t.first = key;
    }
    return t;
}

static int by_time(const void *pa, const void *pb, void *ctx)
{
    const struct sighting *a = pa, *b = pb;
    int64_t ka = INT64_MAX, kb = INT64_MAX;
    (void)timeline_key(ctx, a, &ka);
    (void)timeline_key(ctx, b, &kb);
    if (ka != kb)
        return ka < kb ? -1 : 1;
    return sighting_before(a, b) ? -1 : sighting_before(b, a);
}

void timeline_sort(const struct timeline *t, struct sighting *s, size_t n)
{
    struct timeline copy = *t;
    qsort_r(s, n, sizeof *s, by_time, &copy);
}
