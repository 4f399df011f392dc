/* SPDX-License-Identifier: Apache-2.0 */
/* ldso - glibc's dynamic loader, simulated on files: which file would dlopen("libcudnn.so.9") from this caller give?
 *
 * It keeps the state of one process: what is loaded already (sonames, names asked before, device/inode), the environment
 * that counts (LD_LIBRARY_PATH and LD_PRELOAD as they were at process start), and answers one load after the other in
 * the order in which the real process would make them. It never executes anything.
 * Rules: docs/loader.md. Source of each: experiments against glibc 2.36 and its source (elf/dl-load.c, dl-cache.c).
 */
#ifndef TG_LOADER_LDSO_H
#define TG_LOADER_LDSO_H
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/root.h"
#include "formats/elf.h"

enum ldso_source { /* where a path came from; also the "rule" by which the winner won */
    LDSO_LOADED,      /* already loaded in this process (soname, name asked before, or same file) */
    LDSO_PATH,        /* name with a slash: opened as given */
    LDSO_RPATH, LDSO_LD_LIBRARY_PATH, LDSO_RUNPATH, LDSO_CACHE, LDSO_DEFAULT,
    LDSO_PRELOAD,     /* LD_PRELOAD or /etc/ld.so.preload */
    LDSO_MAIN,        /* the program itself */
};
enum ldso_result { /* what the loader makes of one candidate */
    LDSO_R_WINS,
    LDSO_R_ABSENT,        /* no such file (dangling links too) */
    LDSO_R_DENIED,        /* unreadable, or a directory on the way is */
    LDSO_R_WRONG_CLASS, LDSO_R_WRONG_MACHINE, /* passed over */
    LDSO_R_ENDS_LIST,     /* ELOOP, socket …: the rest of this list is given up */
    LDSO_R_FAILS,         /* the whole request fails here; no other candidate is tried */
    LDSO_R_KILLS,         /* the process dies here (SIGBUS, SIGSEGV, loader abort) or hangs (FIFO) */
    LDSO_R_UNKNOWN,       /* a capture does not say */
    LDSO_R_EXCLUDED,      /* the asker does not take files from default directories (DF_1_NODEFLIB) */
};
enum ldso_outcome { LDSO_FOUND, LDSO_MISSING, LDSO_FAILED, LDSO_KILLED, LDSO_UNDETERMINED };

struct ldso_try {
    const char *path;            /* candidate as the loader would open it */
    enum ldso_source source;
    const char *of;              /* the object whose RPATH/RUNPATH it is; NULL for other sources */
    enum ldso_result result;
    const char *detail;          /* e.g. loader's text, errno name; NULL */
};

struct ldso_obj { /* one loaded object */
    const char *name;            /* path as opened ("" for the main program in the loader; here the program's path) */
    const char *soname;          /* DT_SONAME or NULL */
    const char *asked;           /* name that first asked for it */
    const char *origin;          /* $ORIGIN: directory of `name`, absolute, links not resolved */
    enum ldso_source rule;
    const struct ldso_obj *loader;  /* who needs it through DT_NEEDED; NULL when dlopened or main */
    const struct elf *elf;
    uint64_t dev, ino;
    uint32_t index;              /* load order */
    struct ldso_obj **deps; size_t n_deps; /* direct dependencies, DT_NEEDED order */
};

struct ldso_answer { /* of one request */
    const char *asked;
    const struct ldso_obj *caller;
    enum ldso_outcome outcome;
    const struct ldso_obj *obj;    /* FOUND only */
    const char *path;              /* file that won the search for `asked` itself, even when a dependency then failed; or NULL */
    enum ldso_source rule;         /* how `path` won */
    const char *message;           /* the loader's own text when it fails ("libx.so.1: cannot open shared object file: …") */
    const char *signal;            /* KILLED: "SIGBUS", "SIGSEGV"; "abort": the loader ends the process itself; "hang" for a FIFO */
    const char *culprit;           /* not FOUND: the soname that cannot be had: `asked` itself or a dependency of it */
    const char *culprit_file;      /* the file to blame (damaged, wrong version, lacking a version); NULL when merely absent */
    const char *culprit_by;        /* file that needs the culprit (whose RUNPATH counted) */
    struct ldso_try *trail; size_t n_trail; /* the search for `asked`, in order, up to the winner */
    struct ldso_try *culprit_trail; size_t n_culprit_trail; /* the search for `culprit` when it is a dependency */
    const char **shadowed; size_t n_shadowed; /* further files of that name that later places hold (only when asked for) */
    const struct ldso_obj **added; size_t n_added; /* objects this request mapped, load order */
};

