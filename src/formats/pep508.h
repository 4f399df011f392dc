/* SPDX-License-Identifier: Apache-2.0 */
/* pep508 - one requirement of a Python distribution: "numpy (>=1.23,<2) ; python_version < '3.12' and extra == 'x'".
 * Format: PEP 508, "Dependency specifiers" of the Python packaging specifications. */
#ifndef TG_FORMATS_PEP508_H
#define TG_FORMATS_PEP508_H
#include <stddef.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"

enum { PEP508_MAX_DEPTH = 32, PEP508_MAX_EXTRAS = 64 };

struct pep508 {
    const char *name;                         /* normalised */
    const char **extras; size_t n_extras;     /* normalised */
    const char *spec;                         /* version specifiers without parentheses; "" when there are none */
    const char *url;                          /* behind "@", or NULL */
    const char *marker;                       /* behind ";", or NULL */
};

/* What the variables of a marker stand for. NULL: not known, which makes a comparison with it unknown. */
struct pep508_env {
    const char *python_version;               /* "3.11" */
    const char *python_full_version;          /* "3.11.9" */
    const char *os_name, *sys_platform, *platform_system, *platform_machine, *platform_release, *platform_version;
    const char *implementation_name, *platform_python_implementation, *implementation_version;
};

/* pep508_parse - split one requirement.
 * s,n:    not kept
 * ret:    strings in `a`; untouched on failure. The marker is not checked here
 * errors: -EBADMSG not a requirement (`e` names the offset); -E2BIG too many extras
 */
int pep508_parse(const char *s, size_t n, struct arena *a, struct pep508 *ret, struct err *e);

/* pep508_marker - does the marker hold? `extra`: the extra that is asked for, normalised or not; NULL none.
 * ret:  TRI_UNKNOWN for a variable that is not known, a comparison that has no meaning, or text that is no marker;
 *       "unknown and no" is no, "unknown or yes" is yes
 * cost: one pass; parentheses to PEP508_MAX_DEPTH
 */
enum tri pep508_marker(const char *marker, size_t n, const struct pep508_env *env, const char *extra);
#endif
