/* SPDX-License-Identifier: Apache-2.0 */
/* syspath - sys.path of an interpreter as getpath and site build it, with the listings of the site folders that were read
 * on the way. Code in .pth files ("import …") is followed as far as its text says what it does (formats/pthcode.h), sitecustomize is named.
 * Rules: CPython Lib/site.py 3.6 to 3.14, Debian's and Fedora's changes to it; compared with real interpreters by
 * tests/truth/run-syspath. */
#ifndef TG_PROBE_SYSPATH_H
#define TG_PROBE_SYSPATH_H
#include "probe/interp.h"

struct sysdir {
    const char *dir;      /* absolute */
    const char *origin;   /* script-dir, PYTHONPATH, stdlib, dynload, site, user-site, dist-packages, pth:FILE, ._pth */
    bool exists;
    bool is_dir;
    bool listed;          /* `ents` holds its entries, sorted by name */
    bool unseen;          /* put there by code: site knows nothing of it, and may add it again */
    struct root_dirent *ents; size_t n_ents;
};

struct syspath {
    struct sysdir *dirs; size_t n_dirs;
    const char **pth_code; size_t n_pth_code; /* "FILE:LINE" of .pth lines that are code */
    struct fact_pth_variable *variables; size_t n_variables; /* of the process, set by such lines, in order */
    /* The first of them that changes sys.path in a way that cannot be told, from which entry on; NULL: none. */
    const char *unknown_code; size_t unknown_from;
    struct fact_pth_load *loads; size_t n_loads; /* libraries that such lines load, in order */
    enum fact_start_end end;    /* the interpreter ends while it reads these files: what follows is not in here */
    const char *end_at, *end_signal;
    const char *user_site;      /* the folder, whether it is there or not; NULL: not asked for */
    enum tri user_site_enabled; /* on sys.path */
    const char *no_user_site_why;
    bool isolated;              /* environment without the system's site-packages, or a ._pth */
    bool safe_path;             /* neither the script's folder nor the working folder is on sys.path */
};

/* The first entry is the working folder (`python -c`, `-m`, interactive); `python DIR/script.py` has DIR there instead.
 * cost: one listing per site folder, one read per .pth file, one stat per entry */
void syspath_build(struct root *r, struct arena *a, const struct interp *in, const struct pyvars *vars, struct syspath *ret);
/* List a folder on demand (at most SYSPATH_MAX_ENTRIES); false when it cannot be read. */
bool syspath_list(struct root *r, struct arena *a, struct sysdir *d);
/* Does the (listed) folder hold an entry of this name? O(log n). */
bool syspath_has(const struct sysdir *d, const char *name);
enum { SYSPATH_MAX_ENTRIES = 200000 };
#endif
