/* SPDX-License-Identifier: Apache-2.0 */
/* cuda - rules of layer 2: the CUDA and cuDNN libraries that are installed, their versions and what XLA needs. Pure. */
#include <string.h>
#include "base/i18n.h"
#include "base/util.h"
#include "rules/gpu_arch.h"
#include "rules/judge.h"
#include "rules/library.h"

static bool counts(const struct fact_library *l)
{
    return l->role == FACT_LIB_ROLE_CUDA || l->role == FACT_LIB_ROLE_CUDNN;
}

static bool is_cudnn(const char *soname)
{
    return str_starts(soname, "libcudnn");
}

/* All mandatory libraries in one case: one finding, the first as its subject, the others named. */
static struct finding *group(struct judge *g, enum cause_id id, enum library_case want, bool cudnn)
{
    struct finding *f = NULL;
    const char *names = NULL;
    for (size_t i = 0; i < g->f->n_libraries; i++) {
        const struct fact_library *l = &g->f->libraries[i];
        const char *culprit = library_culprit(l);
        if (!counts(l) || !l->mandatory || library_case(l) != want || is_cudnn(culprit) != cudnn || library_same_base(culprit, "libnvJitLink.so"))
            continue;
        if (!f) {
            f = judge_find(g, id, culprit);
            library_bind_package(g, f, l->owner);
            if (l->owner)
                judge_evidence(g, f, "libraries.owner", NULL, _("%s is installed and lists the file, but it is not there"), l->owner);
        }
        const struct fact_copy *other = library_other_major(l, culprit);
        judge_evidence(g, f, "libraries.outcome", other ? other->path : NULL, "%s: %s", culprit,
                       other ? _("only another version is installed") : l->message ? l->message : _("not found"));
        if (!names || !strstr(names, culprit))
            names = names ? arena_printf(g->a, "%s, %s", names, culprit) : culprit;
    }
    if (f) {
        judge_bind(g, f, "names", "%s", names);
        library_bind(g, f);
    }
    return f;
}

static void rule_runtime_missing(struct judge *g)
{
    group(g, CAUSE_CUDA_RUNTIME_LIB_MISSING, LIB_NOT_INSTALLED, false);
}

static void rule_cudnn_missing(struct judge *g)
{
    group(g, CAUSE_CUDNN_MISSING, LIB_NOT_INSTALLED, true);
}

static const struct fact_copy *found_other(const struct facts *f, const char *soname)
{
    for (size_t i = 0; i < f->n_libraries; i++) {
        const struct fact_copy *c = library_other_major(&f->libraries[i], soname);
        if (c)
            return c;
    }
    return NULL;
}

static void rule_soname_mismatch(struct judge *g)
{
    struct finding *f = group(g, CAUSE_CUDA_SONAME_MISMATCH, LIB_OTHER_MAJOR, false);
    const struct fact_copy *c = f ? found_other(g->f, f->subject) : NULL;
    if (c)
        judge_bind(g, f, "found", "%s", c->soname);
}

static void rule_cudnn_major(struct judge *g)
{
    struct finding *f = group(g, CAUSE_CUDNN_MAJOR_MISMATCH, LIB_OTHER_MAJOR, true);
    if (!f)
        return;
    const struct fact_copy *c = found_other(g->f, f->subject);
    const char *dot = strrchr(f->subject, '.');
    judge_bind(g, f, "want", "%s", dot ? dot + 1 : "?");
    judge_bind(g, f, "found", "%s", c && c->version ? c->version : c ? c->soname : "?");
}

static const char *package_of(const struct fact_library *l, const char *path)
{
    for (size_t i = 0; i < l->n_copies; i++)
        if (str_eq(l->copies[i].path, path))
            return l->copies[i].package;
    return str_eq(l->path, path) ? l->package : NULL;
}

