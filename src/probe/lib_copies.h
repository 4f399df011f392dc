/* SPDX-License-Identifier: Apache-2.0 */
/* lib_copies - where copies of a CUDA library are installed, reachable or not, and whose they are. */
#ifndef TG_PROBE_LIB_COPIES_H
#define TG_PROBE_LIB_COPIES_H
#include "probe/probe.h"

struct lib_places { /* folders that may hold CUDA libraries; made once a run */
    const char *site;                /* the folder that holds tensorflow/ */
    const char **wheels; size_t n_wheels; /* site/nvidia/<part>/lib */
    const char **others; size_t n_others; /* conda's lib, toolkit and system folders */
    const char *caller, *caller_plain; /* what asks for the libraries, as the loader names it and as a person would */
};

/* cost: one readdir of site/nvidia, one stat each of the other folders */
void lib_places_find(struct probe *p, struct lib_places *ret);

/* Add the copies of `soname` that lie in those folders or in ld.so.cache to l->copies, except `winner`. With `majors` also files
 * of other major versions. A file that the loader would refuse is not usable, and `l->culprit_detail` says why when it is NULL. */
void lib_copies_add(struct probe *p, const struct lib_places *at, struct fact_library *l, const char *soname, const char *winner, bool majors);

/* Whose file a path is, from the folder it lies in. */
enum fact_lib_origin lib_origin(const struct probe *p, const char *site, const char *path);
/* "name==version" of the wheel that owns a file below site/nvidia/, or NULL. */
const char *lib_package(const struct probe *p, const char *site, const char *path);
/* Version of a library that can be loaded, as libversion.h has it: by its wheel where the file is as that installed it, else (and with -v or
 * --deep) from its code. `path` as the loader opened it, `plain` without "..". */
struct libversion;
bool lib_version(struct probe *p, const char *site, const char *path, const char *plain, const struct elf *e, bool want_cuda, struct libversion *ret);
/* A ldso_package_fn with a probe as `ctx`: the wheel that a CUDA library is as installed from (size and time against RECORD). */
const void *lib_intact_wheel(void *ctx, const char *path);
/* "name==version" of an installed nvidia-* package whose RECORD lists lib/<soname>, or NULL.
 * cost: reads the small RECORDs of those packages; only for a library that is missing */
const char *lib_owner_by_record(struct probe *p, const char *soname);
#endif
