/* SPDX-License-Identifier: Apache-2.0 */
/* extensions - extension modules of other packages that the import of TensorFlow loads: are they as they were installed, and if not, does the
 * import notice? */
#include <string.h>
#include "knowledge/pydata.h"
#include "probe/integrity.h"

struct search { /* one package with a file that is not as installed */
    struct probe *p;
    const struct fact_package *k;
    const struct tf_record *record;
    size_t from;           /* its entries in f->tensorflow.tampered start here */
    bool unlike_learned;   /* a module of the learned row is not in RECORD */
};

/* Is this the file of a module, "h5py/h5i.cpython-311-x86_64-linux-gnu.so" of h5py/h5i, that this interpreter loads? */
static bool is_module_file(const struct probe *p, const char *path, const char *module)
{
    size_t n = strlen(module);
    if (strncmp(path, module, n) != 0 || path[n] != '.')
        return false;
    const char *tag = path + n + 1, *soabi = p->f->python.soabi;
    return str_eq(tag, "so") || str_eq(tag, "abi3.so") || !soabi || (str_starts(tag, soabi) && str_eq(tag + strlen(soabi), ".so"));
}

static const char *file_of(const struct search *s, const char *module)
{
    for (size_t i = 0; i < s->record->n_files; i++)
        if (is_module_file(s->p, s->record->files[i].path, module))
            return path_join(s->p->a, s->k->dir, s->record->files[i].path);
    return NULL;
}

static struct fact_tampered *tampered(const struct search *s, const char *path)
{
    struct fact_tensorflow *t = &s->p->f->tensorflow;
    for (size_t i = s->from; i < t->n_tampered; i++)
        if (str_eq(t->tampered[i].path, path))
            return &t->tampered[i];
    return NULL;
}

/* The files to blame for a module that does not load: itself, the library that the loader names, or all that are not as installed. */
static void blame(const struct search *s, const char *path, const struct ldso_answer *an)
{
    struct fact_tensorflow *t = &s->p->f->tensorflow;
    struct fact_tampered *own = tampered(s, path);
    bool found = own != NULL;
    if (own)
        own->needed = true;
    for (size_t i = s->from; an && an->culprit && i < t->n_tampered; i++)
        if (str_eq(path_base(t->tampered[i].path), an->culprit))
            t->tampered[i].needed = found = true;
    for (size_t i = s->from; !found && i < t->n_tampered; i++)
        t->tampered[i].needed = true;
}

/* What becomes of one module; `an` NULL: the file is not there. true: it loads. */
static bool loads(const struct search *s, struct ldso *proc, const char *path, const struct ldso_answer **ret_an)
{
    const struct fact_tampered *d = tampered(s, path);
    *ret_an = NULL;
    if (d && d->how == FACT_TAMPER_MISSING)
        return false;
    *ret_an = ldso_dlopen(proc, path, NULL);
    return (*ret_an)->outcome == LDSO_FOUND;
}

/* Some modules are loaded only where another package is new enough. */
static bool is_loaded(const struct search *s, const struct extension_module *m)
{
    for (size_t i = 0; m->with && i < s->p->f->n_packages; i++) {
        const struct fact_package *k = &s->p->f->packages[i];
        if (str_eq(k->name, m->with) && !k->shadowed_by)
            return k->version && ver_cmp(m->with_since, k->version) <= 0;
    }
    return !m->with;
}

/* Was this file seen to load just now? */
static bool is_followed(const struct search *s, const struct extension_row *row, const char *path)
{
    for (size_t i = 0; i < row->n_modules; i++)
        if (is_loaded(s, &row->modules[i]) && str_eq(file_of(s, row->modules[i].name), path))
            return true;
    return false;
}

/* In the order of the import, up to the first module that does not load: whether the import survives that was tried with each. */
static void follow_import(struct search *s, const struct extension_row *row, struct ldso *proc)
{
    struct fact_tensorflow *t = &s->p->f->tensorflow;
    for (size_t i = 0; i < row->n_modules; i++) {
        const struct ldso_answer *an;
        if (!is_loaded(s, &row->modules[i]))
            continue;
        const char *path = file_of(s, row->modules[i].name);
        s->unlike_learned |= !path;
        if (!path || loads(s, proc, path, &an))
            continue;
        bool dies = an && an->outcome == LDSO_KILLED;
        if (row->modules[i].fails || dies)
            blame(s, path, an);
        if (an && (row->modules[i].fails || dies)) {
            struct fact_module_load *m = ARENA_PUSH(s->p->a, t->modules, t->n_modules);
            *m = (struct fact_module_load){.path = path, .outcome = probe_outcome(an->outcome), .message = an->message, .signal = an->signal,
                                           .culprit = an->culprit, .culprit_file = an->culprit_file};
        }
        return;
    }
    for (size_t i = s->from; s->unlike_learned && i < t->n_tampered; i++)
        t->tampered[i].unsure = t->tampered[i].how != FACT_TAMPER_SIZE && !is_followed(s, row, t->tampered[i].path);
}

/* Folders that are gone with all that was in them are the business of those who import them. */
static bool is_whole_package_gone(const struct search *s, const struct extension_row *row)
{
    struct root_stat st;
    const char *first = row->modules[0].name;
    const char *dir = path_join(s->p->a, s->k->dir, arena_strndup(s->p->a, first, strcspn(first, "/")));
    return root_stat(s->p->root, dir, &st) < 0;
}

static struct ldso *new_process(struct probe *p)
{
    const struct ldso_config c = {.program = p->f->python.exe, .ld_library_path = p->f->ld_library_path, .ld_preload = p->f->ld_preload};
    struct ldso *proc;
    return c.program && ldso_new(p->root, p->a, &c, &proc, NULL) == 0 && ldso_start(proc)->outcome == LDSO_FOUND ? proc : NULL;
}

void probe_extensions(struct probe *p)
{
    struct ldso *proc = NULL;
    for (size_t i = 0; i < p->f->n_packages; i++) {
        const struct fact_package *k = &p->f->packages[i];
        const struct extension_row *row = k->info && k->dir && !k->shadowed_by ? pydata_extensions(k->name, k->version) : NULL;
        if (!row)
            continue;
        struct search s = {.p = p, .k = k, .record = tf_record_libraries(p, k), .from = p->f->tensorflow.n_tampered};
        struct target g = {k->dir, k->name};
        for (size_t n = 0; n < s.record->n_files; n++)
            (void)integrity_compare_size(p, &g, &s.record->files[n], false);
        for (size_t n = 0; row->packages[n]; n++)
            (void)integrity_compare_size(p, &g, &(struct tf_file){.path = row->packages[n]}, true);
        if (p->f->tensorflow.n_tampered == s.from || is_whole_package_gone(&s, row))
            continue;
        proc = proc ? proc : new_process(p);
        if (proc)
            follow_import(&s, row, proc);
    }
}