static void rule_damaged(struct judge *g)
{
    for (size_t i = 0; i < g->f->n_libraries; i++) {
        const struct fact_library *l = &g->f->libraries[i];
        if (!counts(l) || l->late || library_case(l) != LIB_DAMAGED)
            continue;
        const char *culprit = library_culprit(l), *path = l->culprit_file;
        bool seen = false; /* the same file can break several libraries: one finding */
        for (size_t k = 0; k < i; k++)
            seen |= path && str_eq(g->f->libraries[k].culprit_file, path) && library_case(&g->f->libraries[k]) == LIB_DAMAGED;
        if (seen)
            continue;
        for (size_t k = 0; !path && k < l->n_copies; k++)
            if (str_eq(l->copies[k].soname, culprit))
                path = l->copies[k].path;
        struct finding *f = judge_find(g, CAUSE_CUDA_LIB_DAMAGED, culprit);
        f->severity = l->mandatory ? SEV_BROKEN : SEV_NOTE;
        judge_bind(g, f, "path", "%s", path ? path : culprit);
        judge_bind(g, f, "detail", "%s", l->culprit_detail ? l->culprit_detail : l->message ? l->message : _("the loader passes it over"));
        library_bind(g, f);
        library_bind_package(g, f, path ? package_of(l, path) : NULL);
        if (l->fault == FACT_LIB_FAULT_UNREADABLE)
            f->tags |= FIX_C;
        judge_evidence(g, f, "libraries.message", path, "%s", l->message ? l->message : l->culprit_detail ? l->culprit_detail : "");
        if (l->signal)
            judge_evidence(g, f, "libraries.signal", path, _("the process dies: %s"), l->signal);
    }
}

static void rule_sublib_missing(struct judge *g)
{
    const char *package = NULL;
    for (size_t i = 0; i < g->f->n_libraries; i++)
        if (g->f->libraries[i].role == FACT_LIB_ROLE_CUDNN && !g->f->libraries[i].late)
            package = g->f->libraries[i].outcome == FACT_OUTCOME_FOUND ? g->f->libraries[i].package : NULL;
    for (size_t i = 0; i < g->f->n_libraries; i++) {
        const struct fact_library *l = &g->f->libraries[i];
        enum library_case c = library_case(l);
        if (l->role != FACT_LIB_ROLE_CUDNN || !l->late || c == LIB_FINE || c == LIB_DRIVER || c == LIB_UNKNOWN || c == LIB_VERSION_MIX || c == LIB_DRIVER_LACKS)
            continue;
        struct finding *f = judge_find(g, CAUSE_CUDNN_SUBLIB_MISSING, l->soname);
        library_bind(g, f);
        library_bind_package(g, f, package);
        judge_evidence(g, f, "libraries.message", l->culprit_file, "%s", l->message ? l->message : _("not found"));
        library_late_harm(f, l);
    }
}

static void rule_cudnn_version(struct judge *g)
{
    const char *want = g->f->tensorflow.cudnn_compiled;
    uint32_t want_major, have_major;
    for (size_t i = 0; want && i < g->f->n_libraries; i++) {
        const struct fact_library *l = &g->f->libraries[i];
        if (l->role != FACT_LIB_ROLE_CUDNN || l->late || l->outcome != FACT_OUTCOME_FOUND || !l->version)
            continue;
        /* major equal, minor not older; the patch level does not count (TensorFlow cuda_dnn.cc) */
        const char *dot = strchr(want, '.');
        size_t n = dot ? (size_t)(dot - want) + 1 + strcspn(dot + 1, ".") : strlen(want);
        const char *want_minor = arena_strndup(g->a, want, n);
        if (!ver_major(want, &want_major) || !ver_major(l->version, &have_major)
            || (want_major == have_major && ver_cmp(l->version, want_minor) >= 0))
            continue;
        struct finding *f = judge_find(g, CAUSE_CUDNN_VERSION_MISMATCH, l->soname);
        library_bind(g, f);
        judge_bind(g, f, "version", "%s", l->version);
        judge_bind(g, f, "want", "%s", want_minor);
        judge_bind(g, f, "next_major", "%u", want_major + 1);
        judge_bind(g, f, "path", "%s", l->path);
        library_bind_package(g, f, l->package);
        judge_evidence(g, f, "libraries.version", l->path, "%s", l->version);
        judge_evidence(g, f, "tensorflow.cudnn_compiled", NULL, "%s", want);
        f->unproved = _("that a convolution fails was not tried on a GPU");
    }
}

