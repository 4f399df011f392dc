/* SPDX-License-Identifier: Apache-2.0 */
/* loader - rules of layer 4: what the loader does with the libraries that are installed. Pure. */
#include <string.h>
#include "base/i18n.h"
#include "base/util.h"
#include "rules/judge.h"
#include "rules/library.h"

enum { TRAIL_ROWS = 6 };

/* Libraries whose failure counts here: TensorFlow's own CUDA set and cuDNN's parts. The driver's belong to layer 1. */
static bool counts(const struct fact_library *l)
{
    return l->role == FACT_LIB_ROLE_CUDA || l->role == FACT_LIB_ROLE_CUDNN;
}

static void add_word(struct judge *g, const char **list, const char *word, const char *sep)
{
    size_t n = strlen(word);
    for (const char *p = *list; p && *p; p += strcspn(p, sep), p += strspn(p, sep))
        if (strncmp(p, word, n) == 0 && (p[n] == '\0' || strchr(sep, p[n])))
            return;
    *list = *list ? arena_printf(g->a, "%s%s%s", *list, sep, word) : word;
}

static void rule_unreachable(struct judge *g)
{
    struct finding *f = NULL;
    const char *names = NULL, *dirs = NULL, *caller = NULL;
    for (size_t i = 0; i < g->f->n_libraries; i++) {
        const struct fact_library *l = &g->f->libraries[i];
        if (!counts(l) || !l->mandatory || library_case(l) != LIB_UNREACHABLE)
            continue;
        const char *culprit = library_culprit(l);
        const struct fact_copy *copy = library_usable_copy(l, culprit);
        if (!f) {
            f = judge_find(g, CAUSE_CUDA_LIB_UNREACHABLE, culprit);
            caller = l->culprit_by ? l->culprit_by : l->needed_by;
        }
        judge_evidence(g, f, "libraries.copies", copy->path, _("installed: %s, but not searched"), copy->package ? copy->package : culprit);
        if (names == NULL)
            library_trail_evidence(g, f, l, TRAIL_ROWS);
        add_word(g, &names, culprit, ", ");
        add_word(g, &dirs, path_dir(g->a, copy->path), ":");
    }
    if (!f)
        return;
    judge_bind(g, f, "names", "%s", names);
    judge_bind(g, f, "dir", "%s", dirs);
    judge_bind(g, f, "caller", "%s", caller ? path_base(caller) : "");
    library_bind(g, f);
}

static const char *set_by(const struct facts *f)
{
    for (size_t i = 0; i < f->n_shell_files; i++)
        if (str_eq(f->shell_files[i].what, "export-ld-library-path"))
            return f->shell_files[i].file;
    bool known = f->ld_library_path_from && !str_eq(f->ld_library_path_from, "caller");
    return known ? f->ld_library_path_from : _("the shell's start-up files");
}

static void shadow(struct judge *g, const struct fact_library *l, const char *path, const char *version, const struct fact_copy *right,
                   enum severity sev)
{
    struct finding *f = judge_find(g, CAUSE_LD_LIBRARY_PATH_SHADOWING, library_culprit(l));
    f->severity = sev;
    judge_bind(g, f, "path", "%s", path);
    judge_bind(g, f, "dir", "%s", path_dir(g->a, path));
    judge_bind(g, f, "version", "%s", version ? version : _("version unknown"));
    judge_bind(g, f, "right_path", "%s", right->path);
    judge_bind(g, f, "right_version", "%s", right->version ? right->version : _("version unknown"));
    judge_bind(g, f, "set_by", "%s", set_by(g->f));
    judge_evidence(g, f, "ld_library_path", NULL, "%s", g->f->ld_library_path ? g->f->ld_library_path : "");
    judge_evidence(g, f, "libraries.path", path, "%s", l->message ? l->message : version ? version : "");
    judge_evidence(g, f, "libraries.copies", right->path, "%s", right->package ? right->package : "");
}

