/* SPDX-License-Identifier: Apache-2.0 */
/* distname - what the name of a folder entry says about an installed Python distribution:
 * "numpy-1.26.4.dist-info", "PyYAML-6.0-py3.11.egg-info". Rules: packaging specifications ("Recording installed projects")
 * and CPython's importlib.metadata, which takes the text before the first "-" as the name. */
#ifndef TG_FORMATS_DISTNAME_H
#define TG_FORMATS_DISTNAME_H
#include <stdbool.h>
#include "base/util.h"

enum dist_form { DIST_NONE, DIST_INFO, DIST_EGG_INFO };

struct distname {
    enum dist_form form;
    struct str name;    /* as written */
    struct str version; /* as written; n == 0: not in the name */
    bool unsure;        /* the split is not certain: METADATA (PKG-INFO) decides */
};

/* One entry's name. DIST_NONE when it is no distribution; `ret` then is zeroed. Slices of `entry`. */
enum dist_form distname_parse(const char *entry, struct distname *ret);

struct condaname { struct str name, version, build; };
/* A file of conda-meta: "libcublas-12.4.5.8-0.json", "python-3.11.7-h955ad1f_0_cpython.json". false: not such a name. */
bool condaname_parse(const char *entry, struct condaname *ret);
#endif
