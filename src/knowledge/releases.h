/* SPDX-License-Identifier: Apache-2.0 */
/* releases - what can be installed from the package index: releases of TensorFlow, of frameworks beside it, and the wheels that they
 * pin, for Linux x86-64. Data: data/tables/wheels.json, pins.json (both made by ./dev learn), tf_pythons.yaml, nvidia_wheels.yaml, frameworks.yaml. */
#ifndef TG_KNOWLEDGE_RELEASES_H
#define TG_KNOWLEDGE_RELEASES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "knowledge/gpu_code.h"

struct wheel_span { const char *glibc; unsigned python_min, python_max; /* CPython 3 minors */ };

struct release {                  /* of TensorFlow */
    const char *version, *cuda, *cudnn;
    const char *ptx_isa;          /* of its PTX */
    const char *needs_glibc;      /* what its files ask for; wheel.glibc is what the index says */
    bool has_extra;               /* and-cuda */
    struct wheel_span wheel;
    struct gpu_code code;
    const char *const *lacks;     /* folders below site-packages of mandatory libraries that its RUNPATH does not name; NULL-terminated like the rest */
    const char *const *cpu;       /* instruction sets that it cannot do without */
    const char *const *requires;  /* PEP 508 */
};
struct framework_release {        /* of torch, jax */
    const char *name, *version;
    const char *install;          /* "jax[cuda12]" */
    struct wheel_span wheel;
    const char *const *requires;
};
struct wheel_version { const char *version, *glibc; unsigned python_min, python_max; };
struct wheel_dist { const char *name; const struct wheel_version *v; size_t n; }; /* oldest first */
struct framework {                /* what an installation of torch, jax consists of */
    const char *name, *install, *first; /* `first`: the oldest version of which anything is said */
    const char *const *parts;     /* distributions of the same version; [0] gives it; NULL-terminated */
    const char *extra_of, *extra; /* the part whose extra brings the CUDA wheels; NULL: none */
};
/* What an index has today, in the place of the shipped tables. Of a distribution that it does not name the tables say what there is. */
struct known {
    const struct release *releases; size_t n_releases;
    const struct framework_release *frameworks; size_t n_frameworks;
    const struct wheel_dist *dists; size_t n_dists;
};
struct wheel_code { const char *dist, *version, *file; struct gpu_code code; };

/* k NULL: the shipped tables */
const struct release *releases_all(const struct known *k, size_t *ret_n);                      /* oldest first */
const struct framework_release *framework_releases_all(const struct known *k, size_t *ret_n);  /* by name, each oldest first */
const struct framework *framework_of(const char *name); /* NULL: none */
/* Versions that the index has wheels of, oldest first; NULL and 0 for a distribution that the table does not have. */
const struct wheel_version *wheel_versions_of(const struct known *k, const char *dist, size_t *ret_n);
const char *wheel_dist_name(size_t i); /* of the shipped tables; NULL behind the last */
bool wheel_dist_known(const char *dist); /* to the shipped tables */
/* The i-th library with GPU code of a wheel that was read; NULL behind the last. Cost: one pass over some dozens of rows. */
const struct wheel_code *wheel_code_of(const char *dist, const char *version, size_t i);
unsigned release_python_suggest(void);                                  /* CPython 3 minor to advise */
/* First CUDA version whose driver compiles PTX of this ISA version; NULL: no row says. */
const char *ptx_isa_cuda(const char *isa);
#endif