/* A copy of the environment's own (pip or conda), not the one that wins. */
static const struct fact_copy *own_copy(const struct fact_library *l)
{
    for (size_t i = 0; i < l->n_copies; i++) {
        const struct fact_copy *c = &l->copies[i];
        if (c->usable && str_eq(c->soname, l->soname) && !str_eq(c->path, l->path)
            && (c->origin == FACT_LIB_ORIGIN_PIP || c->origin == FACT_LIB_ORIGIN_CONDA))
            return c;
    }
    return NULL;
}

static void rule_shadowing(struct judge *g)
{
    uint32_t want = library_cuda_major(g->f);
    bool cudnn = false; /* its parts come from the same folder: named once */
    for (size_t i = 0; i < g->f->n_libraries; i++) {
        const struct fact_library *l = &g->f->libraries[i];
        if (!counts(l))
            continue;
        if (library_case(l) == LIB_SHADOWED) {
            shadow(g, l, l->culprit_file, l->culprit_detail, library_usable_copy(l, library_culprit(l)),
                   l->mandatory ? SEV_BROKEN : SEV_DEGRADED);
            continue;
        }
        const struct fact_copy *own = l->outcome == FACT_OUTCOME_FOUND && str_eq(l->place, "ld_library_path") ? own_copy(l) : NULL;
        if (!own)
            continue;
        bool wrong_major = want && l->has_cuda_major && l->cuda_major != want;
        bool older = l->version && own->version && ver_cmp(l->version, own->version) < 0;
        if ((!wrong_major && !older) || (l->late && cudnn))
            continue;
        shadow(g, l, l->path, l->version, own, SEV_DEGRADED);
        cudnn |= l->role == FACT_LIB_ROLE_CUDNN;
    }
}

static bool from_ld_library_path(const struct fact_library *l)
{
    return str_eq(l->place, "ld_library_path");
}

/* The file that answers to the soname at fault. */
static const char *file_of(const struct facts *f, const struct fact_library *l, const char *culprit)
{
    if (str_eq(culprit, library_culprit(l)))
        return l->culprit_file ? l->culprit_file : _("no file");
    for (size_t i = 0; i < f->n_libraries; i++)
        if (str_eq(f->libraries[i].soname, culprit) && f->libraries[i].path)
            return f->libraries[i].path;
    const struct fact_copy *c = library_usable_copy(l, culprit);
    return c ? c->path : _("an older one");
}

/* The library that asks the one at fault for what it lacks. */
static const char *asker_of(const struct fact_library *l, const char *culprit)
{
    if (!str_eq(culprit, library_culprit(l)))
        return library_culprit(l);
    return l->culprit_by ? path_base(l->culprit_by) : l->soname;
}

static void rule_nvjitlink(struct judge *g)
{
    for (size_t i = 0; i < g->f->n_libraries; i++) {
        const struct fact_library *l = &g->f->libraries[i];
        const char *culprit = library_lacking(g->a, l);
        enum library_case c = library_case(l);
        if (!counts(l) || !library_same_base(culprit, "libnvJitLink.so") || (c != LIB_VERSION_MIX && c != LIB_NOT_INSTALLED && c != LIB_OTHER_MAJOR))
            continue;
        struct finding *f = judge_find(g, CAUSE_NVJITLINK_MISMATCH, culprit);
        library_bind(g, f);
        judge_bind(g, f, "detail", "%s", l->message ? l->message : culprit);
        judge_bind(g, f, "have", "%s", file_of(g->f, l, culprit));
        judge_bind(g, f, "needed_by", "%s", asker_of(l, culprit));
        judge_evidence(g, f, "libraries.message", l->culprit_file, "%s", l->message ? l->message : "");
        f->tags |= from_ld_library_path(l) ? FIX_A : 0;
        return; /* the same file breaks cuSPARSE, cuSOLVER and cuFFT: once is enough */
    }
}

