/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"
#include "base/arena.h"
#include "formats/pth.h"

/* The lines as "kind:text" joined by "|". */
static const char *lines(struct arena *a, const char *buf, size_t len, bool isolated)
{
    const char *out = "";
    size_t pos = 0;
    uint32_t line = 0;
    struct pth_line l;
    while (isolated ? pth_next_isolated(buf, len, &pos, &line, &l) : pth_next(buf, len, &pos, &line, &l))
        out = arena_printf(a, "%s%s%u%c%.*s", out, *out ? "|" : "", l.line, "pcs"[l.kind], (int)l.text.n, l.text.p);
    return out;
}

int main(void)
{
    struct arena a;
    arena_init(&a, 0);
#define LINES(text, isolated) lines(&a, text, sizeof text - 1, isolated)
    ok_str(LINES("/a\nb/c  \n", false), "1p/a|2pb/c", "paths, trailing blanks cut");
    ok_str(LINES("# note\n\n  \t\n/a", false), "4p/a", "comments and blank lines are skipped, no newline at the end");
    ok_str(LINES("import os\nimport\tsys\nimportant\n", false), "1cimport os|2cimport\tsys|3pimportant", "code needs a blank behind import");
    ok_str(LINES("/a\r\n/b\r/c\n", false), "1p/a|2p/b|3p/c", "all three line ends");
    ok_str(LINES("  /a\n", false), "1p  /a", "blanks in front belong to the path");
    ok_str(LINES("\xef\xbb\xbfimport a\n", false), "1p\xef\xbb\xbfimport a", "a byte order mark is a part of the first line");
    ok_str(LINES("\xef\xbb\xbf/a\n", true), "1p/a", "but not in a ._pth");
    ok_str(LINES("", false), "", "an empty file");
    ok_str(LINES("/a # c\n#x\n  lib \nimport site\nimport os\n", true), "1p/a|3plib|4simport site|5cimport os", "._pth");
    arena_done(&a);
    return tap_done();
}
