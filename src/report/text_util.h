/* SPDX-License-Identifier: Apache-2.0 */
/* text_util - what the parts of the text renderer share: marks, colours, paragraphs, fix steps. */
#ifndef TG_REPORT_TEXT_UTIL_H
#define TG_REPORT_TEXT_UTIL_H
#include "report/report.h"

enum ink { INK_NONE, INK_GOOD, INK_WARN, INK_BAD, INK_DIM, INK_BOLD };

/* Switch the colour on (INK_NONE: off); nothing when the terminal shows none. */
void ink(const struct report *r, struct buf *out, enum ink i);
/* `text` in that colour, as it is. */
void inked(const struct report *r, struct buf *out, enum ink i, const char *text);
/* "✓ ", "✗ " …; in ASCII "ok   ", "FAIL ". Always mark_width() columns. */
void mark(const struct report *r, struct buf *out, enum layer_status s);
size_t mark_width(const struct report *r);
enum layer_status severity_status(enum severity s);
/* `indent` blanks, the text wrapped behind them, a newline. */
void para(const struct report *r, struct buf *out, size_t indent, const char *text);
/* "label  text" with the text hanging at column `col`. */
void labelled(const struct report *r, struct buf *out, size_t indent, const char *label, size_t col, const char *text);
/* The fix steps of a finding that apply to this machine, numbered when there are several; returns how many. */
size_t fix_steps(const struct report *r, struct buf *out, const struct finding *f, size_t indent);
#endif
