/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of code of .pth files, and what they do to sys.path. That Python does the same: tests/truth/run-syspath. */
#include <string.h>
#include "tap.h"
#include "formats/pthcode.h"

static struct arena a;

static const char *one_variable(void *ctx, const char *name)
{
    (void)ctx;
    return strcmp(name, "SET") == 0 ? "1" : strcmp(name, "EMPTY") == 0 ? "" : NULL;
}

/* The effects as text: "+0:0[/x]" splice, "-[/x]" remove, "s[/x]" site folder, "e[NAME][value]", m, M, "i[MODULE]" import, "x" ends ("x6": by a signal), "l[/x.so]", "a?", "?", "!". */
static const char *of(const char *line)
{
    const struct pthcode_scope scope = {.sitedir = "/sp", .cwd = "/cwd", .home = "/home/u", .prefix = "/env", .getenv = one_variable};
    static const char *const ops[] = {"+", "-", "s", "e", "m", "M", "i", "x", "l", "a?", "?", "!"};
    struct pthcode_effect *x;
    size_t n;
    const char *out = "";
    pthcode_parse((struct str){line, strlen(line)}, &scope, &a, &x, &n);
    for (size_t i = 0; i < n; i++) {
        out = arena_printf(&a, "%s%s%s%s", out, *out ? " " : "", ops[x[i].op], x[i].unless_there ? "~" : "");
        if (x[i].op == PTHCODE_SPLICE)
            out = arena_printf(&a, x[i].from == PTHCODE_END ? "%s$" : "%s%d:%d", out, x[i].from, x[i].to == PTHCODE_END ? 999 : x[i].to);
        if (x[i].op == PTHCODE_EXIT && x[i].from)
            out = arena_printf(&a, "%s%d", out, x[i].from);
        for (size_t k = 0; k < x[i].n_items; k++)
            out = arena_printf(&a, "%s[%s]", out, x[i].items[k]);
    }
    return out;
}

