/* SPDX-License-Identifier: Apache-2.0 */
/* ldso_internal - what the files of the loader simulation share; nobody else includes it.
 *
 * ldso.c          one process: objects and their names, requests, answers
 * ldso_load.c     mapping one object, breadth-first dependencies, starting the program
 * ldso_search.c   where a name is looked for, in which order
 * ldso_dirs.c     path lists: splitting, tokens, which directories and hardware sub-directories exist
 * ldso_file.c     one candidate file: what the loader makes of it; every file is read once
 * ldso_verify.c   versions, instruction level, static TLS
 * ldso_symbols.c  undefined symbols
 */
#ifndef TG_LOADER_LDSO_INTERNAL_H
#define TG_LOADER_LDSO_INTERNAL_H
#include "formats/ldcache.h"
#include "loader/ldso.h"

/* A path that was looked at, as the store keeps it. Two paths of one inode share `elf`. */
struct ldso_file {
    const char *path;          /* absolute */
    uint32_t hash;
    uint64_t dev, ino;
    const struct elf *elf;     /* for a regular file; its verdict is as for a shared object */
    bool absent;               /* there is nothing that could be opened; `err` says why */
    int err;                   /* negative errno where it exists and cannot be read (directory, socket, unknown in a capture) */
    enum root_type type;
};

/* A directory of some list; equal texts are one object, as in the loader. */
struct ldso_dir {
    const char *text;          /* ends in a slash; "" is the current directory */
    size_t len;
    bool relative;             /* never counts as absent */
    bool known;                /* the fields below are filled */
    const struct root_place *place; /* to walk from; may be NULL */
    bool exists, denied;       /* denied: a folder on the way may not be entered; absent for the loader */
    const char **subs; size_t n_subs; /* hardware sub-directories that exist, best first, each with a final slash */
};
struct ldso_dirs { struct ldso_dir **d; size_t n; bool split; };

/* The one object that answers to the name of a wanted version's file, and that version's number there; number 0: nobody, or several do. */
struct promise { struct obj *by; uint16_t number; };

struct obj { /* an object and what only we need; `o` is first, so that pointers convert */
    struct ldso_obj o;
    struct ldso_dirs rpath, runpath;
    const struct ldso_file *file;
    bool deps_done, verified, relocated;
    const void *package;       /* that vouches for the file, asked for once; NULL: none */
    bool package_known;
    struct promise *promises;  /* for each of the file's DT_VERNEED records, when symbols are checked; NULL before that */
    struct elf_symtab *symtab; /* what look-ups in it need, read at the first one */
    uint32_t seen;             /* stamp of the last walk that met it */
};

/* A name that an object answers to. Requests match in load order, so the entry with the smallest object index wins. */
struct ldso_name { uint32_t hash; const char *name; struct obj *obj; bool soname; /* DT_SONAME not asked for by anyone yet */ };

struct ldso {
    struct root *root;
    struct arena *a;
    struct ldso_config cfg;
    const char *cwd;
    struct obj **objs; size_t n_objs;
    struct ldso_name *names; size_t n_names;
    struct obj *main, *vdso, *rtld;
    struct ldso_file **files; size_t n_files, cap_files; /* hash table by path */
    struct ldso_file **inodes; size_t n_inodes;
    struct ldso_dir **dirs; size_t n_dirs;
    struct ldso_dirs env, defaults;
    struct ldso_mount { const char *dir; size_t len; bool noexec; } *mounts; size_t n_mounts; /* directories that files won in */
    const char *lib_token, *platform;
    struct ldcache cache;
    bool cache_read, has_cache;
    struct ldcache_cpu cpu;
    bool cpu_unknown;            /* a capture that does not say: levels are listed as if all were there, and what they hold is undetermined */
    uint32_t glibc_minor;        /* 2.x; 0 unknown */
    const char *glibc;
    const struct ldso_answer *start;
    struct obj **global; size_t n_global; /* the program's own scope, breadth first */
    uint32_t stamp;
    bool started;                /* the program's own objects are relocated */
    int err;                     /* the loader's errno: as the last attempt to open something left it, 0 after a success */
    ldso_package_fn *package_of; void *package_ctx; /* NULL: nobody vouches for files */
    uint64_t static_tls_max;     /* size of the surplus */
    uint64_t static_tls;         /* bytes of the surplus that dlopened objects took */
};

