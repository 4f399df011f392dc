/* SPDX-License-Identifier: Apache-2.0 */
/* sighting - where and when something was seen first. */
#include "explain/sighting.h"
#include <string.h>
#include "base/util.h"

enum { ABOVE_LINES = 200, ABOVE_BYTES = 32 * 1024, ALIKE = 4 };

void places_init(struct places *p, struct arena *a)
{
    *p = (struct places){.a = a};
}

bool place_same(const struct place *x, const struct place *y)
{
    return x->file_order == y->file_order && x->cell == y->cell && x->rank.kind == y->rank.kind && x->rank.number == y->rank.number;
}

static const struct place *intern(struct places *p, const struct place *want)
{
    for (size_t i = p->n; i-- > 0 && p->list[i]->file_order == want->file_order;)
        if (place_same(p->list[i], want))
            return p->list[i];
    struct place **at = ARENA_PUSH(p->a, p->list, p->n);
    *at = ARENA_NEW(p->a, struct place);
    **at = *want;
    return *at;
}

void places_file(struct places *p, const char *file)
{
    struct place x = {.file = file, .rank = rank_of_name(file), .file_order = p->now ? p->now->file_order + 1 : 0};
    p->now = intern(p, &x);
    p->n_tail = 0;
}

void places_cell(struct places *p, uint32_t cell)
{
    struct place x = *p->now;
    x.cell = cell;
    x.run = 0;
    struct place **at = ARENA_PUSH(p->a, p->list, p->n);
    *at = ARENA_NEW(p->a, struct place);
    **at = x;
    p->now = *at;
    p->n_tail = 0;
}

void places_run(struct places *p, uint32_t cell, uint32_t run)
{
    for (size_t i = p->n; i-- > 0 && p->list[i]->file_order == p->now->file_order;)
        if (p->list[i]->cell == cell)
            p->list[i]->run = run;
}

/* -- the lines above a line ------------------------------------------------------------------------------------------------- */

/* The line that ends before `end`, which is the start of a line. */
static bool line_above(const char *start, const char **end, struct str *ret)
{
    if (*end == start)
        return false;
    const char *e = *end - 1; /* its newline */
    const char *b = e;
    while (b > start && b[-1] != '\n')
        b--;
    *ret = (struct str){b, (size_t)(e - b)};
    *end = b;
    return true;
}

/* The last time above `end` in p[0..end), of a line of that rank. */
static bool time_above(const char *start, const char *end, struct rank rank, struct when *ret)
{
    struct str l;
    size_t skip;
    const char *floor = end - start > ABOVE_BYTES ? end - ABOVE_BYTES : start;
    for (int i = 0; i < ABOVE_LINES && line_above(floor, &end, &l); i++) {
        struct rank r = rank_of_line(l.p, l.n, rank.kind == RANK_TASK, &skip);
        if (rank.kind && (r.kind != rank.kind || r.number != rank.number))
            continue;
        *ret = when_of_line(l.p, l.n);
        if (ret->clock)
            return true;
    }
    return false;
}

/* Do the lines above have srun's labels too? One line alone may just begin with a number. */
static bool is_labelled(const char *start, const char *end)
{
    struct str l;
    size_t skip, n = 0;
    while (n < ALIKE && line_above(start, &end, &l)) {
        if (rank_of_line(l.p, l.n, true, &skip).kind != RANK_TASK)
            return false;
        n++;
    }
    return n == ALIKE;
}

/* Up to the last whole line. */
static const char *whole_lines(const char *p, size_t n)
{
    const char *newline = n ? memrchr(p, '\n', n) : NULL;
    return newline ? newline + 1 : p;
}

static struct when time_of(const struct places *p, const char *line, size_t n, struct rank rank, bool inside)
{
    struct when w = when_of_line(line, n);
    if (!w.clock && inside)
        (void)time_above(p->fed, line, rank, &w);
    if (!w.clock)
        (void)time_above(p->tail, whole_lines(p->tail, p->n_tail), rank, &w);
    return w;
}

void places_feed(struct places *p, const char *bytes, size_t n)
{
    size_t take = p->n_fed < PLACES_TAIL ? p->n_fed : PLACES_TAIL, keep = PLACES_TAIL - take < p->n_tail ? PLACES_TAIL - take : p->n_tail;
    if (p->fed && take) {
        memmove(p->tail, p->tail + p->n_tail - keep, keep);
        memcpy(p->tail + keep, p->fed + p->n_fed - take, take);
        p->n_tail = keep + take;
    }
    p->fed = bytes;
    p->n_fed = n;
}

/* -- sightings -------------------------------------------------------------------------------------------------------------- */

struct sighting *sightings_add(struct places *p, struct sightings *s, const char *line, size_t n, uint64_t line_number, uint64_t at)
{
    size_t skip;
    struct place here = *p->now;
    bool inside = p->fed && line >= p->fed && line <= p->fed + p->n_fed;
    struct rank rank = rank_of_line(line, n, false, &skip);
    if (!rank.kind && inside && n && line[0] <= '9' && rank_of_line(line, n, true, &skip).kind && is_labelled(p->fed, line))
        rank = rank_of_line(line, n, true, &skip);
    if (rank.kind)
        here.rank = rank;
    s->count++;
    for (size_t i = s->n; i-- > 0;)
        if (place_same(s->list[i].place, &here)) {
            s->list[i].count++;
            return NULL;
        }
    if (s->n == SIGHTINGS_MAX) {
        s->list[s->n - 1].count++;
        return NULL;
    }
    struct sighting *x = ARENA_PUSH(p->a, s->list, s->n);
    *x = (struct sighting){.place = intern(p, &here), .count = 1, .line_number = line_number, .at = at, .when = time_of(p, line, n, rank, inside)};
    return x;
}

bool sighting_before(const struct sighting *x, const struct sighting *y)
{
    const struct place *px = x->place, *py = y->place;
    if (px->file_order != py->file_order || !px->cell || !py->cell)
        return x->at < y->at;
    uint32_t rx = px->run ? px->run : px->cell, ry = py->run ? py->run : py->cell;
    return rx != ry ? rx < ry : x->at < y->at;
}
