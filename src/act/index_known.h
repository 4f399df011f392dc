/* SPDX-License-Identifier: Apache-2.0 */
/* index_known - what a package index has today of all that the solver has to know: which wheels of TensorFlow and of what it pins, and what newer
 * releases of the frameworks beside it ask for. What is inside of files cannot be learned from an index: that stays what the tables say. */
#ifndef TG_ACT_INDEX_KNOWN_H
#define TG_ACT_INDEX_KNOWN_H
#include "act/index_conf.h"
#include "solve/solve.h"

/* errors: -ENOENT: the index has no TensorFlow for this system; those of index_get and of reading its pages */
int index_known(struct arena *a, const char *curl, const struct index_conf *conf, const struct solve_want *with, size_t n_with, struct solve_online *ret, struct err *e);
#endif
