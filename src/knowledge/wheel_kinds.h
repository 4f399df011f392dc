/* SPDX-License-Identifier: Apache-2.0 */
/* wheel_kinds - what is known of distributions by their name: typed access to data/tables/wheel_kinds.yaml. */
#ifndef TG_KNOWLEDGE_WHEEL_KINDS_H
#define TG_KNOWLEDGE_WHEEL_KINDS_H
#include <stdbool.h>
#include "facts_gen.h"

struct wheel_kind {
    const char *dist;         /* normalised name, or its beginning and "*" */
    enum fact_wheel_kind kind;
    const char *entries[4];   /* patterns of the files that its import opens first, NULL at the end; none: each file counts */
    const char *version_file; /* Python file that states the CUDA version in the variable `cuda`; or NULL */
    const char *cuda;
};

/* The row for a distribution; NULL: nothing is known of it (TensorFlow's are in pydata and layout). */
const struct wheel_kind *wheel_kind_find(const char *dist);
/* Does `s` equal a pattern with at most one "*"? */
bool wheel_kind_match(const char *pattern, const char *s);
#endif
