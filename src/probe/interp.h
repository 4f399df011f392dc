/* SPDX-License-Identifier: Apache-2.0 */
/* interp - what files tell about one Python interpreter: its version, prefix, kind, standard library. Nothing is started.
 * The search is the one that CPython makes when it starts (Modules/getpath.py since 3.11, Modules/getpath.c before). */
#ifndef TG_PROBE_INTERP_H
#define TG_PROBE_INTERP_H
#include "base/root.h"
#include "facts_gen.h"
#include "formats/pyvenv.h"

/* Environment variables that steer an interpreter; NULL: unset or empty, which CPython treats alike. */
struct pyvars {
    const char *path, *home, *no_user_site, *user_base, *safe_path, *platlibdir;
};
struct pyvars pyvars_load(const struct root *r);

struct interp {
    enum fact_state state;     /* PRESENT; ABSENT (no file, dangling link); DENIED; MALFORMED: no standard library is found */
    const char *exe;           /* as it would be called: absolute, links kept */
    const char *real;          /* canonical path; NULL when there is none */
    const char *cfg_path;      /* its pyvenv.cfg, or NULL */
    struct pyvenv_cfg cfg;
    const char *pth_file;      /* the ._pth that replaces sys.path (CPython 3.11 and later), or NULL; `pth` is its text */
    struct str pth;
    bool pth_site;             /* it says "import site" */
    const char *prefix;        /* sys.prefix */
    const char *base_prefix, *base_exec_prefix;
    const char *platlibdir;    /* "lib" or "lib64" */
    const char *stdlib, *dynload;
    const char *implementation; /* "cpython", "pypy" */
    const char *version;       /* "3.11.7", or NULL when only major and minor are known */
    uint32_t major, minor;     /* 0: unknown */
    const char *abi_thread;    /* "t" for a free-threaded build, else "" */
    enum fact_env_kind kind;
};

/* exe: path of the interpreter, absolute or relative to the root's working folder. Never fails: `ret->state` tells.
 * ret:  strings in `a`
 * cost: about 15 stat calls, two small files read */
void interp_inspect(struct root *r, struct arena *a, const char *exe, const struct pyvars *vars, struct interp *ret);

/* The same without the kind, the full version and a ._pth: what identifies it (prefix, major, minor). About 8 stat calls. */
void interp_base(struct root *r, struct arena *a, const char *exe, const struct pyvars *vars, struct interp *ret);

/* The interpreter of an environment's folder: bin/python, bin/python3 (a dangling link counts), or NULL. */
const char *interp_of_folder(struct root *r, struct arena *a, const char *dir);
/* "3.11" of "/x/python3.11", "python3.13t"; false when the name states no minor version. */
bool interp_version_from_name(const char *path, uint32_t *major, uint32_t *minor, bool *threads);
const char *interp_abspath(struct root *r, struct arena *a, const char *path);
#endif
