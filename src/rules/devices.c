/* SPDX-License-Identifier: Apache-2.0 */
/* devices - rules of layer 5: what the driver itself answered. Pure. */
#include "rules/devices.h"
#include <string.h>
#include "base/i18n.h"
#include "base/util.h"
#include "knowledge/driver_errors.h"
#include "rules/driver_answer.h"
#include "rules/machine_state.h"

/* -- an answer that never came ----------------------------------------------------------------------------------------- */

/* What is wrong with NVML alone is no obstacle to a TensorFlow that does not ask it. */
static void lower(struct judge *g, struct finding *x, bool nvml)
{
    x->tags |= machine_is_wsl2(g->f) ? 0u : FIX_A;
    if (!nvml || answer_needs_nvml(g->f))
        return;
    x->severity = SEV_DEGRADED;
    x->prevents = PREVENTS_NOTHING;
}

static void each_library(struct judge *g, void (*run)(struct judge *g, const struct fact_driver_ask *k, bool nvml))
{
    run(g, &g->f->cuda.ask, false);
    run(g, &g->f->nvml.ask, true);
}

static const char *soname_of(bool nvml)
{
    return nvml ? "libnvidia-ml.so.1" : "libcuda.so.1";
}

static struct finding *at_call(struct judge *g, enum cause_id id, const struct fact_driver_ask *k, bool nvml)
{
    struct finding *x = judge_find(g, id, k->at ? k->at : soname_of(nvml));
    judge_bind(g, x, "library", "%s", soname_of(nvml));
    judge_bind(g, x, "path", "%s", k->path ? k->path : soname_of(nvml));
    judge_evidence(g, x, nvml ? "nvml.ask.at" : "cuda.ask.at", k->path, k->at ? _("%s did not come back; calls before it: %u") : _("%s was not to blame for a call; calls that came back: %u"),
                   k->at ? k->at : soname_of(nvml), k->calls);
    if (k->left_behind)
        judge_evidence(g, x, nvml ? "nvml.ask.left_behind" : "cuda.ask.left_behind", NULL, "%s", _("the process that asked could not be killed; it was left"));
    lower(g, x, nvml);
    return x;
}

static void hangs(struct judge *g, const struct fact_driver_ask *k, bool nvml)
{
    if (k->answer != FACT_DRIVER_ANSWER_HUNG)
        return;
    struct finding *x = at_call(g, CAUSE_DRIVER_CALL_HANGS, k, nvml);
    judge_bind(g, x, "seconds", k->deadline_ms % 1000 ? "%u.%03u" : "%u", k->deadline_ms / 1000, k->deadline_ms % 1000);
}

static void rule_hangs(struct judge *g)
{
    each_library(g, hangs);
}

static void crashes(struct judge *g, const struct fact_driver_ask *k, bool nvml)
{
    if (k->answer != FACT_DRIVER_ANSWER_CRASHED)
        return;
    struct finding *x = at_call(g, CAUSE_DRIVER_CALL_CRASHES, k, nvml);
    const char *how = k->signal ? k->signal : k->has_exit_status ? arena_printf(g->a, _("exit status %d"), k->exit_status) : _("no reason stated");
    judge_bind(g, x, "how", "%s", how);
    judge_evidence(g, x, nvml ? "nvml.ask.signal" : "cuda.ask.signal", NULL, "%s", how);
    if (x->prevents != PREVENTS_NOTHING)
        x->dies = k->signal;
}

static void rule_crashes(struct judge *g)
{
    each_library(g, crashes);
}

static void unloadable(struct judge *g, const struct fact_driver_ask *k, bool nvml)
{
    if (k->answer != FACT_DRIVER_ANSWER_FAILED_TO_LOAD && !k->missing)
        return;
    struct finding *x = judge_find(g, CAUSE_DRIVER_LIBRARY_UNLOADABLE, soname_of(nvml));
    const char *error = k->missing ? arena_printf(g->a, _("it does not export %s"), k->missing) : k->load_error;
    judge_bind(g, x, "path", "%s", k->path ? k->path : soname_of(nvml));
    judge_bind(g, x, "error", "%s", error);
    judge_evidence(g, x, nvml ? "nvml.ask.load_error" : "cuda.ask.load_error", k->path, "%s", error);
    lower(g, x, nvml);
}

