/* SPDX-License-Identifier: Apache-2.0 */
/* libraries - what the simulated loader gives TensorFlow for each library that it opens by name. */
#include <errno.h>
#include <string.h>
#include "base/i18n.h"
#include "base/util.h"
#include "knowledge/layout.h"
#include "knowledge/tf_loader.h"
#include "probe/lib_copies.h"
#include "probe/libversion.h"
#include "probe/probe.h"

static void copy_trail(struct probe *p, struct fact_library *l, const struct ldso_try *t, size_t n)
{
    l->trail = arena_array(p->a, n, sizeof *l->trail);
    l->n_trail = n;
    for (size_t i = 0; i < n; i++)
        l->trail[i] = (struct fact_try){.path = t[i].path, .source = ldso_source_id(t[i].source), .of = t[i].of,
                                        .result = ldso_result_id(t[i].result), .detail = t[i].detail};
}

/* The driver's own libraries are layer 1's matter, also where a CUDA library needs one of them. */
static bool is_driver(const struct probe *p, const char *soname)
{
    const struct fact_tensorflow *t = &p->f->tensorflow;
    for (size_t i = 0; i < t->n_needs; i++)
        for (size_t k = 0; k < t->needs[i].n_sonames; k++)
            if ((t->needs[i].role == FACT_LIB_ROLE_DRIVER || t->needs[i].role == FACT_LIB_ROLE_NVML) && str_eq(t->needs[i].sonames[k], soname))
                return true;
    return false;
}

static enum fact_lib_fault fault_of(const struct probe *p, const struct ldso_answer *an)
{
    const char *m = an->message ? an->message : "";
    if (an->outcome == LDSO_FOUND || an->outcome == LDSO_UNDETERMINED)
        return FACT_LIB_FAULT_NONE;
    if (an->culprit && is_driver(p, an->culprit))
        return FACT_LIB_FAULT_DRIVER;
    if (strstr(m, "undefined symbol"))
        return FACT_LIB_FAULT_UNDEFINED_SYMBOL;
    if (strstr(m, "version `"))
        return FACT_LIB_FAULT_SYMBOL_VERSION;
    return an->culprit_file ? FACT_LIB_FAULT_DAMAGED : FACT_LIB_FAULT_ABSENT;
}

/* Absent for the loader, but a file of that name is there that it passes over or refuses: that file is to blame. */
static void blame_copy(struct fact_library *l, const char *soname)
{
    const struct fact_copy *bad = NULL;
    for (size_t i = 0; i < l->n_copies; i++) {
        if (!str_eq(l->copies[i].soname, soname))
            continue;
        if (l->copies[i].usable)
            return;
        bad = bad ? bad : &l->copies[i];
    }
    if (bad && l->fault == FACT_LIB_FAULT_ABSENT)
        l->culprit_file = bad->path;
}

static void add_version(struct probe *p, const char *site, struct fact_library *l, const struct elf *e)
{
    struct libversion v;
    const char *path = l->opened_as ? l->opened_as : l->path; /* that one is still open */
    if (!path || !lib_version(p, site, path, l->path, e, !l->late, &v))
        return;
    l->version = v.version;
    l->version_source = v.source;
    l->has_cuda_major = v.cuda_major != 0;
    l->cuda_major = v.cuda_major;
}

/* The path as a person would write it: RUNPATH leaves "python/platform/../../../" in it. Only where it is the same file. */
static const char *plain_path(struct probe *p, const char *path, const struct ldso_obj *obj)
{
    struct root_stat a = {0}, b = {0};
    if (!path || !strstr(path, "/.."))
        return path;
    const char *plain = path_clean(p->a, path);
    if (root_stat(p->root, plain, &a) < 0 || (!obj && root_stat(p->root, path, &b) < 0))
        return path;
    return a.dev == (obj ? obj->dev : b.dev) && a.ino == (obj ? obj->ino : b.ino) ? plain : path;
}