/* A file of the environment's own is there too: then LD_LIBRARY_PATH is to blame, and layer 4 says so. */
static bool shadows_own(const struct fact_library *l)
{
    for (size_t i = 0; str_eq(l->place, "ld_library_path") && i < l->n_copies; i++)
        if (l->copies[i].usable && str_eq(l->copies[i].soname, l->soname) && !str_eq(l->copies[i].path, l->path)
            && (l->copies[i].origin == FACT_LIB_ORIGIN_PIP || l->copies[i].origin == FACT_LIB_ORIGIN_CONDA))
            return true;
    return false;
}

static void rule_major_mixed(struct judge *g)
{
    uint32_t want = library_cuda_major(g->f);
    for (size_t i = 0; want && i < g->f->n_libraries; i++) {
        const struct fact_library *l = &g->f->libraries[i];
        if (!counts(l) || l->outcome != FACT_OUTCOME_FOUND || !l->has_cuda_major || l->cuda_major == want || shadows_own(l))
            continue;
        struct finding *f = judge_find(g, CAUSE_CUDA_MAJOR_MIXED, l->soname);
        library_bind(g, f);
        judge_bind(g, f, "have_major", "%u", l->cuda_major);
        judge_bind(g, f, "want_major", "%u", want);
        judge_bind(g, f, "path", "%s", l->path);
        judge_bind(g, f, "version", "%s", l->version ? l->version : "?");
        judge_evidence(g, f, "libraries.cuda_major", l->path, "%s (%s)", l->version ? l->version : "?", l->rule ? l->rule : "?");
        f->unproved = _("which calls fail was not tried on a GPU");
    }
}

static void rule_cupti(struct judge *g)
{
    for (size_t i = 0; i < g->f->n_libraries; i++) {
        const struct fact_library *l = &g->f->libraries[i];
        enum library_case c = library_case(l);
        if (l->role != FACT_LIB_ROLE_CUPTI || c == LIB_FINE || c == LIB_DRIVER || c == LIB_UNKNOWN)
            continue;
        struct finding *f = judge_find(g, CAUSE_CUPTI_MISSING, l->soname);
        const struct fact_copy *copy = library_usable_copy(l, l->soname);
        f->tags |= copy ? FIX_A : FIX_B;
        judge_bind(g, f, "dir", "%s", copy ? path_dir(g->a, copy->path) : "");
        library_bind(g, f);
        judge_evidence(g, f, "libraries.message", copy ? copy->path : NULL, "%s", copy ? _("installed, but not searched") : _("not found"));
    }
}

static void rule_pins(struct judge *g)
{
    const struct fact_tensorflow *t = &g->f->tensorflow;
    for (size_t i = 0; t->cuda_extra_in_use && i < t->n_requirements; i++) {
        const struct fact_requirement *r = &t->requirements[i];
        if (!r->extra || !r->installed || r->met != TRI_NO || !str_starts(r->name, "nvidia-"))
            continue;
        struct finding *f = judge_find(g, CAUSE_PIP_CUDA_LIB_PIN_CONFLICT, r->name);
        judge_bind(g, f, "have", "%s", r->installed);
        judge_bind(g, f, "want", "%s", r->spec);
        library_bind(g, f);
        judge_evidence(g, f, "tensorflow.requirements", t->info, "%s%s [%s]", r->name, r->spec, r->extra);
    }
}

static bool xla_matters(const struct facts *f)
{
    return library_judged(f) && f->tensorflow.xla.state == FACT_PRESENT;
}