static void rule_unloadable(struct judge *g)
{
    each_library(g, unloadable);
}

/* -- cuInit says no ---------------------------------------------------------------------------------------------------- */

static struct finding *on_code(struct judge *g, enum cause_id id, const char *subject)
{
    const char *call = g->f->cuda.init_code ? "cuInit" : "cuDeviceGetCount";
    int32_t code = answer_cuda_code(g->f);
    const char *name = cuda_error_name(code);
    struct finding *x = judge_find(g, id, subject ? subject : call);
    judge_bind(g, x, "call", "%s", call);
    judge_bind(g, x, "code", "%d", code);
    judge_bind(g, x, "name", "%s", name ? name : arena_printf(g->a, "%d", code));
    judge_bind(g, x, "meaning", "%s", cuda_error_meaning(code));
    judge_evidence(g, x, g->f->cuda.init_code ? "cuda.init_code" : "cuda.count_code", g->f->cuda.ask.path, "%s", answer_code_text(g->a, call, code, false));
    return x;
}

static void rule_licence(struct judge *g)
{
    if (answer_cuda_code(g->f) == CUDA_NOT_LICENSED)
        (void)on_code(g, CAUSE_GPU_LICENCE_MISSING, NULL);
}

static void rule_mps(struct judge *g)
{
    int32_t code = answer_cuda_code(g->f);
    if (code >= CUDA_MPS_FIRST && code <= CUDA_MPS_LAST)
        (void)on_code(g, CAUSE_CUDA_MPS_UNREACHABLE, NULL);
}

static void rule_fabric(struct judge *g)
{
    if (answer_cuda_code(g->f) == CUDA_NOT_READY)
        (void)on_code(g, CAUSE_FABRIC_MANAGER_NOT_RUNNING, "nvidia-fabricmanager");
}

static bool is_exclusive(const struct fact_nvml_device *d)
{
    return d->compute_mode_known && (d->compute_mode == FACT_COMPUTE_MODE_EXCLUSIVE_PROCESS || d->compute_mode == FACT_COMPUTE_MODE_EXCLUSIVE_THREAD);
}

/* Those that a rule of layers 1, 5 or 7 names. */
static bool has_own_cause(const struct judge *g, int32_t code)
{
    const struct facts *f = g->f;
    static const int32_t own[] = {CUDA_STUB, CUDA_NO_DEVICE, CUDA_NOT_LICENSED, CUDA_OPERATING_SYSTEM, CUDA_NOT_READY,
                                  CUDA_MISMATCH, CUDA_NO_COMPAT, CUDA_UNKNOWN};
    for (size_t i = 0; i < TG_COUNT(own); i++)
        if (code == own[i])
            return true;
    for (size_t i = 0; (code == CUDA_INSUFFICIENT_DRIVER || code == CUDA_NEWER_DRIVER) && i < g->n_found; i++)
        if (g->found[i]->cause->id == causes[CAUSE_DRIVER_TOO_OLD].id)
            return true;
    for (size_t i = 0; code == CUDA_UNAVAILABLE && i < f->n_nvml_devices; i++)
        if (is_exclusive(&f->nvml_devices[i]))
            return true;
    return (code >= CUDA_MPS_FIRST && code <= CUDA_MPS_LAST) || (code == CUDA_INVALID_DEVICE && f->cuda_visible_devices);
}

static void rule_init_failed(struct judge *g)
{
    int32_t code = answer_cuda_code(g->f);
    if (code && !has_own_cause(g, code))
        (void)on_code(g, CAUSE_CUINIT_FAILED, NULL);
}

