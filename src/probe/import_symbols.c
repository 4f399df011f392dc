/* SPDX-License-Identifier: Apache-2.0 */
/* import_symbols - whether TensorFlow's own libraries still fit each other, where one of them is not as its package installed it. */
#include <string.h>
#include "base/util.h"
#include "probe/probe.h"

/* A library of TensorFlow that is whole, but of another build than its package's RECORD states. */
static const char *changed_library(const struct fact_tensorflow *t)
{
    for (size_t i = 0; i < t->n_tampered; i++) {
        const struct fact_tampered *d = &t->tampered[i];
        bool whole = d->how == FACT_TAMPER_SIZE || d->how == FACT_TAMPER_HASH;
        if (whole && d->needed && strstr(path_base(d->path), ".so") && str_starts(d->path, t->package_dir))
            return d->path;
    }
    return NULL;
}

/* The import once more, with every symbol looked up: hundreds of thousands, so only where there is a reason. */
void probe_import_symbols(struct probe *p)
{
    struct fact_tensorflow *t = &p->f->tensorflow;
    const struct ldso_config c = {.program = p->f->python.exe, .ld_library_path = p->f->ld_library_path, .ld_preload = p->f->ld_preload, .check_symbols = true};
    struct ldso *proc;
    if (!p->import_mark || !changed_library(t) || ldso_new(p->root, p->a, &c, &proc, NULL) < 0 || ldso_start(proc)->outcome != LDSO_FOUND)
        return;
    for (size_t i = 0; i < t->n_modules; i++) {
        struct fact_module_load *m = &t->modules[i];
        const struct ldso_answer *an = ldso_dlopen(proc, m->path, NULL);
        if (an->outcome == LDSO_FOUND || probe_outcome(an->outcome) == m->outcome)
            continue;
        *m = (struct fact_module_load){.path = m->path, .outcome = probe_outcome(an->outcome), .message = an->message, .signal = an->signal,
                                       .culprit = an->culprit, .culprit_file = an->culprit_file};
        t->n_modules = i + 1; /* the import ends here */
        return;
    }
}
