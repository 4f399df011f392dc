/* SPDX-License-Identifier: Apache-2.0 */
/* kernelspec - kernel.json of a Jupyter kernel. Format: jupyter_client documentation, "Kernel specs". */
#ifndef TG_FORMATS_KERNELSPEC_H
#define TG_FORMATS_KERNELSPEC_H
#include <stddef.h>
#include "base/arena.h"
#include "base/err.h"

enum { KERNELSPEC_MAX_ARGS = 256, KERNELSPEC_MAX_ENV = 1024 };

struct kernelspec_env { const char *name, *value; };
struct kernelspec {
    const char *display_name, *language;         /* NULL when absent */
    const char **argv; size_t n_argv;            /* at least one */
    struct kernelspec_env *env; size_t n_env;    /* values as written: "${NAME}" stands for the server's variable */
};

/* buf,len: whole file; not kept
 * ret:     strings in `a`; untouched on failure
 * errors:  -EBADMSG  not JSON (`e` names line and column), no argv, or a member of the wrong type
 *          -E2BIG    more arguments or variables than the limits */
int kernelspec_parse(const char *buf, size_t len, struct arena *a, struct kernelspec *ret, struct err *e);
const char *kernelspec_getenv(const struct kernelspec *k, const char *name); /* value as written, or NULL */
#endif
