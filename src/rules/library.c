/* SPDX-License-Identifier: Apache-2.0 */
/* library - what the rules of layers 2 and 4 ask about one needed library. */
#include "rules/library.h"
#include <string.h>
#include "base/i18n.h"
#include "base/util.h"

bool library_same_base(const char *a, const char *b)
{
    size_t n = strcspn(a, "."), m = strcspn(b, ".");
    return n == m && memcmp(a, b, n) == 0;
}

bool library_is(const struct fact_library *l, enum fact_lib_role role)
{
    return l->role == role;
}

bool library_judged(const struct facts *f)
{
    return f->tensorflow.state == FACT_PRESENT && f->tensorflow.build.is_cuda != TRI_NO && f->n_libraries > 0;
}

uint32_t library_cuda_major(const struct facts *f)
{
    uint32_t major = 0;
    return ver_major(f->tensorflow.build.cuda_version, &major) ? major : 0;
}

const char *library_culprit(const struct fact_library *l)
{
    return l->culprit ? l->culprit : l->soname;
}

/* What the loader names as undefined: "SYMBOL" or "SYMBOL, version V"; NULL: it does not. */
static const char *undefined_symbol(const struct fact_library *l)
{
    static const char says[] = "undefined symbol: ";
    const char *m = l->fault == FACT_LIB_FAULT_UNDEFINED_SYMBOL && l->message ? strstr(l->message, says) : NULL;
    return m ? m + sizeof says - 1 : NULL;
}

/* cuNameOfFunction: CUDA's other libraries go on in lower case, and give their symbols a version. */
static bool is_driver_function(const char *s)
{
    return s && s[0] == 'c' && s[1] == 'u' && s[2] >= 'A' && s[2] <= 'Z' && !strchr(s, ',');
}

const char *library_driver_function(const struct fact_library *l)
{
    const char *s = undefined_symbol(l);
    return is_driver_function(s) ? s : NULL;
}

const char *library_lacking(struct arena *a, const struct fact_library *l)
{
    const char *m = undefined_symbol(l);
    const char *v = m ? strstr(m, ", version ") : NULL;
    v = v ? v + strlen(", version ") : NULL;
    return v && strstr(v, ".so") ? arena_strdup(a, v) : library_culprit(l);
}

const struct fact_copy *library_usable_copy(const struct fact_library *l, const char *soname)
{
    for (size_t i = 0; i < l->n_copies; i++)
        if (l->copies[i].usable && str_eq(l->copies[i].soname, soname))
            return &l->copies[i];
    return NULL;
}

const struct fact_copy *library_other_major(const struct fact_library *l, const char *soname)
{
    for (size_t i = 0; i < l->n_copies; i++)
        if (l->copies[i].usable && !str_eq(l->copies[i].soname, soname) && library_same_base(l->copies[i].soname, soname))
            return &l->copies[i];
    return NULL;
}

static bool same_file_copy(const struct fact_library *l, const char *path)
{
    for (size_t i = 0; i < l->n_copies; i++)
        if (str_eq(l->copies[i].path, path) && (l->copies[i].origin == FACT_LIB_ORIGIN_PIP || l->copies[i].origin == FACT_LIB_ORIGIN_CONDA))
            return true;
    return false;
}

enum library_case library_case(const struct fact_library *l)
{
    const char *culprit = library_culprit(l);
    switch (l->outcome) {
    case FACT_OUTCOME_FOUND:
        return LIB_FINE;
    case FACT_OUTCOME_UNDETERMINED:
        return LIB_UNKNOWN;
    case FACT_OUTCOME_MISSING:
    case FACT_OUTCOME_FAILS:
    case FACT_OUTCOME_KILLS:
        break;
    }
    if (l->fault == FACT_LIB_FAULT_DRIVER)
        return LIB_DRIVER;
    if (library_driver_function(l))
        return LIB_DRIVER_LACKS;
    if (l->fault == FACT_LIB_FAULT_SYMBOL_VERSION || l->fault == FACT_LIB_FAULT_UNDEFINED_SYMBOL)
        return LIB_VERSION_MIX;
    if (l->fault == FACT_LIB_FAULT_ABSENT) {
        if (library_usable_copy(l, culprit))
            return LIB_UNREACHABLE;
        for (size_t i = 0; i < l->n_copies; i++)
            if (str_eq(l->copies[i].soname, culprit))
                return LIB_DAMAGED; /* it is there, but the loader passes it over: unreadable, foreign, dangling */
        return library_other_major(l, culprit) && !l->owner ? LIB_OTHER_MAJOR : LIB_NOT_INSTALLED;
    }
    if (l->culprit_file && !same_file_copy(l, l->culprit_file) && library_usable_copy(l, culprit))
        return LIB_SHADOWED;
    return LIB_DAMAGED;
}

void library_bind(struct judge *g, struct finding *f)
{
    const struct fact_tensorflow *t = &g->f->tensorflow;
    const char *cuda = t->build.cuda_version;
    uint32_t major = library_cuda_major(g->f);
    judge_bind(g, f, "python", "%s", g->f->python.exe ? g->f->python.exe : "python3");
    judge_bind(g, f, "prefix", "%s", g->f->python.prefix ? g->f->python.prefix : "");
    judge_bind(g, f, "dist", "%s", t->dist ? t->dist : "tensorflow");
    judge_bind(g, f, "tf_version", "%s", t->version ? t->version : "");
    judge_bind(g, f, "cuda_built", "%s", cuda ? cuda : _("an unknown version"));
    judge_bind(g, f, "cuda_major", "%u", major ? major : 12);
    const char *dot = cuda ? strchr(cuda, '.') : NULL;
    size_t n = !cuda ? 0 : dot ? (size_t)(dot - cuda) + 1 + strcspn(dot + 1, ".") : strlen(cuda);
    judge_bind(g, f, "cuda_series", "%.*s", (int)n, cuda ? cuda : "");
}

void library_bind_package(struct judge *g, struct finding *f, const char *package)
{
    f->tags |= package ? FIX_A : FIX_B;
    judge_bind(g, f, "package", "%s", package ? package : "");
    judge_bind(g, f, "package_name", "%.*s", package ? (int)strcspn(package, "=") : 0, package ? package : "");
}

const char *library_dies_at_listing(const struct fact_library *l)
{
    if (!l->at_listing || l->outcome == FACT_OUTCOME_FOUND || l->outcome == FACT_OUTCOME_UNDETERMINED)
        return NULL;
    return l->signal ? l->signal : "SIGABRT"; /* libcudnn calls abort() where it cannot have the part */
}

void library_late_harm(struct finding *f, const struct fact_library *l)
{
    f->dies = library_dies_at_listing(l);
    if (!f->dies) {
        f->unproved = _("that a convolution fails was not tried on a GPU");
        return;
    }
    f->severity = SEV_BROKEN;
    f->prevents = PREVENTS_GPUS;
}

void library_trail_evidence(struct judge *g, struct finding *f, const struct fact_library *l, size_t max)
{
    for (size_t i = 0; i < l->n_trail && i < max; i++) {
        const struct fact_try *t = &l->trail[i];
        judge_evidence(g, f, "libraries.trail", t->path, "%s: %s", t->source, t->detail ? t->detail : t->result);
    }
}
