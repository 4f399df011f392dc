/* SPDX-License-Identifier: Apache-2.0 */
/* cpu_guard - the instruction sets that a build of TensorFlow cannot do without, read from its own code: the function that tells users which
 * ones their processor has but this build does not use asks for those by number. What it knows and does not ask for is compiled in. */
#ifndef TG_PROBE_CPU_GUARD_H
#define TG_PROBE_CPU_GUARD_H
#include <stdbool.h>
#include "base/files.h"

/* ret: flags as in /proc/cpuinfo, in the order of the table. false, and nothing: no such function, or one that is not understood.
 * cost: two functions of 2 kB interpreted, about 20 reads of 1 kB */
bool cpu_guard_flags(const struct files *files, const char *framework, struct arena *a, const char ***ret, size_t *ret_n);
#endif