static void rule_ptxas(struct judge *g)
{
    if (!xla_matters(g->f) || g->f->tensorflow.xla.ptxas)
        return;
    library_bind(g, judge_find(g, CAUSE_PTXAS_NOT_FOUND, "ptxas"));
}

static void rule_libdevice(struct judge *g)
{
    if (!xla_matters(g->f) || g->f->tensorflow.xla.libdevice)
        return;
    struct finding *f = judge_find(g, CAUSE_LIBDEVICE_NOT_FOUND, "libdevice.10.bc");
    library_bind(g, f);
    const char *pkg = g->f->tensorflow.package_dir;
    judge_bind(g, f, "nvcc_dir", "%s/nvidia/cuda_nvcc", pkg ? path_dir(g->a, pkg) : "site-packages");
}

static void rule_summary(struct judge *g)
{
    const char *cuda = NULL, *cudnn = NULL;
    unsigned have = 0, all = 0;
    if (!library_judged(g->f)) {
        if (g->f->tensorflow.state == FACT_PRESENT && g->f->tensorflow.build.is_cuda == TRI_NO)
            judge_summary(g, 2, "%s", _("this build needs no CUDA library"));
        else
            judge_unknown(g, 2, "%s", _("no TensorFlow to judge"));
        return;
    }
    for (size_t i = 0; i < g->f->n_libraries; i++) {
        const struct fact_library *l = &g->f->libraries[i];
        if (!counts(l) || !l->mandatory)
            continue;
        enum library_case c = library_case(l);
        all++;
        have += c == LIB_FINE || c == LIB_UNREACHABLE || c == LIB_SHADOWED || c == LIB_VERSION_MIX || c == LIB_DRIVER_LACKS;
        const struct fact_copy *copy = library_usable_copy(l, l->soname);
        const char *version = l->version ? l->version : copy ? copy->version : NULL;
        if (library_same_base(l->soname, "libcudart.so"))
            cuda = version;
        if (l->role == FACT_LIB_ROLE_CUDNN)
            cudnn = version;
        if (c == LIB_UNKNOWN)
            judge_unknown(g, 2, _("%s: the capture does not hold what decides"), l->soname);
    }
    judge_summary(g, 2, _("CUDA %s, cuDNN %s: %u of %u libraries that TensorFlow needs are installed"), cuda ? cuda : "?", cudnn ? cudnn : "?", have, all);
}

const struct rule rules_cuda[] = {
    {CAUSE_CUDA_RUNTIME_LIB_MISSING, rule_runtime_missing},
    {CAUSE_CUDA_SONAME_MISMATCH, rule_soname_mismatch},
    {CAUSE_CUDNN_MISSING, rule_cudnn_missing},
    {CAUSE_CUDNN_MAJOR_MISMATCH, rule_cudnn_major},
    {CAUSE_CUDA_LIB_DAMAGED, rule_damaged},
    {CAUSE_CUDA_MAJOR_MIXED, rule_major_mixed},
    {CAUSE_CUDNN_VERSION_MISMATCH, rule_cudnn_version},
    {CAUSE_CUDNN_SUBLIB_MISSING, rule_sublib_missing},
    {CAUSE_GPU_ARCH_TOO_OLD, rule_gpu_arch_old},
    {CAUSE_GPU_ARCH_NEWER_THAN_BUILD, rule_gpu_arch_new},
    {CAUSE_BENIGN_PTX_JIT_SLOW_START, rule_gpu_jit},
    {CAUSE_PIP_CUDA_LIB_PIN_CONFLICT, rule_pins},
    {CAUSE_CUPTI_MISSING, rule_cupti},
    {CAUSE_PTXAS_NOT_FOUND, rule_ptxas},
    {CAUSE_LIBDEVICE_NOT_FOUND, rule_libdevice},
    {CAUSE_COUNT, rule_summary},
};
const size_t n_rules_cuda = TG_COUNT(rules_cuda);
