/* SPDX-License-Identifier: Apache-2.0 */
/* library - what the rules of layers 2 and 4 ask about one needed library. Pure. */
#ifndef TG_RULES_LIBRARY_H
#define TG_RULES_LIBRARY_H
#include "rules/judge.h"

/* Why a library cannot be had, decided once for both layers. */
enum library_case {
    LIB_FINE,            /* found */
    LIB_NOT_INSTALLED,   /* no file of that name anywhere known */
    LIB_OTHER_MAJOR,     /* only a file of another major version */
    LIB_UNREACHABLE,     /* a usable file is installed where the loader does not look */
    LIB_DAMAGED,         /* the file that is opened is damaged or unreadable */
    LIB_SHADOWED,        /* a file from outside the environment is opened first, and it fails; a good one is installed */
    LIB_VERSION_MIX,     /* symbol versions or symbols are missing in the file that is found */
    LIB_DRIVER_LACKS,    /* a function of the driver's library is missing: the driver is older than this file */
    LIB_DRIVER,          /* only the driver's own library is absent: layer 1's matter */
    LIB_UNKNOWN,         /* a capture does not say */
};
enum library_case library_case(const struct fact_library *l);

/* The soname at fault: the library itself or a dependency of it. */
const char *library_culprit(const struct fact_library *l);
/* The soname that lacks a symbol: NVIDIA's libraries name the versions of their symbols after the file that defines them, so an
 * undefined symbol with such a version is the fault of that file, not of the one that asks. Else the culprit. */
const char *library_lacking(struct arena *a, const struct fact_library *l);
/* The function of the driver's interface that is missing (LIB_DRIVER_LACKS), else NULL. */
const char *library_driver_function(const struct fact_library *l);
/* First copy that the loader would accept and that answers to this name, or NULL. */
const struct fact_copy *library_usable_copy(const struct fact_library *l, const char *soname);
const struct fact_copy *library_other_major(const struct fact_library *l, const char *soname);
/* Same library whatever its version: "libcublas.so.12" and "libcublas.so.11". */
bool library_same_base(const char *a, const char *b);
bool library_is(const struct fact_library *l, enum fact_lib_role role);
/* CUDA libraries are judged at all: there is a TensorFlow and it is a CUDA build. */
bool library_judged(const struct facts *f);
uint32_t library_cuda_major(const struct facts *f); /* that TensorFlow was built for; 0 unknown */

/* Bind what fix commands need: {python} {prefix} {dist} {tf_version} {cuda_major} {cuda_series} {cuda_built}. */
void library_bind(struct judge *g, struct finding *f);
/* Bind {package} ("name==version"), {package_name} of the file's owner and set the tag A when there is one, else B. */
void library_bind_package(struct judge *g, struct finding *f, const char *package);
/* Signal by which the process dies while GPUs are listed because this library, which cuDNN opens at its first use, is not to be
 * had; NULL: nothing happens then. */
const char *library_dies_at_listing(const struct fact_library *l);
/* What a fault of a part of cuDNN means: the death of the process at listing, or a failure at the first use (not proved). */
void library_late_harm(struct finding *f, const struct fact_library *l);
/* The trail of a failed search as evidence: at most `max` rows. */
void library_trail_evidence(struct judge *g, struct finding *f, const struct fact_library *l, size_t max);
#endif