static void record(struct probe *p, const struct lib_places *at, const struct fact_need *need, const struct ldso_answer *an, const char *caller,
                   bool late)
{
    struct fact_library *l = ARENA_PUSH(p->a, p->f->libraries, p->f->n_libraries);
    *l = (struct fact_library){.soname = an->asked, .role = need->role, .mandatory = need->mandatory, .at_import = need->at_import,
                               .late = late, .needed_by = caller, .outcome = probe_outcome(an->outcome), .path = plain_path(p, an->path, an->obj),
                               .opened_as = an->path, .message = an->message, .signal = an->signal,
                               .fault = fault_of(p, an)};
    if (an->path)
        l->rule = ldso_source_id(an->rule);
    l->place = an->obj ? ldso_source_id(an->obj->rule) : l->rule;
    l->origin = lib_origin(p, at->site, l->path);
    l->package = lib_package(p, at->site, l->path);
    copy_trail(p, l, an->n_culprit_trail ? an->culprit_trail : an->trail, an->n_culprit_trail ? an->n_culprit_trail : an->n_trail);
    if (an->n_shadowed) {
        l->shadowed = arena_array(p->a, an->n_shadowed, sizeof *l->shadowed);
        l->n_shadowed = an->n_shadowed;
        memcpy(l->shadowed, an->shadowed, an->n_shadowed * sizeof *l->shadowed);
    }
    bool wanted = need->role == FACT_LIB_ROLE_CUDA || need->role == FACT_LIB_ROLE_CUDNN || need->role == FACT_LIB_ROLE_CUPTI
                  || need->role == FACT_LIB_ROLE_NCCL; /* the others' copies decide nothing; the driver's are layer 1's */
    if (an->outcome == LDSO_FOUND) {
        bool one_gpu_nccl = need->role == FACT_LIB_ROLE_NCCL && p->f->n_gpus < 2 && !p->verbose; /* then its version decides nothing */
        if (wanted && !one_gpu_nccl)
            add_version(p, at->site, l, an->obj ? an->obj->elf : NULL);
        if (wanted && l->origin != FACT_LIB_ORIGIN_PIP)
            lib_copies_add(p, at, l, l->soname, l->path, false);
        return;
    }
    l->culprit = an->culprit ? an->culprit : an->asked;
    l->culprit_file = plain_path(p, an->culprit_file, NULL);
    const char *by = an->culprit_by ? an->culprit_by : caller;
    l->culprit_by = str_eq(by, at->caller) ? at->caller_plain : plain_path(p, by, NULL);
    if (wanted && l->fault != FACT_LIB_FAULT_DRIVER && an->outcome != LDSO_UNDETERMINED) {
        lib_copies_add(p, at, l, l->culprit, NULL, true);
        blame_copy(l, l->culprit);
        if (l->fault == FACT_LIB_FAULT_ABSENT && !l->culprit_file)
            l->owner = lib_owner_by_record(p, l->culprit);
    }
}

/* TensorFlow tries the names of one library in order; one success is enough. */
static const struct ldso_answer *ask(struct probe *p, const struct fact_need *need, const struct ldso_obj *caller)
{
    const struct ldso_answer *first = NULL;
    for (size_t i = 0; i < need->n_sonames; i++) {
        const struct ldso_answer *an = ldso_dlopen(p->proc, need->sonames[i], caller);
        if (an->outcome == LDSO_FOUND || an->outcome == LDSO_KILLED)
            return an;
        first = first ? first : an;
    }
    return first;
}

/* The first part has the function that is called while a GPU is described; one that lacks it is as bad as none. */
static void check_first_part(struct probe *p, struct fact_library *l, const struct ldso_obj *part)
{
    struct rfile *file;
    struct elf_sym sym;
    l->at_listing = true;
    if (l->outcome != FACT_OUTCOME_FOUND || !part || !part->elf || root_open(p->root, part->name, &file, NULL) < 0)
        return;
    struct bytesrc src = rfile_src(file);
    if (elf_lookup(&src, part->elf, tf_loader_cudnn_version_asks(), NULL, &sym) == 0) {
        l->outcome = FACT_OUTCOME_FAILS;
        l->fault = FACT_LIB_FAULT_UNDEFINED_SYMBOL;
        l->culprit = l->soname;
        l->culprit_file = l->path;
        l->message = arena_printf(p->a, "%s: undefined symbol: %s", part->name, tf_loader_cudnn_version_asks());
    }
    rfile_close(file);
}

/* libcudnn opens its parts itself, at the first use; its own RUNPATH or RPATH counts. */
static void cudnn_parts(struct probe *p, const struct lib_places *at, const struct ldso_obj *cudnn)
{
    const char *so = strstr(cudnn->soname ? cudnn->soname : cudnn->asked, ".so."), *name;
    uint32_t major;
    const struct fact_need need = {.role = FACT_LIB_ROLE_CUDNN};
    if (!so || !ver_major(so + 4, &major))
        return;
    for (unsigned i = 0; (name = layout_cudnn_part(p->a, major, i)); i++) {
        const struct ldso_answer *an = ldso_dlopen(p->proc, name, cudnn);
        record(p, at, &need, an, cudnn->name, true);
        if (i == 0 && p->f->tensorflow.lists_with_cudnn)
            check_first_part(p, &p->f->libraries[p->f->n_libraries - 1], an->obj);
    }
}

void probe_libraries(struct probe *p)
{
    const struct fact_tensorflow *t = &p->f->tensorflow;
    const struct ldso_obj *caller = p->proc && t->caller ? ldso_find(p->proc, t->caller) : NULL;
    if (!caller)
        return;
    struct lib_places at;
    lib_places_find(p, &at);
    at.caller = caller->name;
    at.caller_plain = plain_path(p, caller->name, caller);
    for (size_t i = 0; i < t->n_needs; i++) {
        const struct ldso_answer *an = ask(p, &t->needs[i], caller);
        if (!an)
            continue;
        record(p, &at, &t->needs[i], an, caller->name, false);
        if (t->needs[i].role == FACT_LIB_ROLE_CUDNN && an->outcome == LDSO_FOUND && an->obj)
            cudnn_parts(p, &at, an->obj);
    }
}