struct ldso_config {
    const char *program;            /* path of the executable (links allowed; $ORIGIN of the program is that of its real file) */
    const char *ld_library_path;    /* NULL unset */
    const char *ld_preload;         /* NULL unset */
    const char *cwd;                /* for relative elements; NULL: the root's */
    bool secure;                    /* AT_SECURE */
    bool inhibit_cache;
    bool want_shadowed;             /* costs extra look-ups */
    bool check_symbols;             /* RTLD_NOW: undefined symbols of objects that are loaded by dlopen are looked up */
    bool system_symbols;             /* … those of glibc, libstdc++ and libgcc too (their versions are checked anyhow) */
};

struct ldso; /* one simulated process */

/* Start the program: its preloads and its DT_NEEDED closure are loaded. glibc's version (which sub-directories are tried,
 * which formats of the cache) is read from the libc.so.6 that the search finds; the CPU level from the root.
 * errors: -ENOENT and such when the program itself cannot be read, -ENOEXEC when it is not an ELF program (a script).
 * A program that cannot start because of a library is not an error: ldso_start() tells. */
int ldso_new(struct root *r, struct arena *a, const struct ldso_config *c, struct ldso **ret, struct err *e);
const struct ldso_answer *ldso_start(const struct ldso *p); /* how starting went; asked = the program */
const struct ldso_obj *ldso_main(const struct ldso *p);

/* dlopen(name, RTLD_NOW|RTLD_LOCAL) from `caller` (NULL: the main program). The answer lives in the arena; a failed request leaves the
 * process as it was before. Never NULL. */
const struct ldso_answer *ldso_dlopen(struct ldso *p, const char *name, const struct ldso_obj *caller);
/* Switch config.check_symbols for the requests to come; what was loaded meanwhile is not looked at again. */
void ldso_check_symbols(struct ldso *p, bool on);
/* Files that are as one package installed them: what one of them wants of another under a version is there, and is not looked for. `of`
 * gives the package of a path, the same pointer for the same one; NULL for a file that it cannot vouch for. */
typedef const void *ldso_package_fn(void *ctx, const char *path);
void ldso_trust(struct ldso *p, ldso_package_fn *of, void *ctx);
void ldso_want_shadowed(struct ldso *p, bool on); /* likewise config.want_shadowed */
/* The object that a name or path refers to if it is loaded already, else NULL. */
const struct ldso_obj *ldso_find(const struct ldso *p, const char *name);
size_t ldso_objects(const struct ldso *p, const struct ldso_obj *const **ret);
/* Forget everything loaded after this mark (a question "what would X give?" that must not change the process). */
size_t ldso_mark(const struct ldso *p);
void ldso_reset(struct ldso *p, size_t mark);

const char *ldso_glibc_version(const struct ldso *p); /* "2.36" or NULL */
uint32_t ldso_cpu_level(const struct ldso *p);         /* 1..4; 0: the capture does not say */
/* ldso_cache_has - does ld.so.cache list this soname (x86-64)? The path it gives, or NULL. */
const char *ldso_cache_path(const struct ldso *p, const char *soname);

const char *ldso_source_id(enum ldso_source s);   /* "runpath", "ld_library_path" … for JSON */
const char *ldso_result_id(enum ldso_result r);
const char *ldso_outcome_id(enum ldso_outcome o); /* "found", "missing", "fails", "kills", "undetermined" */
/* The parsed ELF of a file, from the process' own store (each file is read once). NULL when unreadable. */
const struct elf *ldso_elf(struct ldso *p, const char *path);
#endif
