/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"
#include "base/arena.h"
#include "formats/shebang.h"

static struct arena a;

static const char *script(const char *text)
{
    struct shebang s;
    if (!shebang_parse(text, strlen(text), &s))
        return "none";
    return arena_printf(&a, "%s%.*s", s.by_path ? "PATH " : "", (int)s.program.n, s.program.p);
}

int main(void)
{
    arena_init(&a, 0);
    ok_str(script("#!/usr/bin/python3\nimport sys\n"), "/usr/bin/python3", "plain");
    ok_str(script("#! /usr/bin/python3 -E\r\n"), "/usr/bin/python3", "blank in front, an option, CRLF");
    ok_str(script("#!/usr/bin/env python3\n"), "PATH python3", "env");
    ok_str(script("#!/usr/bin/env -S FOO=1 python3 -u\n"), "PATH python3", "env -S with an assignment");
    ok_str(script("#!/usr/bin/env /opt/py/bin/python\n"), "/opt/py/bin/python", "env with a path");
    ok_str(script("#!/usr/bin/env\n"), "none", "env alone");
    ok_str(script("#!/bin/sh\n'''exec' \"/a long/path/bin/python\" \"$0\" \"$@\"\n' '''\n"), "/a long/path/bin/python", "pip's detour for long paths");
    ok_str(script("#!/bin/sh\n'''exec' /opt/x/bin/python3 \"$0\" \"$@\"\n"), "/opt/x/bin/python3", "the same without quotes");
    ok_str(script("#!/bin/sh\necho hello\n"), "/bin/sh", "an ordinary shell script");
    ok_str(script("#!"), "none", "nothing behind the mark");
    ok_str(script("#!  \n"), "none", "blanks behind the mark");
    ok_str(script("\x7f" "ELF"), "none", "a program");
    arena_done(&a);
    return tap_done();
}