/* A symptom: only where nothing before it, and no variable, explains it. */
static void rule_not_visible(struct judge *g)
{
    if (!answer_no_device(g->f))
        return;
    for (size_t i = 0; i < g->n_found; i++)
        if (g->found[i]->severity == SEV_BROKEN && (g->found[i]->layer == 1 || g->found[i]->cause->id == causes[CAUSE_CUDA_VISIBLE_DEVICES_MASK].id))
            return;
    struct finding *x;
    if (answer_cuda_code(g->f)) {
        x = on_code(g, CAUSE_GPU_NOT_VISIBLE_TO_PROCESS, NULL);
    } else {
        x = judge_find(g, CAUSE_GPU_NOT_VISIBLE_TO_PROCESS, "cuDeviceGetCount");
        judge_evidence(g, x, "cuda.count", g->f->cuda.ask.path, "%s", _("cuDeviceGetCount: 0 devices"));
    }
    if (g->f->nvml.has_count && g->f->nvml.count)
        judge_evidence(g, x, "nvml.count", g->f->nvml.ask.path, _("NVML shows %u"), g->f->nvml.count);
}

/* -- modes ------------------------------------------------------------------------------------------------------------- */

static const char *device_name(const struct fact_cuda_device *d)
{
    return d->name ? d->name : _("NVIDIA GPU");
}

static const char *device_label(struct judge *g, const struct fact_cuda_device *d)
{
    return arena_printf(g->a, "GPU %u", d->ordinal);
}

static void bind_device(struct judge *g, struct finding *x, const struct fact_cuda_device *d)
{
    judge_bind(g, x, "gpu", "%s", device_name(d));
    judge_bind(g, x, "ordinal", "%u", d->ordinal);
    judge_bind(g, x, "cc", "%u.%u", d->cc / 10, d->cc % 10);
}

static size_t count_mode(const struct facts *f, enum fact_compute_mode mode)
{
    size_t n = 0;
    for (size_t i = 0; i < f->n_cuda_devices; i++)
        n += f->cuda_devices[i].compute_mode_known && f->cuda_devices[i].compute_mode == mode;
    return n;
}

/* GPUs are listed, whatever the mode; the first context on a prohibited one fails. */
static void rule_prohibited(struct judge *g)
{
    const struct facts *f = g->f;
    size_t hits = count_mode(f, FACT_COMPUTE_MODE_PROHIBITED);
    for (size_t i = 0; i < f->n_cuda_devices; i++) {
        const struct fact_cuda_device *d = &f->cuda_devices[i];
        if (!d->compute_mode_known || d->compute_mode != FACT_COMPUTE_MODE_PROHIBITED)
            continue;
        struct finding *x = judge_find(g, CAUSE_GPU_COMPUTE_PROHIBITED, device_label(g, d));
        bind_device(g, x, d);
        judge_bind(g, x, "index", "%s", d->pci ? d->pci : arena_printf(g->a, "%u", d->ordinal));
        judge_evidence(g, x, "cuda_devices.compute_mode", NULL, "%s: %s", device_name(d), fact_compute_mode_id(d->compute_mode));
        if (hits < f->n_cuda_devices)
            x->severity = SEV_DEGRADED;
    }
}

/* The process that holds the memory of this device, by NVML; NULL: none is known. */
static const struct fact_nvml_process *holder(const struct facts *f, const struct fact_nvml_device *d)
{
    for (size_t i = 0; i < f->n_nvml_processes; i++)
        if (f->nvml_processes[i].device == d->index && !f->nvml_processes[i].graphics)
            return &f->nvml_processes[i];
    return NULL;
}

static void rule_exclusive(struct judge *g)
{
    const struct facts *f = g->f;
    bool refused = answer_cuda_code(f) == CUDA_UNAVAILABLE;
    for (size_t i = 0; i < f->n_nvml_devices; i++) {
        const struct fact_nvml_device *d = &f->nvml_devices[i];
        const struct fact_nvml_process *p = holder(f, d);
        if (!is_exclusive(d) || (!p && !refused))
            continue;
        struct finding *x = judge_find(g, CAUSE_GPU_EXCLUSIVE_MODE_BUSY, arena_printf(g->a, "GPU %u", d->index));
        judge_bind(g, x, "gpu", "%s", d->name ? d->name : _("NVIDIA GPU"));
        judge_bind(g, x, "index", "%u", d->index);
        judge_bind(g, x, "who", "%s", p ? arena_printf(g->a, _("process %u (%s)"), p->pid, p->name ? p->name : "?") : _("another process"));
        judge_evidence(g, x, "nvml_devices.compute_mode", NULL, "%s: %s", d->name ? d->name : "GPU", fact_compute_mode_id(d->compute_mode));
        if (p)
            judge_evidence(g, x, "nvml_processes.pid", NULL, "%u %s", p->pid, p->name ? p->name : "");
        if (!refused)
            x->prevents = PREVENTS_NOTHING;
        if (!refused && f->n_nvml_devices > 1)
            x->severity = SEV_DEGRADED;
    }
}

