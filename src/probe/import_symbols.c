/* SPDX-License-Identifier: Apache-2.0 */
/* import_symbols - whether TensorFlow's own libraries still fit each other, where one of them is not as its package installed it. */
#include <string.h>
#include "base/util.h"
#include "knowledge/pydata.h"
#include "probe/probe.h"
#include "probe/tf_record.h"

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

/* false: the import ends here. */
static bool open_again(struct ldso *proc, const char *path, struct fact_module_load *m)
{
    const struct ldso_answer *an = ldso_dlopen(proc, path, NULL);
    if (an->outcome == LDSO_FOUND || probe_outcome(an->outcome) == m->outcome)
        return true;
    *m = (struct fact_module_load){.path = path, .outcome = probe_outcome(an->outcome), .message = an->message, .signal = an->signal,
                                   .culprit = an->culprit, .culprit_file = an->culprit_file};
    return false;
}

/* Its other extension modules that the import opens: of the build that was installed, or of the one that took its place. */
static void open_others(struct probe *p, struct ldso *proc)
{
    struct fact_tensorflow *t = &p->f->tensorflow;
    struct root_stat st;
    const char *site = path_dir(p->a, t->package_dir);
    for (size_t i = 0; p->record && i < p->record->n_files; i++) {
        struct fact_module_load m = {.outcome = FACT_OUTCOME_FOUND};
        const char *path = path_join(p->a, site, p->record->files[i].path);
        if (!str_ends(path, ".so") || !pydata_opened(p->record->files[i].path) || root_stat(p->root, path, &st) < 0 || open_again(proc, path, &m))
            continue;
        *ARENA_PUSH(p->a, t->modules, t->n_modules) = m;
        return;
    }
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
        if (open_again(proc, m->path, m))
            continue;
        t->n_modules = i + 1; /* the import ends here */
        return;
    }
    open_others(p, proc);
}
