/* SPDX-License-Identifier: Apache-2.0 */
/* root_internal - what root.c (the live machine) and root_tree.c (a captured tree) share; nobody else includes it. */
#ifndef TG_BASE_ROOT_INTERNAL_H
#define TG_BASE_ROOT_INTERNAL_H
#include <sys/stat.h>
#include "base/root.h"

/* One entry of the manifest's "stat"; the sorted array is searched by canonical path. */
struct root_override {
    const char *path;
    struct root_stat st;
    bool has_type, has_mode, has_owner, has_size;
};

struct root_place_space { const char *path; struct root_space space; };

enum { ROOT_KEEP = 64, ROOT_NEAR = 2, ROOT_PLACES = 48, ROOT_REALS = 8 };
struct root_kept { struct rfile *f; const char *path; uint32_t hash; };
struct root_place {
    const char *dir; size_t len;
    int fd;
    bool listed;                          /* `names` are all that it holds */
    const uint32_t *names; size_t n_names; /* hashes of the names, capital letters as small ones */
};

struct root_real { const char *path, *real; };

struct root {
    struct arena *a;
    bool live;
    int fd;                    /* tree: its top directory; live: AT_FDCWD */
    int starved;               /* -EMFILE or -ENFILE once it happened */
    bool no_openat2;           /* kernel or sandbox refuses it: our own walk is used */
    const char *label, *cwd, *home;
    struct root_env *env; size_t n_env;
    uint32_t uid, gid, *groups; size_t n_groups;
    const char *release, *machine;
    const char *cpu_vendor, *cpu_model, *cpu_flags; /* flags: " avx avx2 " with blanks around; NULL unknown */
    bool cpu_known;
    const char *driver[2]; size_t driver_len[2];        /* lines of "cuda" and "nvml"; NULL: not stated */
    const char *proof; size_t proof_len;                /* JSON text; NULL: not stated */
    struct root_override *over; size_t n_over;
    struct root_place_space *spaces; size_t n_spaces;   /* of the manifest */
    struct root_kept kept[ROOT_KEEP]; size_t next_kept, max_kept; /* open files, in use or not */
    struct root_place near[ROOT_NEAR];                  /* the newest first */
    struct root_place *places; size_t n_places;
    struct root_real reals[ROOT_REALS]; size_t n_reals; /* the last canonical paths that were asked for, on the live machine */
    const struct root_place *from;                      /* looked at before those above; may be NULL */
    struct root_place here;                             /* root_here()'s; dir NULL: none */
};

struct rfile {
    int fd;
    struct root_stat st;
    unsigned users; /* rfile_close is due so many times */
    bool kept;      /* stays open behind the last one */
    uint64_t held; /* bytes that are really there; less than st.size when a capture shortened the file */
};

void root_stat_from(const struct stat *st, struct root_stat *ret);
int root_tree_stat(struct root *r, const char *path, bool follow, struct root_stat *ret);
int root_tree_open(struct root *r, const char *path, int flags, struct root_stat *ret_st, uint64_t *ret_held); /* fd or -errno */
int root_tree_readlink(struct root *r, const char *path, struct arena *a, const char **ret);
int root_tree_realpath(struct root *r, const char *path, struct arena *a, const char **ret);
struct json_t;
/* The manifest's "space", NULL when it has none. -EBADMSG: not of that form. */
int root_space_load(struct root *r, struct json_t *all, struct err *e);
/* Permission bits of the examined user on a file with this stat data. */
bool root_may(const struct root *r, const struct root_stat *st, int mode);
void root_cpu_live(struct root *r); /* its flags */
const char *root_cpu_vendor_live(struct arena *a), *root_cpu_model_live(struct arena *a); /* NULL unknown */
/* Files that are opened again under the same path (by the loader, by a look at symbols, versions, GPU code) stay open. */
struct rfile *root_keep_peek(const struct root *r, const char *path); /* NULL: not there */
struct rfile *root_keep_find(struct root *r, const char *path); /* counts one more user; NULL: not there */
void root_keep_add(struct root *r, const char *path, struct rfile *f);
bool root_keep_drop(struct root *r); /* close those without users; false: there were none */
void root_keep_done(struct root *r);
/* No link is on the way to this folder, for one that paths are walked from. */
bool root_near_is(const struct root *r, const char *dir);
/* A small folder that root_from() set holds nothing of this name: the kernel need not be asked. */
bool root_place_lacks(const struct root *r, const char *path);
/* Descriptor to walk from, for the *at() functions; *path becomes relative to it. */
int root_near_fd(const struct root *r, const char **path);
#endif
