/* SPDX-License-Identifier: Apache-2.0 */
/* why - makes the process that is asked about and asks it. */
#include "probe/why.h"
#include <errno.h>
#include "base/i18n.h"

static struct ldso_config config_of(const struct probe *p, const char *program)
{
    return (struct ldso_config){
        .program = program,
        .ld_library_path = root_getenv(p->root, "LD_LIBRARY_PATH"),
        .ld_preload = root_getenv(p->root, "LD_PRELOAD"),
        .want_shadowed = true,
        .check_symbols = true,
        .glibc_symbols = true,
    };
}

/* The object that will ask: the file `from`, loaded first if it is not there yet. NULL when that fails. */
static const struct ldso_obj *load_caller(struct ldso *proc, const char *from, struct why *ret)
{
    const struct ldso_answer *a = ldso_dlopen(proc, from, NULL);
    if (a->outcome == LDSO_FOUND)
        return a->obj;
    ret->answer = a;
    ret->from_failed = true;
    return NULL;
}

int why_gather(struct probe *p, const struct why_query *q, struct why *ret, struct err *e)
{
    const char *program = q->program ? q->program : p->f->python.exe;
    struct ldso *proc = q->program ? NULL : p->proc;
    const struct ldso_obj *caller = NULL;
    *ret = (struct why){.program = program};
    if (!program)
        return err_set(e, -ESRCH, "%s", _("no Python interpreter found here; name a program with --program"));
    if (!proc) {
        struct ldso_config c = config_of(p, program);
        int rc = ldso_new(p->root, p->a, &c, &proc, e);
        if (rc < 0)
            return rc;
    }
    ret->proc = proc;
    if (q->from)
        caller = load_caller(proc, q->from, ret);
    ret->from = caller ? caller->name : q->from;
    if (!ret->from_failed)
        ret->answer = ldso_dlopen(proc, q->soname, caller);
    return 0;
}
