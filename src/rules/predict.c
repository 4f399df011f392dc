/* SPDX-License-Identifier: Apache-2.0 */
/* predict - what the real TensorFlow would do if it were started now: import, then list its GPUs. */
#include "rules/driver_answer.h"
#include "rules/judge_priv.h"

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

/* The driver's library is opened first; without it TensorFlow gives up before it opens any other. NULL: it loads. */
static const struct fact_library *failing_driver(const struct facts *f)
{
    for (size_t i = 0; i < f->n_libraries; i++)
        if (f->libraries[i].role == FACT_LIB_ROLE_DRIVER && is_failure(f->libraries[i].outcome))
            return &f->libraries[i];
    return NULL;
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
        if (!kills && !(l->mandatory && is_failure(l->outcome)))
            continue;
        if (!p->culprit)
            blame_library(p, l);
        if (kills && !p->dies && !l->late)
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

/* What CUDA's answer makes of the list. false: there is no answer, or not enough of one. */
static bool list_by_driver(struct prediction *p, const struct facts *f)
{
    const struct fact_cuda_api *k = &f->cuda;
    size_t listed = 0;
    switch (k->ask.answer) {
    case FACT_DRIVER_ANSWER_NOT_ASKED:
    case FACT_DRIVER_ANSWER_HUNG: /* TensorFlow hangs too: it lists nothing, but gives no answer either */
        return false;
    case FACT_DRIVER_ANSWER_FAILED_TO_LOAD:
        return true;
    case FACT_DRIVER_ANSWER_CRASHED:
        p->dies = p->dies ? p->dies : k->ask.signal;
        return true;
    case FACT_DRIVER_ANSWER_ANSWERED:
        break;
    }
    if (!k->has_init_code)
        return false; /* a capture that states only a part */
    for (size_t i = 0; i < f->n_cuda_devices; i++)
        listed += answer_listed(f, &f->cuda_devices[i]) == LISTED;
    if (answer_cuda_code(f) == 0 && !answer_fatal_device(f))
        p->gpus_listed = (unsigned)listed;
    return true;
}

/* The same of NVML's, where this TensorFlow asks it. */
static bool list_by_nvml(struct prediction *p, const struct facts *f)
{
    const struct fact_nvml_api *k = &f->nvml;
    if (!p->gpus_listed || !answer_needs_nvml(f) || k->ask.answer == FACT_DRIVER_ANSWER_NOT_ASKED)
        return true;
    if (k->ask.answer == FACT_DRIVER_ANSWER_HUNG)
        return false;
    if (k->ask.answer == FACT_DRIVER_ANSWER_CRASHED)
        p->dies = p->dies ? p->dies : k->ask.signal;
    if (k->ask.answer != FACT_DRIVER_ANSWER_ANSWERED || (k->has_init_code && k->init_code))
        p->gpus_listed = 0;
    return true;
}

/* In TensorFlow's own order: import; libcuda; the driver's answer; the CUDA libraries; which GPUs are passed over. */
static void predict_list(struct prediction *p, const struct judgement *j, const struct facts *f)
{
    bool hidden = p->import_ok == TRI_NO;
    for (size_t i = 0; i < j->n_findings; i++)
        hidden = hidden || hides_gpus(f, &j->findings[i]);
    if (p->import_ok == TRI_YES && f->tensorflow.build.is_cuda != TRI_NO) {
        predict_libraries(p, f);
        hidden = hidden || p->culprit || p->dies;
    }
    p->has_gpus = hidden || (list_by_driver(p, f) && list_by_nvml(p, f));
    if (hidden)
        p->gpus_listed = 0;
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
