/* SPDX-License-Identifier: Apache-2.0 */
/* pysource-list - prints what formats/pysource makes of Python files, one line a file, for tests/truth/run-pysource:
 * PATH<TAB>FAULT<TAB>LINE<TAB>IMPORTS, an import as SURE LEVEL MODULE NAME with '|' between, imports with ';' between. */
#include <stdio.h>
#include "base/root.h"
#include "formats/pysource.h"

int main(int argc, char **argv)
{
    enum { FILE_MAX = 1 << 26 };
    struct arena a;
    struct root *r;
    struct err e = {0};
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;
    (void)argv;
    arena_init(&a, 0);
    if (argc != 1 || root_open_live(&a, &r, &e)) {
        fprintf(stderr, "usage: pysource-list < LIST %s\n", e.msg);
        return 1;
    }
    while ((n = getline(&line, &cap, stdin)) > 0) {
        struct arena one;
        const char *text;
        size_t len;
        struct pysource s;
        arena_init(&one, 0);
        line[n - 1] = '\0';
        if (root_read(r, line, FILE_MAX, &one, &text, &len)) {
            fprintf(stderr, "%s: cannot be read\n", line);
            return 1;
        }
        pysource_read((struct str){text, len}, &one, &s);
        printf("%s\t%d\t%u\t", line, (int)s.fault, s.line);
        for (size_t i = 0; i < s.n_imports; i++)
            printf("%d|%u|%.*s|%.*s;", s.imports[i].sure, s.imports[i].level, (int)s.imports[i].module.n, s.imports[i].module.p, (int)s.imports[i].name.n,
                   s.imports[i].name.p ? s.imports[i].name.p : "");
        putchar('\n');
        arena_done(&one);
    }
    root_close(r);
    arena_done(&a);
    return 0;
}
