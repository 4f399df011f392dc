/* SPDX-License-Identifier: Apache-2.0 */
/* wrap - text in lines of a given display width. */
#ifndef TG_REPORT_WRAP_H
#define TG_REPORT_WRAP_H
#include <stddef.h>
#include "base/buf.h"

/* Append `text`, broken at blanks (East Asian text also between wide characters) so that no line passes column `width`.
 *
 * col:    column at which the text starts (what stands in front is printed already)
 * indent: blanks in front of the second and further lines
 * A word that is wider than a line is not cut: it may be a path that the reader wants to copy. Control characters are
 * escaped; "\n" in the text starts a new line. No newline at the end.
 */
void wrap_text(struct buf *out, const char *text, size_t col, size_t indent, size_t width);
/* Append blanks up to column `col` behind a text that takes `have` columns; at least one. */
void wrap_pad(struct buf *out, size_t have, size_t col);
#endif
