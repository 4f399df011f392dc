/* SPDX-License-Identifier: Apache-2.0 */
/* screen - one line as a terminal shows it: carriage returns, backspaces and escape sequences are obeyed. */
#ifndef TG_EXPLAIN_SCREEN_H
#define TG_EXPLAIN_SCREEN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

size_t count_newlines(const char *p, size_t n);
/* Offset of the first byte that makes a line look other than it is (an escape, a backspace, a carriage return that is not in front of a
 * newline), or n; and how many newlines are before it. Cost: about 16 bytes at once. */
size_t screen_first(const char *p, size_t n, size_t *ret_newlines);
/* Copy what is shown as it is, without colours between it, to `out` (room for n + SCREEN_SLACK bytes). Returns how much was read: n, or up
 * to the first byte that only screen_show can obey, on the line where it stands. Cost: about 16 bytes at once. */
enum { SCREEN_SLACK = 16 };
size_t screen_strip(const char *p, size_t n, char *out, size_t *ret_n);
/* Does the line hold anything that screen_show would change? */
bool screen_needed(const char *p, size_t n);
/* Write the line as it is shown to `out` (room for 4 * n + 4 bytes); returns its length. `cells`: room for n + 1.
 * A character is a cell, whatever its width. A byte that is not UTF-8 is a cell of its own. Cost: O(n); little where a line is written
 * over from its start, as progress bars do. */
size_t screen_show(const char *p, size_t n, uint32_t *cells, char *out);
#endif
