/* SPDX-License-Identifier: Apache-2.0 */
/* syspath_internal - what syspath.c and syspath_code.c share: sys.path while it grows. */
#ifndef TG_PROBE_SYSPATH_INTERNAL_H
#define TG_PROBE_SYSPATH_INTERNAL_H
#include "probe/pthtext.h"
#include "probe/syspath.h"

struct builder {
    struct root *r;
    struct arena *a;
    const struct interp *in;
    const struct pyvars *vars;
    struct syspath *s;
    const char *lib;      /* "python3.11" */
    bool debian;          /* site.py knows dist-packages */
    bool fedora;          /* site.py adds /usr/local */
    struct pthreader how; /* … and how it reads .pth files */
    unsigned code_depth;  /* site.addsitedir called by code inside a folder that code had added */
    unsigned code_used;   /* entries and folders that code had its part in, at most CODE_MAX */
    const char **imports; size_t n_imports; /* modules that this file needs and that were not looked for yet */
    bool has_mark;        /* easy-install.pth: sys.__plen is set, to `mark`; sys.__egginsert is `front` */
    size_t mark, front;
};

/* syspath.c. The entry of this folder that site knows of, or NULL. */
struct sysdir *syspath_find(const struct builder *b, const char *dir);
/* Append unless it is there; `must_exist` as for the lines of .pth files. Its entry, or NULL; entries move when the list grows. */
struct sysdir *syspath_add(struct builder *b, const char *dir, const char *origin, bool must_exist);
/* site.addsitedir: the folder itself, then what its .pth files name, in the order of their names. */
void syspath_add_site(struct builder *b, const char *dir, const char *origin);

/* syspath_code.c. One line of code of a .pth in `dir`. false: Python raises an exception, and site passes over the rest of the file. */
bool syspath_run_code(struct builder *b, const char *dir, struct str line, const char *where, const char *origin);
/* Are the modules there that the lines so far imported? Looked for only when something else in the file depends on it. */
bool syspath_imports_are_there(struct builder *b);
/* The interpreter ends here: what comes later never runs. */
void syspath_note_end(struct builder *b, const char *where, enum fact_start_end how, const char *signal);
/* From this entry of sys.path on nothing is certain. */
void syspath_note_unknown(struct builder *b, const char *where, size_t from);
#endif