int main(void)
{
    arena_init(&a, 0);
    ok_str(of("import sys; sys.path.insert(0, '/x')"), "+0:0[/x]", "insert");
    ok_str(of("import sys; sys.path.append(\"/x\");"), "+$[/x]", "append");
    ok_str(of("import sys; sys.path[:0] = ['/x', '/y']"), "+0:0[/x][/y]", "a slice");
    ok_str(of("import sys; sys.path[1:] = []"), "+1:999", "a slice away");
    ok_str(of("import sys; del sys.path[-1]"), "+-1:999", "the last entry deleted");
    ok_str(of("import sys; sys.path = ['/x'] + sys.path + ['/y']"), "+0:0[/x] +$[/y]", "built anew around itself");
    ok_str(of("import site; site.addsitedir('/x')"), "s[/x]", "addsitedir");
    ok_str(of("import os; addsitedir(sitedir + '/q')"), "s[/sp/q]", "names of site.py itself");
    ok_str(of("import sys; sys.path.remove('/x')"), "-[/x]", "remove");
    ok_str(of("import os.path as p, sys as s; s.path.insert(-2, p.join(p.dirname('/a/b/'), 'c'))"), "+-2:-2[/a/b/c]", "aliases, os.path");
    ok_str(of("import os, sys; sys.path.insert(0, os.path.expanduser('~') + os.sep + 'x')"), "+0:0[/home/u/x]", "the home folder");
    ok_str(of("import sys; '/x' in sys.path or sys.path.append('/x')"), "+~$[/x]", "unless it is there");
    ok_str(of("import sys; '/y' in sys.path or sys.path.append('/x')"), "?", "another one's presence decides");
    ok_str(of("import sys; sys.path.insert(0, 'a' \"b\" '''c''')"), "+0:0[abc]", "neighbouring strings");
    ok_str(of("import sys; sys.path.insert(0, '/\\x41\\101\\u00e9\\q\\'')"), "+0:0[/AA\xc3\xa9\\q']", "escapes");
    ok_str(of("import sys; sys.path.insert(0, '/a\\0b')"), "?", "a NUL is in no path");
    ok_str(of("import sys; sys.path.insert(0, b'/x')"), "?", "bytes");
    ok_str(of("import sys; sys.path.insert(0, p)"), "?", "an unknown name");
    ok_str(of("import sys; sys.path.append(p)"), "a?", "an unknown name at the end");
    ok_str(of("import sys; q = sys.path; q.insert(0, f())"), "?", "sys.path under another name");
    ok_str(of("import sys; q = sys.version; q.insert(0, f())"), "", "something else under that name");
    ok_str(of("import os; os.environ['A'] = 'b' + \"c\"; os.environ.pop('A', None)"), "e[A][bc] e[A]", "a variable set and taken away");
    ok_str(of("import os; from os import environ as e; e.setdefault('A', ''); os.putenv('B', '1')"), "e~[A][] e[B][1]", "setdefault, putenv");
    ok_str(of("import os; os.environ['CUDA_VISIBLE_DEVICES'] = str(1)"), "?", "a variable that matters, with a value that is not known");
    ok_str(of("import os; os.environ['EDITOR'] = str(1); os.environ.get('TF_X')"), "", "one that does not, and one that is only read");
    ok_str(of("import x; x.start()"), "i[x]", "a hook");
    ok_str(of("import os, sys;exec('if \"A\" in os.environ:\\n import b')"), "", "code in a string that does not touch sys.path");
    ok_str(of("import os, sys;exec('sys.path.clear()')"), "?", "code in a string that does");
    ok_str(of("import sys; sys.modules['absl'] = sys"), "?", "a module replaced");
    ok_str(of("import sys; sys.path.insert(0, '/x'); sys.path.insert(0, '/y'"), "!", "an open bracket: nothing of it runs");
    ok_str(of("import sys; sys.path.insert(0, '/x'); for i in (): pass"), "!", "a block behind a statement: nothing of it runs");
    ok_str(of("import sys # ; sys.path.insert(0, '/x')"), "", "a comment");
    ok_str(of("import sys; a = ';'; sys.path.insert(0, ';')"), "+0:0[;]", "a semicolon in a string");
    ok_str(of("import sys; sys.__plen = len(sys.path)"), "m", "easy-install, first line");
    ok_str(of("import sys; sys.exit()"), "x", "sys.exit");
    ok_str(of("import os; os._exit(3)"), "x", "os._exit");
    ok_str(of("import sys; from os import _exit as leave; leave(0)"), "x", "under another name");
    ok_str(of("import os; os.abort()"), "x6", "os.abort");
    ok_str(of("import os, signal; os.kill(os.getpid(), signal.SIGTERM)"), "x15", "a signal by its name");
    ok_str(of("import os; os.kill(os.getpid(), 0)"), "", "a signal that ends nothing");
    ok_str(of("import os; os.kill(1, 9)"), "", "another process");
    ok_str(of("import os; os.execv('/bin/true', ['true'])"), "x", "another program");
    ok_str(of("import sys; raise SystemExit(3)"), "x", "SystemExit");
    ok_str(of("import sys; raise RuntimeError('x'); sys.exit()"), "! x", "an exception that site takes");
    ok_str(of("import os; os.environ.get('SET') and os._exit(3)"), "x", "a condition that holds");
    ok_str(of("import os; os.getenv('UNSET', '') == 'x' and os._exit(3)"), "", "one that does not");
    ok_str(of("import os; 'SET' in os.environ or os._exit(3)"), "", "or");
    ok_str(of("import os; not os.environ.get('EMPTY') and os._exit(3)"), "x", "set to nothing");
    ok_str(of("import os; os.environ.get('UNSET') is None and os.putenv('TF_X', 'y')"), "e[TF_X][y]", "None");
    ok_str(of("import os; os.environ.get(name) and os._exit(3)"), "?", "a condition that cannot be told");
    ok_str(of("import ctypes; ctypes.CDLL('/x.so', mode=ctypes.RTLD_GLOBAL)"), "l[/x.so]", "ctypes.CDLL");
    ok_str(of("import ctypes as c; lib = c.cdll.LoadLibrary('libx.so.1')"), "l[libx.so.1]", "bound to a name");
    ok_str(of("import sys; from ctypes import CDLL; CDLL(name)"), "", "a name that is not known");
    char big[40000];
    memset(big, 'x', sizeof big);
    big[sizeof big - 1] = 0;
    ok_str(of(big), "?", "a line too long to be looked at");
    memset(big, '(', 300);
    big[300] = 0;
    ok_str(of(big), "?", "brackets too deep to be followed");
    arena_done(&a);
    return tap_done();
}
