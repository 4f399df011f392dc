/* SPDX-License-Identifier: Apache-2.0 */
/* py_import - what Python files of TensorFlow that differ from RECORD do to `import tensorflow`. */
#ifndef TG_PROBE_PY_IMPORT_H
#define TG_PROBE_PY_IMPORT_H
#include "probe/integrity.h"

/* For the entries of f->tensorflow.tampered that are Python files below tensorflow/: .py_fault and what belongs to it; .needed where the
 * import is sure to fail, .unsure where that cannot be said. A file that nothing imports, whatever is called, has neither.
 * How: import statements are followed from tensorflow/__init__.py through all files that RECORD lists, those that run whatever happens
 * apart from those that may; a file on the way stops the import when Python refuses it (formats/pysource.h), when it is not there, or
 * when it lacks a name that another one takes from it.
 * cost: nothing when no such file differs; else RECORD and about 1,600 files, 25 MB, are read: 0.15 s */
void probe_py_import(struct probe *p, const struct target *g, const char *info);
#endif
