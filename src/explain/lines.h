/* SPDX-License-Identifier: Apache-2.0 */
/* lines - bytes of a log in, lines as a terminal would show them out. Constant memory. */
#ifndef TG_EXPLAIN_LINES_H
#define TG_EXPLAIN_LINES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LINES_MAX = 64 * 1024, LINES_OVERLAP = 4096 };

/* One line: no newline; colours and cursor movements are done, not shown. It may hold any other bytes.
 *
 * number: from 1
 * old:    a line longer than LINES_MAX comes in windows; the first `old` bytes were at the end of the window before */
struct line { const char *p; size_t n; uint64_t number; size_t old; };
typedef void line_fn(void *ctx, const struct line *line);

struct lines;
/* `fn` gets each line while bytes are fed; the bytes of a line are gone when it returns. Memory as for arena_alloc. */
struct lines *lines_new(line_fn *fn, void *ctx);
void lines_free(struct lines *l);
/* Any bytes. A byte order mark of UTF-16 or UTF-8 in front is understood. Cost: one pass, O(n). */
void lines_feed(struct lines *l, const void *p, size_t n);
/* The input ends: a last line without newline comes. What is fed then is another file, from line 1. */
void lines_end(struct lines *l);
/* How many lines came since lines_new. */
uint64_t lines_count(const struct lines *l);
#endif