/* -- devices ----------------------------------------------------------------------------------------------------------- */

static void rule_query(struct judge *g)
{
    const struct facts *f = g->f;
    const struct fact_cuda_device *fatal = answer_fatal_device(f);
    for (size_t i = 0; i < f->n_cuda_devices; i++) {
        const struct fact_cuda_device *d = &f->cuda_devices[i];
        if (!d->failed_call)
            continue;
        struct finding *x = judge_find(g, CAUSE_GPU_QUERY_FAILED, device_label(g, d));
        bind_device(g, x, d);
        judge_bind(g, x, "call", "%s", d->failed_call);
        judge_bind(g, x, "error", "%s", answer_code_text(g->a, d->failed_call, d->failed_code, false));
        judge_evidence(g, x, "cuda_devices.failed_call", f->cuda.ask.path, "%s", answer_code_text(g->a, d->failed_call, d->failed_code, false));
        if (!fatal) {
            x->severity = SEV_DEGRADED;
            x->prevents = PREVENTS_NOTHING;
        }
    }
}

static void each_unlisted(struct judge *g, enum cause_id id, enum listed why)
{
    const struct facts *f = g->f;
    size_t listed = 0;
    for (size_t i = 0; i < f->n_cuda_devices; i++)
        listed += answer_listed(f, &f->cuda_devices[i]) == LISTED;
    for (size_t i = 0; i < f->n_cuda_devices; i++) {
        const struct fact_cuda_device *d = &f->cuda_devices[i];
        if (answer_listed(f, d) != why)
            continue;
        struct finding *x = judge_find(g, id, device_label(g, d));
        uint32_t min = answer_min_multiprocessors(f);
        bind_device(g, x, d);
        judge_bind(g, x, "count", "%u", d->multiprocessors);
        judge_bind(g, x, "min", "%u", min);
        judge_bind(g, x, "min_cc", "%u.%u", tf_list_min_cc() / 10, tf_list_min_cc() % 10);
        judge_evidence(g, x, why == LISTED_NOT_OLD ? "cuda_devices.cc" : "cuda_devices.multiprocessors", NULL,
                       _("%s: compute capability %u.%u, multiprocessors: %u"), device_name(d), d->cc / 10, d->cc % 10, d->multiprocessors);
        if (f->gpu_env.tf_min_multiprocessors && why == LISTED_NOT_SMALL)
            judge_evidence(g, x, "gpu_env.tf_min_multiprocessors", NULL, "TF_MIN_GPU_MULTIPROCESSOR_COUNT=%s", f->gpu_env.tf_min_multiprocessors);
        if (listed) {
            x->severity = SEV_DEGRADED;
            x->prevents = PREVENTS_NOTHING;
        }
    }
}

static void rule_below_minimum(struct judge *g)
{
    each_unlisted(g, CAUSE_GPU_BELOW_TENSORFLOW_MINIMUM, LISTED_NOT_OLD);
}

static void rule_small(struct judge *g)
{
    each_unlisted(g, CAUSE_SMALL_GPU_HIDDEN, LISTED_NOT_SMALL);
}

/* -- the two libraries disagree ---------------------------------------------------------------------------------------- */

