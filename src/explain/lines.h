/* SPDX-License-Identifier: Apache-2.0 */
/* lines - bytes of a log in, lines as a terminal would show them out. Constant memory. */
#ifndef TG_EXPLAIN_LINES_H
#define TG_EXPLAIN_LINES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LINES_MAX = 64 * 1024, LINES_OVERLAP = 4096 };

/* Whole lines with newlines between them, or a window of one line that is longer than LINES_MAX. Colours and cursor movements are done,
 * not shown; a carriage return in front of a newline belongs to it; any other bytes may be there.
 *
 * number: of the first line, from 1
 * before: lines that came before it since lines_new
 * old:    of a window: the first `old` bytes were at the end of the window before */
struct lines_part { const char *p; size_t n; uint64_t number, before; size_t old; };
/* One line of them. */
struct line { const char *p; size_t n; uint64_t number, before; };
typedef void lines_fn(void *ctx, const struct lines_part *part);

struct lines;
/* `fn` gets all lines while bytes are fed; the bytes are gone when it returns. Memory as for arena_alloc. */
struct lines *lines_new(lines_fn *fn, void *ctx);
void lines_free(struct lines *l);
/* Any bytes. A byte order mark of UTF-16 or UTF-8 in front is understood. Cost: O(n); next to
 * nothing where lines are shown as they are. */
void lines_feed(struct lines *l, const void *p, size_t n);
/* The input ends: a last line without newline comes. What is fed then is another file, from line 1. */
void lines_end(struct lines *l);
/* How many lines came since lines_new. */
uint64_t lines_count(const struct lines *l);
#endif
