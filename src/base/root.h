/* SPDX-License-Identifier: Apache-2.0 */
/* root - the one way to the files of the machine that is judged: the live one or a tree that was captured elsewhere.
 *
 * Paths are absolute paths of the judged machine ("/usr/lib/x"); a relative path is taken from the root's `cwd`.
 * In a tree every symbolic link, absolute ones included, is resolved inside the tree (openat2 RESOLVE_IN_ROOT, or our own
 * walk where the kernel has no openat2), so a hostile tree can never make us read outside it.
 * A tree's manifest.json (docs/formats/root-manifest.md) answers for what a plain tree cannot hold: stat data, device
 * nodes, environment, kernel, CPU flags, user. `live == false` means: nothing of the running machine may be consulted.
 */
#ifndef TG_BASE_ROOT_H
#define TG_BASE_ROOT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/arena.h"
#include "base/bytesrc.h"
#include "base/err.h"

enum root_type { ROOT_NONE, ROOT_FILE, ROOT_DIR, ROOT_LINK, ROOT_CHAR, ROOT_BLOCK, ROOT_FIFO, ROOT_SOCKET };

struct root_stat {
    enum root_type type;
    uint64_t dev, ino;    /* identity: equal pairs are the same file */
    uint64_t size;        /* bytes; 0 for /proc and /sys files */
    int64_t mtime_ns;
    uint32_t mode;        /* permission bits, 07777 */
    uint32_t uid, gid;
    uint32_t rdev_major, rdev_minor;
};

struct root;
struct rfile; /* an open regular file */

/* The process that is judged: who it runs as and in which environment. Facts, so that a rule never calls getenv. */
struct root_env { const char *name, *value; };

int root_open_live(struct arena *a, struct root **ret, struct err *e);
/* A plain tree, with or without a manifest.json in it. -ENOENT/-ENOTDIR: not a tree; -EBADMSG: manifest broken. */
int root_open_tree(struct arena *a, const char *dir, struct root **ret, struct err *e);
void root_close(struct root *r);

/* -EMFILE or -ENFILE once a file could not be opened for want of descriptors: what was seen then cannot be trusted. Else 0. */
int root_starved(const struct root *r);

bool root_is_live(const struct root *r);
const char *root_label(const struct root *r);             /* "this machine" or the directory, for messages */
const char *root_cwd(const struct root *r);
const char *root_getenv(const struct root *r, const char *name); /* of the examined process; NULL when unset */
const struct root_env *root_environ(const struct root *r, size_t *ret_n);
/* user of the examined process; `ret_groups` may be NULL */
uint32_t root_uid(const struct root *r);
size_t root_groups(const struct root *r, const uint32_t **ret_groups);
/* What the driver answered on the captured machine (manifest key "driver"): the lines of docs/formats/driver-answers.md of one library
 * ("cuda", "nvml"), each ended by a newline. NULL: the manifest does not say; always on the live machine, which can be asked. */
const char *root_driver_lines(const struct root *r, const char *lib, size_t *ret_len);
/* Member "proof" of a tree's manifest, as JSON text (docs/formats/root-manifest.md). NULL: it does not say; always on the live machine. */
const char *root_proof(const struct root *r, size_t *ret_len);
const char *root_home(const struct root *r);              /* $HOME, else from etc/passwd, else NULL */
const char *root_kernel_release(const struct root *r);    /* uname -r; NULL unknown */
const char *root_arch(const struct root *r);              /* uname -m: "x86_64"; NULL unknown */
const char *root_cpu_vendor(struct root *r);              /* "GenuineIntel"; NULL unknown */
const char *root_cpu_model(struct root *r);               /* model name; NULL unknown */
/* CPU flags as in /proc/cpuinfo ("avx", "avx2"…). Tri-state: 1 yes, 0 no, -1 unknown. */
int root_cpu_has(struct root *r, const char *flag);

/* All return 0 or a negative errno (-ENOENT absent, -EACCES denied, -ELOOP, -ENOTDIR, -ENAMETOOLONG …).
 * In a tree a file that the manifest marks unreadable gives -EACCES although the tool's user could read it. */
int root_stat(struct root *r, const char *path, struct root_stat *ret);  /* follows links */
int root_lstat(struct root *r, const char *path, struct root_stat *ret); /* does not follow the last one */
int root_readlink(struct root *r, const char *path, struct arena *a, const char **ret);
/* May the examined user read (4), write (2), search/execute (1) it? Like access(2). */
int root_access(struct root *r, const char *path, int mode);
/* Does the mount that holds the file forbid executing it ("noexec": mapping code fails)? A capture does not say: false. */
bool root_noexec(const struct root *r, const char *path);
struct root_space { uint64_t size, free; }; /* bytes; free: for programs without special rights */
/* Of the file system that holds the folder. A tree answers from its manifest; -ENODATA: it does not say. */
int root_space(const struct root *r, const char *path, struct root_space *ret);
/* Canonical path (all links resolved), as seen inside the root. */
int root_realpath(struct root *r, const char *path, struct arena *a, const char **ret);

struct root_dirent { const char *name; enum root_type type; /* ROOT_NONE: unknown, stat it */ };
/* Names without "." and "..", unsorted; stops with -E2BIG beyond `max` entries. */
int root_readdir(struct root *r, const char *path, size_t max, struct arena *a, struct root_dirent **ret, size_t *ret_n);

/* A hint: many paths below this folder follow. Those that start with its name are walked from it, which costs less. Nothing changes
 * for them: a folder that is reached through a link is not taken. */
void root_near(struct root *r, const char *dir);
/* The same for one folder at a time: from root_from() on, until the next one, paths below `at` are walked from it. NULL ends that.
 * root_place gives NULL where that does not help. -ENOENT, -ENOTDIR, -EACCES: no such folder, or none that may be entered; any other
 * error (a link on the way, a tree, too many): the folder may still be there. */
/* The same for a folder below one that root_near() was told of, for a dozen files in it and more; NULL ends it, as root_from() does. */
void root_here(struct root *r, const char *dir);
struct root_place;
int root_place(struct root *r, const char *dir, const struct root_place **ret);
void root_from(struct root *r, const struct root_place *at);

/* Regular files only (-EISDIR, -ENXIO for FIFO/socket/device, never blocks). */
int root_open(struct root *r, const char *path, struct rfile **ret, struct err *e);
/* The last 64 files stay open until root_close: a path that is opened again is the same file, as it was at the first time. */
void rfile_close(struct rfile *f);
long rfile_pread(struct rfile *f, void *dst, size_t n, uint64_t off); /* bytes, short at the end; or negative errno */
const struct root_stat *rfile_stat(const struct rfile *f);
struct bytesrc rfile_src(struct rfile *f);

/* Whole file, NUL added behind (not counted). -EFBIG when larger than max. /proc and /sys are read to their end. */
int root_read(struct root *r, const char *path, size_t max, struct arena *a, const char **ret, size_t *ret_len);
#endif
