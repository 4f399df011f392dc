/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_use - what each Jupyter kernel would start, and whether that is what it is meant to start. */
#ifndef TG_PROBE_KERNEL_USE_H
#define TG_PROBE_KERNEL_USE_H
#include "probe/kernels.h"
#include "probe/probe.h"

enum kernel_fault {
    KERNEL_FINE,
    KERNEL_UNREADABLE,   /* kernel.json is not readable, or no kernel.json */
    KERNEL_GONE,         /* its program is not there */
    KERNEL_BROKEN,       /* its interpreter does not find its standard library, or may not be executed */
    KERNEL_OTHER,        /* an environment's own kernel (python3) that starts a Python outside of it: moved or copied */
    KERNEL_MIXED,        /* it sets VIRTUAL_ENV to another environment, whose packages IPython then puts in front */
    KERNEL_NO_IPYKERNEL, /* its interpreter has no ipykernel: it starts, and ends at once */
};
const char *kernel_fault_id(enum kernel_fault f); /* as JSON has it: "fine", "gone" … */

struct kernel_use {
    struct kernel k;
    enum kernel_fault fault;
    bool is_python;          /* a kernel of Python: those of other languages are looked at for their program alone */
    bool is_hidden;          /* another one of its name is found first: Jupyter does not take this one */
    const char *program;     /* what it starts, as written; NULL: unreadable */
    const char *version, *prefix, *tensorflow; /* of its interpreter; NULL: unknown, none */
    const char *virtual_env; /* the VIRTUAL_ENV that it sets, or NULL */
    const char *should;      /* the interpreter that it is to start instead, absolute; NULL: none is known. MIXED: may be its own, then only VIRTUAL_ENV is wrong */
};

/* All kernels that Jupyter finds, with those of p's judged environment. `ret` in the arena.
 * cost: per kernel one read, about 20 stat calls, and listing its interpreter's site folders */
void kernel_uses(struct probe *p, struct kernel_use **ret, size_t *ret_n);
/* Has the interpreter ipykernel? Also true where its sys.path cannot be told for certain. */
bool kernel_can_run(struct probe *p, const char *exe);
#endif
