/* SPDX-License-Identifier: Apache-2.0 */
/* tf_loader - TensorFlow's functions that open GPU libraries (data/tables/tf_loader.yaml) and what known builds need
 * (data/tables/wheels.json). */
#ifndef TG_KNOWLEDGE_TF_LOADER_H
#define TG_KNOWLEDGE_TF_LOADER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "facts_gen.h"

struct tf_function {
    const char *name;     /* "Cudnn" of GetCudnnDsoHandle */
    const char *library;  /* "cudnn" of libcudnn.so.9 */
    enum fact_lib_role role;
    bool versioned;       /* its soname always carries a version */
    bool always;          /* without it no GPU, although TryDlopenCUDALibraries does not name it */
    bool at_import;       /* called while TensorFlow is imported */
};
struct tf_learned_need { const char *function; bool mandatory; const char *sonames[3]; size_t n_sonames; };
struct tf_learned { const char *framework, *of; uint16_t first, n; };

const char *const *tf_loader_namespaces(void); /* mangled, newest first, NULL at the end */
const struct tf_function *tf_loader_functions(size_t *ret_n);
const struct tf_function *tf_loader_find(const char *name, size_t n);
/* i-th function of the mandatory set of builds for this CUDA major, or NULL behind the last. */
const struct tf_function *tf_loader_fallback(uint32_t cuda_major, size_t i);
const char *tf_loader_fallback_driver(void);
/* Symbol of the function that names the instruction sets a build does not use, and the numbers by which it asks for them. */
struct tf_cpu_feature { uint32_t number; const char *flag; /* as in /proc/cpuinfo */ };
const char *tf_loader_cpu_guard(void);
const struct tf_cpu_feature *tf_loader_cpu_features(size_t *ret_n);
/* Function whose presence in TensorFlow's library tells that cuDNN is asked for its version while GPUs are listed. */
const char *tf_loader_cudnn_version_symbol(void);
const char *tf_loader_cudnn_version_asks(void); /* cuDNN's function that it calls; cuDNN's first part has it */
/* The build whose libtensorflow_framework.so.2 has this SHA-256 (URL-safe base64 as in RECORD); NULL when not learned. */
const struct tf_learned *tf_learned_find(const char *framework_sha256);
const struct tf_learned_need *tf_learned_needs(const struct tf_learned *l); /* [l->n] */
#endif
