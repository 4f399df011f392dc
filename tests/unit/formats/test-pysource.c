/* SPDX-License-Identifier: Apache-2.0 */
/* Python files: their imports and what Python is sure to refuse. That Python does the same: tests/truth/run-pysource. */
#include <string.h>
#include "tap.h"
#include "formats/pysource.h"

static struct arena a;

/* "a.b x" with '+' before it when it is sure; "..x" for levels; the fault and its line at the end. */
static const char *of_bytes(const char *text, size_t n)
{
    static const char *const faults[] = {"", "nul", "encoding", "string", "bracket", "indent", "character", "syntax"};
    struct pysource s;
    const char *out = "";
    pysource_read((struct str){text, n}, &a, &s);
    for (size_t i = 0; i < s.n_imports; i++) {
        const struct pysource_import *m = &s.imports[i];
        out = arena_printf(&a, "%s%s%s%.*s%.*s%s%.*s", out, *out ? ", " : "", m->sure ? "+" : "", (int)m->level, "......", (int)m->module.n, m->module.p,
                           m->name.n ? " " : "", (int)m->name.n, m->name.n ? m->name.p : "");
    }
    return s.fault ? arena_printf(&a, "%s%s!%s %u", out, *out ? ", " : "", faults[s.fault], s.line) : out;
}

static const char *of(const char *text)
{
    return of_bytes(text, strlen(text));
}

/* "a.b c.d=": uses. */
static const char *uses_of(const char *text)
{
    struct pysource s;
    const char *out = "";
    pysource_read((struct str){text, strlen(text)}, &a, &s);
    for (size_t i = 0; i < s.n_uses; i++)
        out = arena_printf(&a, "%s%s%.*s.%.*s%s", out, *out ? " " : "", (int)s.uses[i].name.n, s.uses[i].name.p, (int)s.uses[i].attr.n, s.uses[i].attr.p, s.uses[i].sets ? "=" : "");
    return out;
}

static const char *bound_of(const char *text)
{
    struct pysource s;
    const char *out = "";
    pysource_read((struct str){text, strlen(text)}, &a, &s);
    for (size_t i = 0; i < s.n_imports; i++)
        out = arena_printf(&a, "%s%s%.*s", out, *out ? " " : "", (int)s.imports[i].bound.n, s.imports[i].bound.n ? s.imports[i].bound.p : "");
    return out;
}

static bool has(const char *text, const char *name)
{
    return pysource_may_have((struct str){text, strlen(text)}, (struct str){name, strlen(name)});
}

static const char *raised(const char *text)
{
    struct str what;
    return pysource_raises((struct str){text, strlen(text)}, &what) ? arena_printf(&a, "raise %.*s", (int)what.n, what.n ? what.p : "") : "nothing";
}

static bool plain(const char *text)
{
    struct pysource_modules m;
    return pysource_is_plain((struct str){text, strlen(text)}, &a, &m);
}

