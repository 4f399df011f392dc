/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_libs - NVIDIA's libraries by name: their sonames per CUDA major and how a file states its version
 * (data/tables/cuda_libs.yaml). */
#ifndef TG_KNOWLEDGE_CUDA_LIBS_H
#define TG_KNOWLEDGE_CUDA_LIBS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "facts_gen.h"

enum cuda_version_how {
    CUDA_VERSION_RETURN, /* function `name` returns it */
    CUDA_VERSION_STORE,  /* function `name` writes it through argument `argument` */
    CUDA_VERSION_PAIR,   /* function `name` writes major and minor through its first two arguments */
    CUDA_VERSION_CONSTANT, /* function `name` stores it, among other numbers */
    CUDA_VERSION_DATA,   /* exported bytes `name`: patch, minor, major, 0 */
    CUDA_VERSION_BESIDE, /* ask the library `name` in the same folder */
};
struct cuda_version_way {
    enum cuda_version_how how;
    const char *name;
    uint8_t argument;
    bool runtime_digits; /* major * 1000 + minor * 10 */
    uint32_t wide_from;  /* from here on major * 10000 + minor * 100 + patch, below major * 1000 + minor * 100 + patch */
};
struct cuda_soname { uint32_t cuda; const char *soname; };
struct cuda_lib {
    const char *stem;    /* "libcublas": the file name up to ".so" */
    enum fact_lib_role role;
    const char *cudart;  /* function that returns the runtime version it was built with, or NULL */
    const char *cuda_text; /* text before the CUDA version in the read-only data, or NULL */
    uint16_t first_way, n_ways, first_soname, n_sonames;
};

/* The library of a file name or soname ("libcublas.so.12"); NULL when it is none of NVIDIA's that we know. */
const struct cuda_lib *cuda_lib_find(const char *file_name);
const struct cuda_version_way *cuda_lib_ways(const struct cuda_lib *l, size_t *ret_n); /* in the order to try */
/* The soname that CUDA `major` gives the library, or NULL. */
const char *cuda_lib_soname(const struct cuda_lib *l, uint32_t major);
/* The CUDA major that a soname belongs to; false when several share it (libcusparse.so.12) or none is known. */
bool cuda_major_of_soname(const char *soname, uint32_t *ret);
bool cuda_major_of_ptx_isa(uint32_t isa_major, uint32_t *ret);
#endif
