/* SPDX-License-Identifier: Apache-2.0 */
/* why - makes the process that is asked about and asks it. */
#include "probe/why.h"
#include <errno.h>
#include <string.h>
#include "base/i18n.h"
#include "probe/lib_copies.h"
#include "probe/libversion.h"

static struct ldso_config config_of(const struct probe *p, const char *program)
{
    return (struct ldso_config){
        .program = program,
        .ld_library_path = root_getenv(p->root, "LD_LIBRARY_PATH"),
        .ld_preload = root_getenv(p->root, "LD_PRELOAD"),
        .want_shadowed = true,
        .check_symbols = true,
        .system_symbols = true,
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

/* Copies in folders where CUDA libraries usually lie; only with an environment, whose folders are known. */
static void find_copies(struct probe *p, const char *soname, struct why *ret)
{
    struct lib_places at;
    struct fact_library l = {.soname = soname};
    if (!p->proc || !p->f->tensorflow.package_dir || strchr(soname, '/'))
        return;
    lib_places_find(p, &at);
    lib_copies_add(p, &at, &l, soname, NULL, false);
    ret->copies = l.copies;
    ret->n_copies = l.n_copies;
}

static void look_closer(struct probe *p, struct why *ret)
{
    const struct ldso_answer *a = ret->answer;
    struct libversion v;
    if (a->outcome == LDSO_FOUND && a->obj && libversion_read(p->root, p->a, a->path, a->obj->elf, true, &v))
        ret->version = v.version;
    if (a->outcome == LDSO_MISSING)
        find_copies(p, a->culprit, ret);
}

/* Bring the environment's process to the point at which TensorFlow asks for `soname`: the libraries that it opens earlier are
 * there, later ones are not. Returns the file that asks: TensorFlow's own library, or libcudnn for one of its parts. */
static const char *replay(struct probe *p, const char *soname)
{
    const struct facts *f = p->f;
    if (!p->import_mark)
        return NULL;
    ldso_reset(p->proc, p->import_mark);
    for (size_t i = 0; i < f->n_libraries; i++) {
        const char *by = f->libraries[i].needed_by;
        if (strcmp(f->libraries[i].soname, soname) == 0)
            return by;
        (void)ldso_dlopen(p->proc, f->libraries[i].soname, by ? ldso_find(p->proc, by) : NULL); /* a failure changes nothing */
    }
    return f->tensorflow.caller;
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
    ldso_want_shadowed(proc, true);
    const char *from = q->program ? q->from : replay(p, q->soname);
    if (q->from)
        from = q->from;
    if (from)
        caller = load_caller(proc, from, ret);
    ret->from = caller ? caller->name : from;
    if (!ret->from_failed)
        ret->answer = ldso_dlopen(proc, q->soname, caller);
    look_closer(p, ret);
    return 0;
}
