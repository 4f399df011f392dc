/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"
#include "formats/pyvenv.h"

static struct pyvenv_cfg parse(struct arena *a, const char *text)
{
    struct pyvenv_cfg c;
    pyvenv_parse(text, strlen(text), a, &c);
    return c;
}

int main(void)
{
    struct arena a;
    arena_init(&a, 0);
    struct pyvenv_cfg c = parse(&a, "home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11.2\n"
                                    "executable = /usr/bin/python3.11\ncommand = /usr/bin/python3 -m venv /x=y\n");
    ok_str(c.home, "/usr/bin", "home");
    ok_str(c.version, "3.11.2", "version");
    ok_str(c.executable, "/usr/bin/python3.11", "executable");
    ok(!c.system_site && !c.uv, "isolated, not uv's");
    c = parse(&a, "HOME=/opt/py/bin \r\nuv = 0.4.1\r\nversion_info = 3.12.1\r\nInclude-System-Site-Packages = TRUE\r\n");
    ok_str(c.home, "/opt/py/bin", "keys in any case, blanks and CRLF cut");
    ok_str(c.version, "3.12.1", "version_info of uv and virtualenv");
    ok_str(c.uv, "0.4.1", "uv");
    ok(c.system_site, "true in any case");
    c = parse(&a, "version = 3.9\n");
    ok(c.system_site && !c.home, "without the key the system's packages count");
    c = parse(&a, "home = /first\nhome = /second\ninclude-system-site-packages = true\ninclude-system-site-packages = false");
    ok_str(c.home, "/first", "the first home counts");
    ok(!c.system_site, "the last include-system-site-packages counts");
    c = parse(&a, "");
    ok(!c.home && c.system_site, "an empty file");
    pyvenv_parse("home = /a\0b\nuv = 1", 18, &a, &c);
    ok(!c.home && c.uv, "a line with a NUL byte is no line");
    arena_done(&a);
    return tap_done();
}
