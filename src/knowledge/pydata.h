/* SPDX-License-Identifier: Apache-2.0 */
/* pydata - what is known of Python packages around TensorFlow: typed access to data/tables/tf_dists.yaml and
 * data/tables/imported_modules.yaml, python_abi.yaml. */
#ifndef TG_KNOWLEDGE_PYDATA_H
#define TG_KNOWLEDGE_PYDATA_H
#include <stdbool.h>
#include <stddef.h>

enum tf_backend { TF_BACKEND_CUDA, TF_BACKEND_CPU, TF_BACKEND_ROCM, TF_BACKEND_MIXED };

struct tf_dist {
    const char *name;         /* normalised */
    enum tf_backend backend;
    bool retired;             /* its last release installs nothing and refuses on purpose */
};

/* A top-level module that `import tensorflow` imports from a file and that no interpreter has loaded before. */
struct imported_module {
    const char *name;
    const char *dist;         /* distribution that brings it, normalised; NULL for the standard library */
    bool stdlib;
    bool required;            /* without it `import tensorflow` fails (tried); third-party modules only */
    bool optional;            /* it is looked for, whether its package is installed or not: nothing needs it, and an ImportError is expected */
    bool survives;            /* `import tensorflow` goes on whatever its code raises (tried) */
    bool may_survive;         /* some releases do, others do not */
    const char *files[3];     /* one of these has to be there, too; NULL-terminated */
    bool breaks;              /* an unrelated module of this name makes `import tensorflow` fail (tried) */
};

/* Names that show which NumPy C API an extension was compiled for, and the files below tensorflow/ to look into, NULL-terminated. */
struct numpy_marks { const char *new_name, *old_name; const char *const *files; };

/* Shared objects of TensorFlow that `import tensorflow` was seen to map; path relative to the folder that holds tensorflow/. */
bool pydata_opened(const char *path);
/* File (path likewise) where the absence of this object goes unnoticed; NULL: nowhere. */
const char *pydata_replaced_by(const char *path);

/* Extension modules of one distribution in the order in which `import tensorflow` was seen to load them, and whether the import failed when the
 * file was not there. The row for a version (NULL: any) is the last one that begins at or before it. NULL: none is known to be loaded. */
struct extension_module {
    const char *name;              /* "h5py/h5i" */
    bool fails;
    const char *with, *with_since; /* loaded only beside this distribution from this version on; NULL: always */
};
struct extension_row {
    const char *dist, *since;
    const struct extension_module *modules; size_t n_modules;
    const char *const *packages;   /* files that make these folders packages, without which the import fails: "numpy/core/__init__.py"; NULL-terminated */
};
const struct extension_row *pydata_extensions(const char *dist, const char *version);

/* Python files of a distribution without which `import tensorflow` fails, in the versions that were learned; NULL-terminated. The row for a version
 * is found as above. NULL: none is known. */
const char *const *pydata_sources(const char *dist, const char *version);

/* Which Python 3 minor versions a release has wheels for (Linux x86-64), and the one to advise. */
struct tf_python { const char *release; unsigned min, max, suggest; };
const struct tf_python *pydata_newest_tf_python(void);

const struct tf_dist *pydata_tf_dist(const char *name); /* NULL: does not install tensorflow/ */
const struct imported_module *pydata_module(const char *name, size_t n); /* binary search; NULL */
/* All of them, sorted by name. */
const struct imported_module *pydata_modules(size_t *ret_n);
/* Does a distribution bring a module that the import needs? NULL when not. */
const struct imported_module *pydata_module_of(const char *dist);
const struct numpy_marks *pydata_numpy_marks(void);
/* Distributions with extension modules that use NumPy's C API and are imported with TensorFlow, and one of these modules without its
 * suffix; ended by a row of NULLs. */
struct numpy_user { const char *dist, *file; };
const struct numpy_user *pydata_numpy_users(void);
/* Generated protobuf files below tensorflow/, NULL-terminated. */
const char *const *pydata_protobuf_files(void);
#endif