static void rule_sublib_mix(struct judge *g)
{
    const struct fact_library *cudnn = NULL;
    for (size_t i = 0; i < g->f->n_libraries; i++) {
        const struct fact_library *l = &g->f->libraries[i];
        if (l->role != FACT_LIB_ROLE_CUDNN)
            continue;
        if (!l->late) {
            cudnn = l;
            continue;
        }
        bool differs = l->outcome == FACT_OUTCOME_FOUND && cudnn && cudnn->version && l->version && strcmp(l->version, cudnn->version) != 0;
        if (!differs && library_case(l) != LIB_VERSION_MIX)
            continue;
        struct finding *f = judge_find(g, CAUSE_CUDNN_SUBLIB_VERSION_MIX, l->soname);
        judge_bind(g, f, "version", "%s", l->version ? l->version : _("of an unknown version"));
        judge_bind(g, f, "main_version", "%s", cudnn && cudnn->version ? cudnn->version : "?");
        judge_bind(g, f, "path", "%s", l->path ? l->path : l->culprit_file ? l->culprit_file : "?");
        judge_bind(g, f, "main_path", "%s", cudnn && cudnn->path ? cudnn->path : "?");
        judge_evidence(g, f, "libraries.version", l->path, "%s", l->message ? l->message : l->version ? l->version : "");
        f->tags |= from_ld_library_path(l) || (cudnn && from_ld_library_path(cudnn)) ? FIX_A : FIX_B;
        library_late_harm(f, l);
        return;
    }
}

static void rule_driver_lacks(struct judge *g)
{
    const struct fact_library *worst = NULL;
    bool grave = false; /* TensorFlow gives up the GPUs */
    for (size_t i = 0; i < g->f->n_libraries; i++) {
        const struct fact_library *l = &g->f->libraries[i];
        if (!counts(l) || library_case(l) != LIB_DRIVER_LACKS || (worst && (grave || !l->mandatory || l->late)))
            continue;
        worst = l;
        grave = l->mandatory && !l->late;
    }
    if (!worst)
        return;
    struct finding *f = judge_find(g, CAUSE_DRIVER_LACKS_FUNCTION, "libcuda.so.1");
    f->severity = grave ? SEV_BROKEN : SEV_DEGRADED;
    f->prevents = grave ? PREVENTS_GPUS : PREVENTS_NOTHING;
    library_bind(g, f);
    judge_bind(g, f, "library", "%s", library_culprit(worst));
    judge_bind(g, f, "symbol", "%s", library_driver_function(worst));
    judge_bind(g, f, "path", "%s", g->f->driver.libcuda ? g->f->driver.libcuda : "libcuda.so.1");
    judge_bind(g, f, "detail", "%s", worst->message);
    judge_evidence(g, f, "libraries.message", worst->culprit_file, "%s", worst->message);
}

static void rule_version_mix(struct judge *g)
{
    for (size_t i = 0; i < g->f->n_libraries; i++) {
        const struct fact_library *l = &g->f->libraries[i];
        const char *culprit = library_lacking(g->a, l);
        if (!counts(l) || l->late || library_case(l) != LIB_VERSION_MIX || library_same_base(culprit, "libnvJitLink.so")
            || library_same_base(culprit, "libc.so") || library_same_base(culprit, "libstdc++.so"))
            continue; /* those have causes of their own */
        struct finding *f = judge_find(g, CAUSE_CUDA_LIB_VERSION_MIX, culprit);
        f->severity = l->mandatory ? SEV_BROKEN : SEV_NOTE;
        library_bind(g, f);
        judge_bind(g, f, "detail", "%s", l->message ? l->message : culprit);
        judge_bind(g, f, "needed_by", "%s", asker_of(l, culprit));
        judge_evidence(g, f, "libraries.message", l->culprit_file, "%s", l->message ? l->message : "");
        f->tags |= from_ld_library_path(l) ? FIX_A : 0;
        return;
    }
}

static bool is_drivers_own(const struct fact_driver_lib *l)
{
    return l->origin == FACT_DRIVER_LIB_ORIGIN_DRIVER || l->origin == FACT_DRIVER_LIB_ORIGIN_WSL || l->origin == FACT_DRIVER_LIB_ORIGIN_CONTAINER;
}

