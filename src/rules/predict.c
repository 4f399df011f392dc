/* SPDX-License-Identifier: Apache-2.0 */
/* predict - what the real TensorFlow would do if it were started now: import, then list its GPUs. */
#include "rules/driver_answer.h"
#include "rules/judge_priv.h"
#include "rules/library.h"

static bool is_failure(enum fact_outcome o)
{
    return o == FACT_OUTCOME_MISSING || o == FACT_OUTCOME_FAILS || o == FACT_OUTCOME_KILLS;
}

/* Files opened while importing, up to the first failure. false: one of them cannot be judged. */
static bool predict_modules(struct prediction *p, const struct fact_tensorflow *tf)
{
    bool known = tf->n_modules > 0;
    for (size_t i = 0; i < tf->n_modules; i++) {
        const struct fact_module_load *m = &tf->modules[i];
        if (m->outcome == FACT_OUTCOME_UNDETERMINED)
            known = false;
        if (!is_failure(m->outcome))
            continue;
        p->import_ok = TRI_NO;
        p->dies = m->signal;
        p->culprit = path_base(m->path);
        p->root = m->culprit ? m->culprit : m->culprit_file ? path_base(m->culprit_file) : p->culprit;
        return true;
    }
    return known;
}

static void blame_library(struct prediction *p, const struct fact_library *l)
{
    p->culprit = l->soname;
    p->root = l->culprit ? l->culprit : l->culprit_file ? path_base(l->culprit_file) : l->soname;
}

/* A library that is opened during the import may be missing, but not kill. */
static void predict_import(struct prediction *p, const struct facts *f)
{
    for (size_t i = 0; i < f->n_libraries && p->import_ok == TRI_YES; i++) {
        const struct fact_library *l = &f->libraries[i];
        if (!l->at_import || l->outcome != FACT_OUTCOME_KILLS)
            continue;
        p->import_ok = TRI_NO;
        p->dies = l->signal;
        blame_library(p, l);
    }
}

static const struct fact_library *failing(const struct facts *f, enum fact_lib_role role)
{
    for (size_t i = 0; i < f->n_libraries; i++)
        if (f->libraries[i].role == role && f->libraries[i].mandatory && is_failure(f->libraries[i].outcome))
            return &f->libraries[i];
    return NULL;
}

/* The driver's library is opened first, then NVML's where it is asked; without them TensorFlow gives up before it opens any other. */
static const struct fact_library *failing_driver(const struct facts *f)
{
    const struct fact_library *l = failing(f, FACT_LIB_ROLE_DRIVER);
    return l ? l : failing(f, FACT_LIB_ROLE_NVML);
}

/* All are tried, whatever became of those before; one that ends the process does so whether TensorFlow could do without it or not. */
static void predict_libraries(struct prediction *p, const struct facts *f)
{
    const struct fact_library *driver = failing_driver(f);
    if (driver) {
        blame_library(p, driver);
        p->dies = driver->signal;
        return;
    }
    for (size_t i = 0; i < f->n_libraries; i++) {
        const struct fact_library *l = &f->libraries[i];
        bool kills = l->outcome == FACT_OUTCOME_KILLS;
        if (l->late || (!kills && !(l->mandatory && is_failure(l->outcome))))
            continue;
        if (!p->culprit)
            blame_library(p, l);
        if (kills && !p->dies)
            p->dies = l->signal;
    }
}

/* What a finding takes from TensorFlow. Suspicions about the driver count only as long as CUDA itself has not answered. */
static bool hides_gpus(const struct facts *f, const struct finding *x)
{
    bool answered = f->cuda.ask.answer != FACT_DRIVER_ANSWER_NOT_ASKED;
    bool of_driver = x->layer == 1 || x->layer == 5 || x->layer == 7;
    return x->severity == SEV_BROKEN && x->prevents != PREVENTS_NOTHING && !(answered && of_driver);
}

static void predict_by_findings(struct prediction *p, const struct judgement *j)
{
    for (size_t i = 0; i < j->n_findings; i++) {
        const struct finding *x = &j->findings[i];
        if (x->severity != SEV_BROKEN || x->prevents != PREVENTS_IMPORT)
            continue;
        if (p->import_ok != TRI_NO) {
            p->import_ok = TRI_NO;
            p->culprit = p->root = x->subject;
        }
        if (!p->dies)
            p->dies = x->dies;
    }
}

/* How far TensorFlow comes with the driver, which it asks before it opens any CUDA library. */
enum step {
    STEP_UNKNOWN, /* the driver was not asked, or a capture states only a part */
    STEP_HANGS,   /* so does TensorFlow: it lists nothing, but gives no answer either */
    STEP_STOPS,   /* no GPU */
    STEP_GOES_ON,
};

