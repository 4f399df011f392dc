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
    struct root_override *over; size_t n_over;
};

struct rfile {
    int fd;
    struct root_stat st;
    uint64_t held; /* bytes that are really there; less than st.size when a capture shortened the file */
};

void root_stat_from(const struct stat *st, struct root_stat *ret);
int root_tree_stat(struct root *r, const char *path, bool follow, struct root_stat *ret);
int root_tree_open(struct root *r, const char *path, int flags, struct root_stat *ret_st, uint64_t *ret_held); /* fd or -errno */
int root_tree_readlink(struct root *r, const char *path, struct arena *a, const char **ret);
int root_tree_realpath(struct root *r, const char *path, struct arena *a, const char **ret);
/* Permission bits of the examined user on a file with this stat data. */
bool root_may(const struct root *r, const struct root_stat *st, int mode);
void root_cpu_live(struct root *r);
#endif
