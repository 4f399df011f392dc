/* SPDX-License-Identifier: Apache-2.0 */
/* lockfile - tfgpu.lock ("tfgpu.lock/1", docs/formats/lock.md): an environment to be made again, exactly. JSON, because the project reads JSON
 * anyway and others can too; sorted and one value a line, so that two of them can be compared by eye.
 *
 * It may come from anybody: what lockfile_read accepts can be typed behind a program's name as it stands. No text begins with "-", none has a
 * blank, a quote, or anything else that a shell, a requirements file or a URL would take for more than letters; paths stay inside.
 */
#ifndef TG_FORMATS_LOCKFILE_H
#define TG_FORMATS_LOCKFILE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

#define LOCK_SCHEMA "tfgpu.lock/1"
enum { LOCK_MAX_PACKAGES = 5000, LOCK_MAX_HASHES = 2000 /* of one package */, LOCK_MAX_LIST = 64, LOCK_MAX_REPAIRS = 500 };

struct lock_package {
    const char *name;                        /* normalised */
    const char *version;                     /* PEP 440 */
    const char **sha256; size_t n_sha256;    /* hex, sorted: of each file of that version that may be installed; at least one */
};
/* A link that makes a library reachable; both relative: to the environment, and to the link's own folder, inside the environment. */
struct lock_repair { const char *path, *target; };

/* What a machine must have. NULL and empty: nothing asked. */
struct lock_floor {
    const char *machine;                     /* "x86_64" */
    const char *glibc;                       /* "2.17" */
    const char **cpu; size_t n_cpu;          /* instruction sets, as /proc/cpuinfo names them */
    const char *cuda;                        /* CUDA that TensorFlow was built for; NULL: CPU only, and nothing of what follows counts */
    const char *driver_linux, *driver_windows; /* smallest driver */
    uint32_t *sass; size_t n_sass;           /* GPU code, as learn tells it */
    uint32_t *sass_exact; size_t n_sass_exact;
    uint32_t *ptx; size_t n_ptx;
    const char *ptx_isa;
};

struct lockfile {
    const char *python;                      /* "3.11.2" */
    const char *engine, *engine_version;     /* "uv", "venv", "conda"; the version may be NULL */
    struct lock_floor floor;
    struct lock_repair *repairs; size_t n_repairs;    /* by path */
    struct lock_package *packages; size_t n_packages; /* by name, each once */
};

void lockfile_sort(struct lockfile *l);
/* Sorts, and writes. The same contents give the same bytes. */
void lockfile_write(struct lockfile *l, struct buf *out);
/* lockfile_read - of the file's bytes.
 *
 * ret:    strings in `a`; sorted
 * errors: -EBADMSG: not one, damaged, or something in it may not be so; -E2BIG: too large; -EPROTONOSUPPORT: a later version of the format. `e` has
 *         one translated line that begins with the line's number
 * cost:   O(n log n)
 */
int lockfile_read(const char *p, size_t n, struct arena *a, struct lockfile *ret, struct err *e);
/* The package of that (normalised) name, or NULL. Cost: one bisection. */
const struct lock_package *lockfile_find(const struct lockfile *l, const char *name);

/* A requirements file that pip and uv take with --require-hashes. */
void lockfile_requirements(const struct lockfile *l, struct buf *out);

/* What may stand in a lock. Used by the reader, and by those who make one. */
bool lock_is_name(const char *s);
bool lock_is_version(const char *s);
bool lock_is_sha256(const char *s);
bool lock_is_number(const char *s); /* "525.60.13": digits and dots */
bool lock_is_inside(const char *path); /* relative, clean */
bool lock_is_target(const char *s);    /* of a link: some "../", then as above. Whether it stays inside depends on where the link is */
#endif
