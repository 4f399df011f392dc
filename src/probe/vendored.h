/* SPDX-License-Identifier: Apache-2.0 */
/* vendored - the packages that setuptools brings inside itself. Importing setuptools puts their folder at the end of sys.path, and importing
 * distutils imports setuptools where its hook is installed or the standard library has no distutils. */
#ifndef TG_PROBE_VENDORED_H
#define TG_PROBE_VENDORED_H
#include "probe/probe.h"

/* That folder, if this TensorFlow's import imports distutils and so comes to have it on sys.path; NULL: it does not. Needs f->python and
 * f->tensorflow.package_dir. cost: a few stats and two small files */
const char *vendored_dir(struct probe *p);
#endif