/* A copy of the driver's library that exists but is not found; where there is none at all, layer 1 says so. */
static void driver_unreachable(struct judge *g, const char *soname, const char *found, enum fact_lib_role role)
{
    const struct facts *f = g->f;
    bool opened = false;
    for (size_t i = 0; i < f->n_libraries; i++)
        opened |= f->libraries[i].role == role && f->libraries[i].mandatory && f->libraries[i].outcome != FACT_OUTCOME_UNDETERMINED;
    for (size_t i = 0; opened && !found && i < f->driver.n_libs; i++) {
        const struct fact_driver_lib *l = &f->driver.libs[i];
        if (!str_eq(l->soname, soname) || l->damage || !is_drivers_own(l))
            continue;
        struct finding *x = judge_find(g, CAUSE_LIBCUDA_NOT_ON_LOADER_PATH, soname);
        judge_bind(g, x, "path", "%s", l->path);
        judge_bind(g, x, "dir", "%s", path_dir(g->a, l->path));
        judge_bind(g, x, "in_cache", "%s", l->in_cache ? _("; ld.so.cache lists it, but the file it names cannot be opened") : "");
        judge_evidence(g, x, "driver.libs", l->path, "%s", l->version ? l->version : _("there, but not searched"));
        x->tags |= str_starts(l->path, "/usr/lib/x86_64-linux-gnu/") ? FIX_B : f->machine.kind == FACT_MACHINE_KIND_WSL2 ? 0 : FIX_A;
        return;
    }
}

static void rule_driver_unreachable(struct judge *g)
{
    driver_unreachable(g, "libcuda.so.1", g->f->driver.libcuda, FACT_LIB_ROLE_DRIVER);
    driver_unreachable(g, "libnvidia-ml.so.1", g->f->driver.nvml, FACT_LIB_ROLE_NVML);
}

/* Not a cause: what layer 4 says when nothing is wrong, or that it could not be judged. */
static void rule_summary(struct judge *g)
{
    unsigned loads = 0, all = 0;
    if (!library_judged(g->f)) {
        if (g->f->tensorflow.state == FACT_PRESENT && g->f->tensorflow.build.is_cuda == TRI_NO)
            judge_summary(g, 4, "%s", _("this build opens no CUDA library"));
        else
            judge_unknown(g, 4, "%s", _("no TensorFlow to judge"));
        return;
    }
    for (size_t i = 0; i < g->f->n_libraries; i++) {
        const struct fact_library *l = &g->f->libraries[i];
        if (!l->mandatory || !counts(l))
            continue;
        enum library_case c = library_case(l);
        all += c != LIB_NOT_INSTALLED && c != LIB_OTHER_MAJOR && c != LIB_DAMAGED; /* those are layer 2's */
        loads += l->outcome == FACT_OUTCOME_FOUND;
        if (library_case(l) == LIB_UNKNOWN)
            judge_unknown(g, 4, _("%s: the capture does not hold what decides"), l->soname);
    }
    judge_summary(g, 4, _("%u of %u installed libraries that TensorFlow opens are found by the loader"), loads, all);
}

const struct rule rules_loader[] = {
    {CAUSE_LIBCUDA_NOT_ON_LOADER_PATH, rule_driver_unreachable},
    {CAUSE_CUDA_LIB_UNREACHABLE, rule_unreachable},
    {CAUSE_LD_LIBRARY_PATH_SHADOWING, rule_shadowing},
    {CAUSE_NVJITLINK_MISMATCH, rule_nvjitlink},
    {CAUSE_DRIVER_LACKS_FUNCTION, rule_driver_lacks},
    {CAUSE_CUDA_LIB_VERSION_MIX, rule_version_mix},
    {CAUSE_CUDNN_SUBLIB_VERSION_MIX, rule_sublib_mix},
    {CAUSE_COUNT, rule_summary},
};
const size_t n_rules_loader = TG_COUNT(rules_loader);