/* What went wrong with a request, in the loader's words. */
struct ldso_fault {
    enum ldso_outcome outcome;   /* FOUND: nothing did */
    const char *message, *signal, *culprit, *culprit_file, *culprit_by;
};

struct ldso_cand { /* one candidate, looked at */
    enum ldso_result result;
    const char *detail;
    int err;                     /* errno as the loader has it afterwards */
    bool mapping;                /* FAILS after the search was over, while mapping: the text names what was asked for */
    const char *signal;
    struct ldso_file *file;      /* where it exists */
};

struct ldso_search { /* one search: in, then out */
    struct ldso *p;
    const char *name;
    const struct obj *asker;
    bool record;                 /* keep the trail */
    bool shadowed;               /* go on after the winner */
    bool preload;                /* in a secure process the cache is left out */
    /* out */
    struct ldso_try *trail; size_t n_trail;
    const char **shadow; size_t n_shadow;
    bool won, other_class;
    const char *path;            /* of the winner, or of the candidate that ends everything */
    enum ldso_source rule;
    struct ldso_cand hit;        /* result WINS, FAILS, KILLS or UNKNOWN; else nothing was found and `err` says why */
    const char *other_class_file;
    int err;
};

/* ldso_dirs.c */
void ldso_dirs_split(struct ldso *p, const char *text, const char *seps, const char *origin, struct ldso_dirs *ret);
void ldso_dirs_defaults(struct ldso *p, const char *libc_dir);
void ldso_dir_look(struct ldso *p, struct ldso_dir *d); /* fills `exists` and `subs`, once */
/* Replace $ORIGIN, $LIB and $PLATFORM; NULL when one of them has no value here. */
const char *ldso_expand(struct ldso *p, const char *text, const char *origin);
void ldso_cpu_init(struct ldso *p);

/* ldso_file.c */
const char *ldso_abs(struct ldso *p, const char *path);
struct ldso_file *ldso_file_get(struct ldso *p, const char *path, int *ret_err); /* NULL: does not exist; *ret_err says why */
void ldso_file_judge(struct ldso *p, const char *path, struct ldso_cand *ret);
bool ldso_file_noexec(struct ldso *p, const char *path); /* asked once per directory */

/* ldso.c */
struct obj *ldso_name_find(struct ldso *p, const char *name); /* loaded object that answers to it, or NULL */
void ldso_name_add(struct ldso *p, struct obj *o, const char *name, bool soname);
struct obj *ldso_obj_new(struct ldso *p, const char *path, const char *asked, const struct elf *e);

/* ldso_load.c */
struct obj *ldso_map(struct ldso_search *s, struct obj *loader, struct ldso_fault *f);
/* Load what `roots` need, breadth first. *ret_list: roots and all their dependencies in that order. On failure the search that
 * failed is in *ret_failed. */
bool ldso_load_deps(struct ldso *p, struct obj **roots, size_t n_roots, struct obj ***ret_list, size_t *ret_n, struct ldso_fault *f,
                    struct ldso_search *ret_failed);
void ldso_start_process(struct ldso *p, struct ldso_answer *ans);

/* ldso_search.c */
void ldso_search_run(struct ldso_search *s);

/* ldso_verify.c */
bool ldso_names_match(const struct ldso *p, const struct obj *o, const char *name);
bool ldso_verify_versions(struct ldso *p, struct obj *o, struct ldso_fault *f);
bool ldso_verify_cpu(struct ldso *p, struct obj *const *list, size_t n, struct ldso_fault *f);

/* ldso_symbols.c: relocation as far as it can fail; `list` breadth first, list[0] is the one asked for */
bool ldso_relocate(struct ldso *p, struct obj **list, size_t n, struct ldso_fault *f);
#endif
