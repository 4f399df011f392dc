/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"
#include "formats/shellrc.h"

static struct arena a;

/* The items as "line kind name=value" joined by "|". */
static const char *items(const char *text)
{
    static const char *const kinds[] = {"alias", "unalias", "function", "set", "source", "eval", "conda", "end"};
    struct shellrc_item *it;
    size_t n;
    const char *out = "";
    shellrc_parse(text, strlen(text), &a, &it, &n);
    for (size_t i = 0; i < n; i++)
        out = arena_printf(&a, "%s%s%u %s %.*s=%.*s", out, i ? "|" : "", it[i].line, it[i].exported ? "export" : kinds[it[i].kind],
                           (int)it[i].name.n, it[i].name.n ? it[i].name.p : "", (int)(it[i].value.n < 60 ? it[i].value.n : 60),
                           it[i].value.n ? it[i].value.p : "");
    return out;
}

static const char *get(void *ctx, const char *name)
{
    (void)ctx;
    return strcmp(name, "HOME") == 0 ? "/home/u" : strcmp(name, "P") == 0 ? "/p" : strcmp(name, "E") == 0 ? "" : NULL;
}

static const char *command(void *ctx, struct arena *arena, struct str text)
{
    (void)ctx;
    return text.n == 3 && memcmp(text.p, "pwd", 3) == 0 ? arena_strdup(arena, "/cwd") : NULL;
}

static const char *expand(const char *word)
{
    const struct shell_vars v = {get, command, NULL};
    bool complete = true;
    const char *s = shell_expand(&a, (struct str){word, strlen(word)}, &v, &complete);
    return complete ? s : arena_printf(&a, "%s ?", s);
}

static void test_items(void)
{
    ok_str(items("alias python=python3\n"), "1 alias python=python3", "alias");
    ok_str(items("alias ll='ls -l' python='/opt/py/bin/python -u'\nunalias pip"),
           "1 alias ll='ls -l'|1 alias python='/opt/py/bin/python -u'|2 unalias pip=", "two aliases in one command, unalias");
    ok_str(items("# alias python=python2\n  # x\n"), "", "comments");
    ok_str(items("export PATH=\"$HOME/bin:$PATH\" FOO=1\nBAR=2\nBAZ=3 make\n"),
           "1 export PATH=\"$HOME/bin:$PATH\"|1 export FOO=1|2 set BAR=2", "export, assignment; one that belongs to a command does not count");
    ok_str(items("if [ -f ~/.bash_aliases ]; then\n    . ~/.bash_aliases\nfi\n[ -r x ] && source x"),
           "2 source =~/.bash_aliases|4 source =x", "conditions are not evaluated");
    ok_str(items("python() { python3 \"$@\"; }\nfunction pip {\n  export PATH=/x\n  { y; }\n  pip3 ${1}\n}\nalias a=b"),
           "1 function python= python3 \"$@\"; |2 function pip=\n  export PATH=/x\n  { y; }\n  pip3 ${1}\n|7 alias a=b", "functions; commands in them are not listed");
    ok_str(items("function f() { x; }\ng()\n{\n  y\n}\nalias a=b"), "1 function f= x; |2 function g=\n  y\n|6 alias a=b", "both words, brace on the next line");
    ok_str(items("cat <<EOF\nalias python=no\nEOF\nalias python=yes\n"), "4 alias python=yes", "here-documents are text");
    ok_str(items("cat <<-'X'\n\talias python=no\n\tX\nalias python=yes\n"), "4 alias python=yes", "with tabs and quotes");
    ok_str(items("x=$(alias python=no; echo \")\")\nalias b=c"), "1 set x=$(alias python=no; echo \")\")|2 alias b=c", "command substitution is one word");
    ok_str(items("a=\"x\ny\"\nalias b=c"), "1 set a=\"x\ny\"|3 alias b=c", "lines are counted inside quotes");
    ok_str(items("export A=1 \\\n  B=2\n"), "1 export A=1|1 export B=2", "a line that is continued");
    ok_str(items("# >>> conda initialize >>>\n__conda_setup=\"$(x)\"\neval \"$__conda_setup\"\n# <<< conda initialize <<<\n"),
           "1 conda =# >>> conda initialize >>>|2 set __conda_setup=\"$(x)\"|3 eval =\"$__conda_setup\"|4 end =# <<< conda initialize <<<", "conda's block");
    ok_str(items("case $- in *i*) ;; *) return;; esac\nalias b=c"), "2 alias b=c", "case");
    ok_str(items("eval \"$(pyenv init -)\""), "1 eval =\"$(pyenv init -)\"", "eval");
    ok_str(items("f() (\n x\n)\nalias b=c"), "4 alias b=c", "a function with a subshell body");
    ok_str(items("alias 'a"), "", "an open quote at the end");
    ok_str(items("f() {"), "", "an open function at the end");
}

static void test_words(void)
{
    ok_str(expand("abc"), "abc", "plain word");
    ok_str(expand("\"$P/x:${P}/y\""), "/p/x:/p/y", "variables in quotes");
    ok_str(expand("'$P'\"a\"b\\ c"), "$Pab c", "single quotes, escapes");
    ok_str(expand("~/bin:~/x"), "/home/u/bin:/home/u/x", "tilde at the start and behind a colon");
    ok_str(expand("\"~/bin\"a~"), "~/bina~", "no tilde in quotes or in the middle");
    ok_str(expand("/x${P:+:$P}${N:+:$N}"), "/x:/p", "use alternative value");
    ok_str(expand("${N:-/d}${P-/d}${E:-/e}${E-/e}"), "/d/p/e", "use default value");
    ok_str(expand("$N$E"), "", "unset and empty");
    ok_str(expand("$(pwd)/a`pwd`"), "/cwd/a/cwd", "commands that are known");
    ok_str(expand("\"$(pwd)/a\""), "/cwd/a", "the same in quotes");
    ok_str(expand("/a$(uname)/b"), "/a/b ?", "a command that is not known");
    ok_str(expand("${P%/*}"), " ?", "pattern removal is not worked out");
    ok_str(expand("\"$(dirname \"$(x \")\")\")\"/y"), "/y ?", "nested quotes in a substitution");
    ok_str(expand("$1/x"), "/x ?", "positional parameter");
    ok_str(expand("a$"), "a$", "a lone dollar");
    ok_str(expand("\"open"), "open", "an open quote");
}

int main(void)
{
    arena_init(&a, 0);
    test_items();
    test_words();
    arena_done(&a);
    return tap_done();
}
