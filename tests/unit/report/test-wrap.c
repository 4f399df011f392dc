/* SPDX-License-Identifier: Apache-2.0 */
/* test-wrap - lines of a given display width. */
#include "report/wrap.h"
#include "tap.h"

static void wraps(const char *text, size_t col, size_t indent, size_t width, const char *want, const char *name)
{
    struct buf b;
    buf_init(&b, 0);
    wrap_text(&b, text, col, indent, width);
    ok_str(b.p ? b.p : "", want, name);
    buf_done(&b);
}

int main(void)
{
    wraps("one two three", 0, 0, 80, "one two three", "a short text stays");
    wraps("one two three", 0, 2, 8, "one two\n  three", "breaks at a blank, indents");
    wraps("one two", 6, 2, 8, "\n  one\n  two", "a first word that does not fit goes to the next line");
    wraps("a /a/very/long/path b", 0, 0, 8, "a\n/a/very/long/path\nb", "a long word is not cut");
    wraps("a  b\nc", 0, 1, 80, "a b\n c", "blanks are folded, newlines kept");
    wraps("", 0, 0, 80, "", "nothing");
    wraps("\033[31mred", 0, 0, 80, "\\x1B[31mred", "an escape sequence is shown, not sent");
    wraps("\xe4\xb8\x80\xe4\xba\x8c\xe4\xb8\x89\xe5\x9b\x9b", 0, 0, 4, "\xe4\xb8\x80\xe4\xba\x8c\n\xe4\xb8\x89\xe5\x9b\x9b",
          "wide characters count two columns and may be parted");
    wraps("\xe4\xb8\x80\xe4\xba\x8c\xef\xbc\x8c\xe4\xb8\x89", 0, 0, 4, "\xe4\xb8\x80\n\xe4\xba\x8c\xef\xbc\x8c\n\xe4\xb8\x89",
          "a comma does not begin a line");
    wraps("\xe4\xb8\x80\xef\xbc\x88\xe4\xba\x8c", 0, 0, 4, "\xe4\xb8\x80\n\xef\xbc\x88\xe4\xba\x8c", "an opening bracket does not end one");
    return tap_done();
}
