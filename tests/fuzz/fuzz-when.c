/* SPDX-License-Identifier: Apache-2.0 */
/* Times and ranks of lines, and of what is above them: what is found is possible, its text is short, and the same line says the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/util.h"
#include "explain/timeline.h"

static void check_time(struct arena *a, const struct when *w)
{
    const char *text = when_text(a, w);
    if ((w->clock == WHEN_NONE) != (text == NULL) || w->clock >= WHEN_CLOCKS || (text && strlen(text) > 40))
        abort();
    if ((w->clock == WHEN_LOCAL || w->clock == WHEN_ZONED) && (w->month < 1 || w->month > 12 || w->day < 1 || w->day > 31 || w->us >= 86400ull * 1000000))
        abort();
    (void)when_key(w, 2024);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct places p;
    struct sightings seen = {0};
    struct str line;
    size_t pos = 0, skip, number = 0;
    const char *text = (const char *)data;
    arena_init(&a, 0);
    places_init(&p, &a);
    places_file(&p, arena_strndup(&a, text, size < 64 ? size : 64));
    places_feed(&p, text, size);
    while (str_line(text, size, &pos, &line)) {
        struct when w = when_of_line(line.p, line.n);
        check_time(&a, &w);
        struct rank r = rank_of_line(line.p, line.n, true, &skip);
        if (skip > line.n || (r.kind == RANK_NONE && skip))
            abort();
        number++;
        struct sighting *s = sightings_add(&p, &seen, line.p, line.n, number, number);
        if (s)
            check_time(&a, &s->when);
    }
    places_feed(&p, NULL, 0);
    if (seen.count != number || (number && !seen.n) || seen.n > SIGHTINGS_MAX)
        abort();
    if (seen.n) {
        const struct sighting **all = arena_array(&a, seen.n, sizeof *all);
        for (size_t i = 0; i < seen.n; i++)
            all[i] = &seen.list[i];
        struct timeline t = timeline_of(all, seen.n);
        timeline_sort(&t, seen.list, seen.n);
        for (size_t i = 0; i + 1 < seen.n; i++) {
            int64_t x, y;
            bool has_x = timeline_key(&t, &seen.list[i], &x), has_y = timeline_key(&t, &seen.list[i + 1], &y);
            if ((has_y && !has_x) || (has_x && has_y && x > y) || (has_x && x < t.first))
                abort();
        }
    }
    arena_done(&a);
    return 0;
}