/* A mismatch of versions and a lost GPU have their own causes in layer 1. */
static void rule_nvml(struct judge *g)
{
    const struct fact_nvml_api *k = &g->f->nvml;
    int32_t code = k->has_init_code && k->init_code ? k->init_code : k->has_count_code ? k->count_code : 0;
    if (k->ask.answer != FACT_DRIVER_ANSWER_ANSWERED || !code || code == NVML_MISMATCH || code == NVML_LOST)
        return;
    if (!answer_serves(g->f) && !answer_needs_nvml(g->f))
        return; /* neither works: CUDA's own code says more */
    struct finding *x = judge_find(g, CAUSE_NVML_NOT_ANSWERING, "libnvidia-ml.so.1");
    const char *call = k->init_code ? "nvmlInit_v2" : "nvmlDeviceGetCount_v2", *text = answer_code_text(g->a, call, code, true);
    judge_bind(g, x, "error", "%s", text);
    judge_evidence(g, x, k->init_code ? "nvml.init_code" : "nvml.count_code", k->ask.path, "%s", text);
    if (answer_serves(g->f))
        judge_evidence(g, x, "cuda.count", g->f->cuda.ask.path, _("CUDA shows %u"), g->f->cuda.count);
    if (k->init_code && answer_needs_nvml(g->f)) {
        x->severity = SEV_BROKEN;
        x->prevents = PREVENTS_GPUS;
    }
}

/* -- summary ----------------------------------------------------------------------------------------------------------- */

static const char *gib(struct judge *g, uint64_t bytes)
{
    uint64_t tenths = (bytes * 10 + (UINT64_C(1) << 29)) >> 30;
    return arena_printf(g->a, "%llu.%llu GiB", (unsigned long long)tenths / 10, (unsigned long long)tenths % 10);
}

static void rule_summary(struct judge *g)
{
    const struct facts *f = g->f;
    if (f->cuda.ask.answer == FACT_DRIVER_ANSWER_NOT_ASKED) {
        judge_unknown(g, 5, _("the driver was not asked: %s"), f->cuda.ask.why_not ? f->cuda.ask.why_not : _("it has not answered yet"));
        return;
    }
    if (!f->n_cuda_devices)
        return;
    const struct fact_cuda_device *d = &f->cuda_devices[0];
    const char *text = device_name(d);
    if (d->has_cc)
        text = arena_printf(g->a, _("%s, compute capability %u.%u"), text, d->cc / 10, d->cc % 10);
    if (d->has_memory)
        text = arena_printf(g->a, "%s, %s", text, gib(g, d->memory));
    if (f->n_cuda_devices > 1)
        text = arena_printf(g->a, _("%s, and %zu more"), text, f->n_cuda_devices - 1);
    judge_summary(g, 5, "%s", text);
}

/* In causal order. */
const struct rule rules_devices[] = {
    {CAUSE_DRIVER_LIBRARY_UNLOADABLE, rule_unloadable},
    {CAUSE_DRIVER_CALL_HANGS, rule_hangs},
    {CAUSE_DRIVER_CALL_CRASHES, rule_crashes},
    {CAUSE_CUDA_VISIBLE_DEVICES_MASK, rule_visible_mask},
    {CAUSE_GPU_LICENCE_MISSING, rule_licence},
    {CAUSE_CUDA_MPS_UNREACHABLE, rule_mps},
    {CAUSE_FABRIC_MANAGER_NOT_RUNNING, rule_fabric},
    {CAUSE_GPU_EXCLUSIVE_MODE_BUSY, rule_exclusive},
    {CAUSE_GPU_COMPUTE_PROHIBITED, rule_prohibited},
    {CAUSE_CUINIT_FAILED, rule_init_failed},
    {CAUSE_GPU_NOT_VISIBLE_TO_PROCESS, rule_not_visible},
    {CAUSE_GPU_QUERY_FAILED, rule_query},
    {CAUSE_GPU_BELOW_TENSORFLOW_MINIMUM, rule_below_minimum},
    {CAUSE_SMALL_GPU_HIDDEN, rule_small},
    {CAUSE_NVML_NOT_ANSWERING, rule_nvml},
    {CAUSE_PTX_JIT_DISABLED, rule_jit_disabled},
    {CAUSE_JIT_CACHE_UNUSABLE, rule_jit_cache},
    {CAUSE_COUNT, rule_summary},
};
const size_t n_rules_devices = TG_COUNT(rules_devices);
