/* SPDX-License-Identifier: Apache-2.0 */
/* pthcode - what a line of code in a .pth file does to sys.path and the environment, as far as its text states it. Nothing is executed: statements whose
 * effect is certain are understood (folders as literals, as names bound to literals, or through os.path), the others are told apart
 * by whether they could change where modules come from.
 * Rules: CPython Lib/site.py (addpackage, addsitedir: the line runs by exec() with site's own names in reach), the Python language
 * reference. Compared with real interpreters by tests/truth/run-syspath. */
#ifndef TG_FORMATS_PTHCODE_H
#define TG_FORMATS_PTHCODE_H
#include <stdint.h>
#include "base/util.h"

enum pthcode_op {
    PTHCODE_SPLICE,     /* sys.path[from:to] = items: insert, append, extend, +=, slices, del; bounds as Python takes them */
    PTHCODE_REMOVE,     /* sys.path.remove(items[0]) */
    PTHCODE_SITEDIR,    /* site.addsitedir(items[0]) */
    PTHCODE_SETENV,     /* os.environ[items[0]] = items[1]; one item: the variable goes */
    PTHCODE_MARK,       /* sys.__plen = len(sys.path), and … */
    PTHCODE_MARK_FRONT, /* … what was appended since goes to the front: easy-install.pth */
    PTHCODE_IMPORT,     /* the module items[0] has to be there; for names that not every Python has */
    PTHCODE_EXIT,       /* the interpreter ends: by the signal `from`, or where that is 0 with an exit code */
    PTHCODE_LOAD,       /* dlopen(items[0]), for good */
    PTHCODE_APPEND_UNKNOWN, /* something that cannot be told is put behind all that is there */
    PTHCODE_UNKNOWN,    /* may change where any module comes from, or a variable of CUDA or TensorFlow */
    PTHCODE_ERROR,      /* an exception, or a line that Python refuses as a whole: site passes over the rest of the file */
};

enum { PTHCODE_END = INT32_MAX }; /* in `from` and `to`: the end of sys.path */

struct pthcode_effect {
    enum pthcode_op op;
    int32_t from, to;
    bool unless_there;                        /* not when sys.path holds items[0] already, or the variable is set */
    const char *const *items; size_t n_items; /* as written, not made absolute; no NUL inside */
};

/* What expressions may refer to; NULL: unknown. getenv: a variable as it is when the line runs, or NULL where it is not set. */
struct pthcode_scope {
    const char *sitedir, *cwd, *home, *prefix;
    const char *(*getenv)(void *ctx, const char *name);
    void *getenv_ctx;
};

/* The effects of one line, in order. Statements without one (imports, hooks that know nothing of sys.path) are left out.
 * ret:  in `a` or pointing into `scope`
 * cost: O(n) time; up to 4 kB of `a` a token, so give it a scratch arena. Lines of more than 16 kB or 512 tokens are PTHCODE_UNKNOWN as a
 *       whole */
void pthcode_parse(struct str line, const struct pthcode_scope *scope, struct arena *a, struct pthcode_effect **ret, size_t *ret_n);
/* "SIGABRT" of 6; NULL: none of those that end a process. */
const char *pthcode_signal(int32_t number);
#endif