static enum step step_of_ask(struct prediction *p, const struct fact_driver_ask *k)
{
    switch (k->answer) {
    case FACT_DRIVER_ANSWER_NOT_ASKED:
        return STEP_UNKNOWN;
    case FACT_DRIVER_ANSWER_HUNG:
        return STEP_HANGS;
    case FACT_DRIVER_ANSWER_CRASHED:
        p->dies = p->dies ? p->dies : k->signal;
        return STEP_STOPS;
    case FACT_DRIVER_ANSWER_FAILED_TO_LOAD:
        return STEP_STOPS;
    case FACT_DRIVER_ANSWER_ANSWERED:
        break;
    }
    return k->missing ? STEP_STOPS : STEP_GOES_ON; /* a function that is not there is taken as one that failed */
}

static enum step step_of_cuda(struct prediction *p, const struct facts *f)
{
    enum step s = step_of_ask(p, &f->cuda.ask);
    if (s != STEP_GOES_ON)
        return s;
    if (answer_cuda_code(f) != 0 || answer_no_device(f) || answer_fatal_device(f))
        return STEP_STOPS;
    return f->cuda.has_count ? STEP_GOES_ON : STEP_UNKNOWN;
}

/* NVML's answer counts where this TensorFlow asks it: whether it starts is all that matters. */
static enum step step_of_nvml(struct prediction *p, const struct facts *f)
{
    if (!answer_needs_nvml(f) || f->nvml.ask.answer == FACT_DRIVER_ANSWER_NOT_ASKED)
        return STEP_GOES_ON;
    enum step s = step_of_ask(p, &f->nvml.ask);
    return s == STEP_GOES_ON && f->nvml.has_init_code && f->nvml.init_code ? STEP_STOPS : s;
}

static unsigned count_listed(const struct facts *f)
{
    unsigned n = 0;
    for (size_t i = 0; i < f->n_cuda_devices; i++)
        n += answer_listed(f, &f->cuda_devices[i]) == LISTED;
    return n;
}

static void set_gpus(struct prediction *p, unsigned n)
{
    p->has_gpus = true;
    p->gpus_listed = n;
}

/* cuDNN may be asked while a GPU is described, before it is found that this GPU cannot be had; not before there is a
 * handle of it and its compute capability. */
static void predict_description(struct prediction *p, const struct facts *f)
{
    const char *failed = f->n_cuda_devices ? f->cuda_devices[0].failed_call : NULL;
    if (answer_cuda_code(f) || !answer_serves(f) || failing_driver(f) ||
        (failed && (str_starts(failed, "cuDeviceGet ") || str_starts(failed, "cuDeviceGetAttribute "))))
        return;
    for (size_t i = 0; i < f->n_libraries && !p->dies; i++) {
        p->dies = library_dies_at_listing(&f->libraries[i]);
        if (p->dies)
            blame_library(p, &f->libraries[i]);
    }
}

/* All kinds of devices are listed, XLA's too, whatever the driver says: at a flag that XLA does not know the process ends. */
static bool predict_flags(struct prediction *p, const struct facts *f)
{
    const struct fact_refused_flag *r = &f->tensorflow.refused_flag;
    if (!r->variable || p->import_ok != TRI_YES)
        return false;
    if (r->unclear)
        return true;
    p->dies = p->dies ? p->dies : r->signal;
    p->culprit = p->root = r->variable;
    set_gpus(p, 0);
    return true;
}

/* In TensorFlow's own order: import; libcuda and its answer; NVML and its; each GPU's description; the CUDA libraries; which GPUs are
 * passed over. */
static void predict_list(struct prediction *p, const struct judgement *j, const struct facts *f)
{
    bool hidden = p->import_ok == TRI_NO;
    for (size_t i = 0; i < j->n_findings; i++)
        hidden = hidden || hides_gpus(f, &j->findings[i]);
    bool asks = p->import_ok != TRI_NO && f->tensorflow.build.is_cuda != TRI_NO;
    enum step cuda = asks ? step_of_cuda(p, f) : STEP_UNKNOWN;
    enum step nvml = asks && (cuda == STEP_GOES_ON || answer_fatal_device(f)) ? step_of_nvml(p, f) : STEP_UNKNOWN;
    p->hangs = cuda == STEP_HANGS || nvml == STEP_HANGS;
    if (p->hangs || predict_flags(p, f))
        return;
    if (asks && p->import_ok == TRI_YES && nvml != STEP_STOPS) {
        if (!p->dies)
            predict_description(p, f);
        if (!p->dies && cuda != STEP_STOPS)
            predict_libraries(p, f);
    }
    if (cuda == STEP_STOPS || nvml == STEP_STOPS || hidden || p->culprit || p->dies)
        set_gpus(p, 0);
    else if (cuda == STEP_GOES_ON && nvml == STEP_GOES_ON && p->import_ok == TRI_YES)
        set_gpus(p, count_listed(f));
}

void judge_predict(struct judgement *j, const struct facts *f)
{
    struct prediction *p = &j->prediction;
    bool modules_known = predict_modules(p, &f->tensorflow);
    predict_by_findings(p, j);
    if (p->import_ok == TRI_UNKNOWN && modules_known && f->tensorflow.state == FACT_PRESENT && !j->layers[2].unknown)
        p->import_ok = TRI_YES;
    predict_import(p, f);
    predict_list(p, j, f);
}