int main(void)
{
    arena_init(&a, 0);
    ok_str(of("import a.b as c, d\nfrom e import (f,\n  g as h,)\nfrom .. import i; from .j import k\n"), "+a.b, +d, +e f, +e g, +.. i, +.j k", "statements");
    ok_str(of("from x import *\nfrom ... import y\n"), "+x *, +... y", "stars and dots");
    ok_str(of("def f():\n  import a\n  class C:\n    import b\nimport c\n"), "a, b, +c", "a function does not run");
    ok_str(of("class C:\n  import a\n  def f(self): import b\n  import c\n"), "+a, b, +c", "the body of a class does");
    ok_str(of("try:\n  import a\nexcept ImportError:\n  import b\nelse: import c\nif x: import d\nimport e\n"), "a, b, c, d, +e", "conditions");
    ok_str(of("x = '''\nimport a\n'''\n# import b\ny = 'import c'; import d\n"), "+d", "texts and comments");
    ok_str(of("x = Lazy('m', globals(), 'a.b.c')\ny = 'a b.c'\n"), "a.b.c", "a dotted name in a text");
    ok_str(of("\xef\xbb\xbfimport a\r\nimport b\\\r\n  .c\n"), "+a, +b.c", "byte order mark, line ends of Windows, a joined line");
    ok_str(of(""), "", "an empty file");
    ok_str(of("def (\n"), "!bracket 1", "a bracket that nothing closes");
    ok_str(of("x = (1,\n  2]\n"), "!bracket 2", "the wrong one closes it");
    ok_str(of_bytes("x = 1\0\n", 7), "!nul 1", "a NUL byte");
    ok_str(of_bytes("x = 1\n# \0\n", 10), "!nul 2", "a NUL byte in a comment");
    ok_str(of("x = 'caf\xe9'\n"), "!encoding 1", "Latin-1");
    ok_str(of("# -*- coding: latin-1 -*-\nx = 'caf\xe9'\n"), "", "Latin-1, and the file says so");
    ok_str(of("# caf\xe9\nx = 1\n"), "", "older Pythons let a comment have any bytes");
    ok_str(of("x = 'abc\ny = 1\n"), "!string 1", "a quote that does not close");
    ok_str(of("import a\n'''abc\n\n"), "+a, !string 2", "three of them");
    ok_str(of("def f():\nx = 1\n"), "!indent 2", "a block without anything in it");
    ok_str(of("x = 1\n  y = 2\n"), "!indent 2", "a block that nothing opened");
    ok_str(of("if x:\n    y\n  z\n"), "!indent 3", "back to where no block began");
    ok_str(of("if x:\n"), "!indent 2", "the end where a block should be");
    ok_str(of("if x:\n\ty\n        z\n"), "!indent 3", "tabs and blanks that look the same");
    ok_str(of("x = $y\n"), "!character 1", "no character of Python");
    ok_str(of("<<<<<<< HEAD\nx = 1\n"), "!syntax 1", "what a merge leaves behind");
    ok_str(of("x = 1\ny = x =\n"), "!syntax 2", "nothing on the right");
    ok_str(of("def f(x)\n  return x\n"), "!syntax 1", "no colon");
    ok_str(of("x = 1\nprint x\n"), "!syntax 2", "a statement of Python 2");
    ok_str(of("match x:\n  case y if z:\n    pass\ntype X = int\nprint(1if x else 2, 1.5e3.real, 0x1for_ in y)\n"), "!syntax 5", "a word behind a number");
    ok_str(of("match x:\n  case y if z:\n    pass\ntype X = int\nprint(1if x else 2, 1.5e3.real)\n"), "", "soft keywords, numbers before words");
    ok_str(of("x = f\"{y[\"a\"]}\"\nz = 'abc\n"), "", "an f-string of newer Pythons: nothing is said of what follows");
    ok_str(of("a[:, ::2] = lambda *b, c=1, **d: ...\ndef f(a, /, b, *, c) -> x: pass\n@d\nasync def g(): await h\n"), "", "signs in a row that are right");
    ok_str(bound_of("import a.b as c, d\nfrom e import f as g, h\n"), "c  g h", "what a file calls what it imports");
    ok_str(uses_of("x = a.b(c.d.e)\n@f.g\ndef h(i=j.k): return l.m\nclass N(o.p):\n  q = r.s\nt.u = 1\n"), "a.b c.d f.g o.p t.u=", "uses that run");
    ok_str(uses_of("x = a.b if c else d.e\nf(lambda: g.h, i.j)\nif k.l:\n  m.n\ntry:\n  o.p\nexcept q.r: pass\nfor s in t.u: pass\nx: v.w = 1\n"), "", "uses that may not");
    ok(has("x = 1\ndef name(): pass\n", "name") && has("from a import *\n", "name") && has("globals().update(x)", "name"), "names there or perhaps there");
    ok(!has("x = 1\nnames = 2\nmy_name = 3\n", "name") && !has("", "name") && has("", "__file__"), "names that are not");
    ok(plain("\"\"\"What it is.\"\"\"\nimport os, collections\nx = collections.OrderedDict([('a', 1), ('b', [True, None])])\ny = {'k': x}\n"), "values alone");
    ok(plain("") && plain("# a remark\n"), "nothing at all");
    ok(!plain("x = f(1)\n") && !plain("x = 1 / 0\n") && !plain("if x: y = 1\n") && !plain("from a import b\n") && !plain("import a.b\n") && !plain("x.y = 1\n") && !plain("x = 1; y\n") && !plain("x = 1(2)\n") && !plain("x = 'a'[5]\n"),
       "code that may go wrong");
    ok(!plain("x = (1\n") && !plain("x =\n") && !plain("x = a.\n"), "what does not compile");
    ok_str(raised("'''x'''\nimport os\nraise RuntimeError(\n'a')\n"), "raise RuntimeError", "a raise that runs");
    ok_str(raised("raise (x)\n"), "raise ", "of no plain name");
    ok_str(raised("def f():\n  raise X\nif x: raise X\nx = \"\"\"\nraise X\n\"\"\"\ny = (\nraise_)\n# raise X\ntry: raise X\nexcept X: pass\n"), "nothing", "raises that may not run");
    arena_done(&a);
    return tap_done();
}
