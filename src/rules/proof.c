/* SPDX-License-Identifier: Apache-2.0 */
/* proof - rules of layer 6: what TensorFlow's own computation showed. Pure. */
#include "rules/proof.h"
#include <string.h>
#include "base/i18n.h"
#include "rules/judge_priv.h"

enum { BRIEF_MAX = 240, SLOW_PERCENT = 80, RATED_PERMILLE = 300, CC_TF32 = 80 };
#define CPU "CPU:0"
#define LARGE_FLOPS 100e9 /* below, a matrix product is too small to fill a GPU */

const char *proof_rate(struct arena *a, uint64_t mflops)
{
    double x = (double)mflops / 1e3;
    const char *unit = "GFLOP/s";
    if (x >= 1000) {
        x /= 1e3;
        unit = "TFLOP/s";
    }
    return arena_printf(a, x >= 100 ? "%.0f %s" : x >= 10 ? "%.1f %s" : "%.2f %s", x, unit);
}

const char *proof_step(struct arena *a, const char *device, const char *op, const char *dtype)
{
    return arena_printf(a, "%s %s %s", device ? device : "?", op ? op : "?", dtype ? dtype : "?");
}

static bool ran(const struct fact_proof *p)
{
    return p->end != FACT_PROOF_END_NOT_ASKED && p->end != FACT_PROOF_END_NOT_STARTED;
}

static bool is_gpu(const char *device)
{
    return str_starts(device, "GPU:");
}

bool proof_device_right(const struct fact_proof *p, const char *device)
{
    size_t right = 0;
    for (size_t i = 0; i < p->n_checks; i++) {
        const struct fact_proof_check *c = &p->checks[i];
        if (!str_eq(c->device, device))
            continue;
        if (c->state != FACT_PROOF_STEP_STATE_DONE || c->within != TRI_YES || c->on_device == TRI_NO)
            return false;
        right++;
    }
    return right > 0;
}

/* A finding of layers 1 to 5 that takes at least so much from TensorFlow: then what shows here is its effect. */
static const struct finding *explained(const struct judge *g, enum prevents least)
{
    for (size_t i = 0; i < g->n_found; i++)
        if (g->found[i]->layer < 6 && g->found[i]->severity == SEV_BROKEN && g->found[i]->prevents >= least)
            return g->found[i];
    return NULL;
}

/* A finding of layers 1 to 5 after which the process dies. */
static bool is_death_explained(const struct judge *g)
{
    for (size_t i = 0; i < g->n_found; i++)
        if (g->found[i]->layer < 6 && g->found[i]->severity == SEV_BROKEN && g->found[i]->dies)
            return true;
    return false;
}

/* The first line of a text that says something, not too long. */
static const char *brief(struct arena *a, const char *text)
{
    if (!text)
        return _("no text");
    text += strspn(text, " \t\r\n");
    size_t n = strcspn(text, "\r\n"), cut = n;
    if (n > BRIEF_MAX)
        for (cut = BRIEF_MAX; cut > 0 && ((unsigned char)text[cut] & 0xc0) == 0x80;)
            cut--;
    return n == 0 ? _("no text") : arena_printf(a, "%.*s%s", (int)cut, text, cut < n ? " …" : "");
}

static const char *error_of(struct arena *a, const char *type, const char *text)
{
    return arena_printf(a, "%s: %s", type ? type : _("an exception"), brief(a, text));
}

static bool has_any(const char *text, const char *const *words, size_t n)
{
    for (size_t i = 0; text && i < n; i++)
        if (strstr(text, words[i]))
            return true;
    return false;
}

static bool is_out_of_memory(const char *type, const char *text)
{
    static const char *const words[] = {"OUT_OF_MEMORY", "OOM when allocating", "out of memory", "ran out of memory"};
    return str_eq(type, "ResourceExhaustedError") || has_any(text, words, TG_COUNT(words));
}

static void bind_python(struct judge *g, struct finding *x)
{
    judge_bind(g, x, "python", "%s", g->f->python.exe ? g->f->python.exe : "python");
}

/* The device's name, or "CPU". */
static const char *name_of(const struct facts *f, const char *device)
{
    for (size_t i = 0; i < f->proof.n_devices; i++)
        if (str_eq(f->proof.devices[i].device, device) && f->proof.devices[i].name)
            return f->proof.devices[i].name;
    return device;
}

/* ---- the rules -------------------------------------------------------------------------------------------------------- */

static void rule_import(struct judge *g)
{
    const struct fact_proof *p = &g->f->proof;
    if (!str_eq(p->error_stage, "import") || explained(g, PREVENTS_IMPORT))
        return;
    struct finding *x = judge_find(g, CAUSE_TF_IMPORT_FAILED, "tensorflow");
    judge_bind(g, x, "error", "%s", p->error_type ? p->error_type : _("an exception"));
    judge_bind(g, x, "text", "%s", brief(g->a, p->error_text));
    judge_bind(g, x, "version", "%s", g->f->tensorflow.version ? g->f->tensorflow.version : "");
    judge_evidence(g, x, "proof.error_text", NULL, "%s", error_of(g->a, p->error_type, p->error_text));
    bind_python(g, x);
    if (g->f->tensorflow.version && str_eq(g->f->tensorflow.dist, "tensorflow"))
        x->tags |= FIX_A;
}

static void fail(struct judge *g, const char *subject, const char *type, const char *text, bool computes)
{
    static const char *const dnn[] = {"CUDNN_STATUS", "DNN library", "cuDNN"};
    static const char *const arch[] = {"no kernel image", "NO_BINARY_FOR_GPU", "INVALID_PTX", "INVALID_HANDLE", "kernel image is invalid"};
    bool oom = is_out_of_memory(type, text);
    struct finding *x = judge_find(g, oom ? CAUSE_GPU_OOM : CAUSE_COMPUTE_FAILED, subject);
    judge_bind(g, x, "error", "%s", type ? type : _("an exception"));
    judge_bind(g, x, "text", "%s", brief(g->a, text));
    judge_evidence(g, x, "proof.checks.error_text", NULL, "%s", error_of(g->a, type, text));
    bind_python(g, x);
    if (has_any(text, dnn, TG_COUNT(dnn)))
        x->tags |= FIX_A;
    if (has_any(text, arch, TG_COUNT(arch)))
        x->tags |= FIX_B;
    if (computes)
        x->severity = SEV_DEGRADED;
}

/* One finding a device: further operations mostly fail for the same reason. */
static void failures(struct judge *g, bool oom)
{
    const struct fact_proof *p = &g->f->proof;
    const char *last = NULL;
    if (p->error_stage && !str_eq(p->error_stage, "import") && is_out_of_memory(p->error_type, p->error_text) == oom)
        fail(g, p->error_stage, p->error_type, p->error_text, false);
    for (size_t i = 0; i < p->n_checks; i++) {
        const struct fact_proof_check *c = &p->checks[i];
        if (c->state != FACT_PROOF_STEP_STATE_FAILED || is_out_of_memory(c->error_type, c->error_text) != oom || str_eq(c->device, last))
            continue;
        last = c->device;
        fail(g, proof_step(g->a, c->device, c->op, c->dtype), c->error_type, c->error_text, false);
    }
    for (size_t i = 0; i < p->n_times; i++) {
        const struct fact_proof_time *t = &p->times[i];
        if (t->state != FACT_PROOF_STEP_STATE_FAILED || is_out_of_memory(t->error_type, t->error_text) != oom || str_eq(t->device, last))
            continue;
        last = t->device;
        fail(g, proof_step(g->a, t->device, t->op, t->dtype), t->error_type, t->error_text, true);
    }
}

static void rule_failed(struct judge *g)
{
    failures(g, false);
}

static void rule_oom(struct judge *g)
{
    failures(g, true);
}

static void rule_wrong(struct judge *g)
{
    const struct fact_proof *p = &g->f->proof;
    const char *last = NULL;
    for (size_t i = 0; i < p->n_checks; i++) {
        const struct fact_proof_check *c = &p->checks[i];
        if (c->within != TRI_NO || str_eq(c->device, last))
            continue;
        last = c->device;
        const char *step = proof_step(g->a, c->device, c->op, c->dtype);
        struct finding *x = judge_find(g, CAUSE_COMPUTE_WRONG_RESULT, step);
        judge_bind(g, x, "error", "%s", c->max_error ? c->max_error : "?");
        judge_bind(g, x, "tolerance", "%s", c->tolerance ? c->tolerance : "?");
        judge_evidence(g, x, "proof.checks.max_error", NULL, _("%s of %s: largest difference %s, at most %s can come from rounding"), step,
                       c->size ? c->size : "?", c->max_error ? c->max_error : "?", c->tolerance ? c->tolerance : "?");
        x->tags |= is_gpu(c->device) ? FIX_A : FIX_B;
    }
}

static bool machine_has_gpu(const struct facts *f)
{
    return f->n_gpus > 0 || f->n_cuda_devices > 0 || f->n_nvml_devices > 0 || f->machine.kind == FACT_MACHINE_KIND_WSL2;
}

static void rule_fallback(struct judge *g)
{
    const struct fact_proof *p = &g->f->proof;
    for (size_t i = 0; i < p->n_checks; i++) {
        const struct fact_proof_check *c = &p->checks[i];
        if (!is_gpu(c->device) || c->on_device != TRI_NO)
            continue;
        struct finding *x = judge_find(g, CAUSE_SILENT_CPU_FALLBACK, c->device);
        judge_bind(g, x, "what", _("the result of %s lies on %s"), proof_step(g->a, c->device, c->op, c->dtype), path_base(c->placed));
        judge_bind(g, x, "effect", "%s", _("They lie elsewhere than where they were told to be computed."));
        judge_evidence(g, x, "proof.checks.placed", NULL, "%s", c->placed);
        bind_python(g, x);
        x->tags |= FIX_B;
        return;
    }
    if (p->end != FACT_PROOF_END_DONE || p->error_stage || !p->has_gpus || p->gpus || !machine_has_gpu(g->f) || explained(g, PREVENTS_GPUS))
        return;
    struct finding *x = judge_find(g, CAUSE_SILENT_CPU_FALLBACK, "tensorflow");
    judge_bind(g, x, "what", "%s", _("it lists no GPU"));
    judge_bind(g, x, "effect", "%s", _("It lists no GPU, although this machine has one."));
    judge_evidence(g, x, "proof.gpus", NULL, "%s", _("tf.config.list_physical_devices('GPU') is empty"));
    if (p->output)
        judge_evidence(g, x, "proof.output", NULL, "%s", brief(g->a, p->output));
    bind_python(g, x);
    x->tags |= FIX_A;
    x->prevents = PREVENTS_GPUS;
}

static const char *where(const struct fact_proof *p)
{
    return p->stage_text ? p->stage_text : p->import_state == FACT_PROOF_STEP_STATE_UNFINISHED ? _("start of Python") : _("end of the process");
}

/* The last line that the process printed. */
static const char *last_line(struct arena *a, const struct fact_proof *p)
{
    const char *nl = p->output ? strrchr(p->output, '\n') : NULL;
    return p->output ? brief(a, nl ? nl + 1 : p->output) : NULL;
}

static void rule_crashed(struct judge *g)
{
    const struct fact_proof *p = &g->f->proof;
    bool early = p->end == FACT_PROOF_END_EXITED, died = p->end == FACT_PROOF_END_SIGNALED && !str_eq(p->signal, "SIGKILL");
    bool in_import = !p->stage || str_eq(p->stage, "import");
    if ((!early && !died) || explained(g, PREVENTS_IMPORT) || is_death_explained(g))
        return;
    const char *last = last_line(g->a, p);
    struct finding *x = judge_find(g, CAUSE_COMPUTE_CRASHED, where(p));
    judge_bind(g, x, "how", died ? "%s" : _("exit status %s"), died ? p->signal : arena_printf(g->a, "%d", p->exit_code));
    judge_bind(g, x, "last", last ? _("The last line that it printed: %s") : "%s", last ? last : "");
    judge_evidence(g, x, died ? "proof.signal" : "proof.exit_code", NULL, "%s", died ? p->signal : arena_printf(g->a, "%d", p->exit_code));
    if (last)
        judge_evidence(g, x, "proof.output", NULL, "%s", last);
    bind_python(g, x);
    if (p->has_gpus && p->gpus)
        x->tags |= FIX_A;
    if (in_import) {
        x->prevents = PREVENTS_IMPORT;
        x->dies = died ? arena_strdup(g->a, p->signal) : NULL;
    }
}

static void rule_killed(struct judge *g)
{
    const struct fact_proof *p = &g->f->proof;
    if (p->end != FACT_PROOF_END_SIGNALED || !str_eq(p->signal, "SIGKILL"))
        return;
    struct finding *x = judge_find(g, CAUSE_COMPUTE_KILLED, where(p));
    judge_bind(g, x, "memory", _("%u MiB"), (unsigned)(p->peak_rss_bytes >> 20));
    judge_evidence(g, x, "proof.peak_rss_bytes", NULL, _("%u MiB at most"), (unsigned)(p->peak_rss_bytes >> 20));
    x->unproved = _("who killed it; a batch system or a person could have, too");
}

/* All GPUs gave right results before: then only the timing took too long. */
static bool gpus_proved(const struct fact_proof *p)
{
    for (size_t i = 0; i < p->n_devices; i++)
        if (!proof_device_right(p, p->devices[i].device))
            return false;
    return p->n_devices > 0;
}

static void rule_hung(struct judge *g)
{
    const struct fact_proof *p = &g->f->proof;
    if (p->end != FACT_PROOF_END_TIMED_OUT && p->end != FACT_PROOF_END_UNDEAD)
        return;
    struct finding *x = judge_find(g, CAUSE_COMPUTE_HUNG, where(p));
    bool in_import = !p->stage || str_eq(p->stage, "import");
    judge_bind(g, x, "seconds", "%u", p->deadline_ms / 1000);
    judge_bind(g, x, "effect", "%s", in_import ? _("Reading the packages took all the time, or a module waits for something.")
                                               : _("A library or the driver hangs, or a GPU that is newer than the build compiles its code."));
    judge_evidence(g, x, "proof.stage_text", NULL, "%s", where(p));
    if (p->end == FACT_PROOF_END_UNDEAD)
        judge_evidence(g, x, "proof.end", NULL, "%s", _("it did not die when it was killed: it waits inside the kernel, most often in the driver"));
    x->tags |= in_import ? FIX_B : FIX_A;
    if (gpus_proved(p))
        x->severity = SEV_DEGRADED;
}

static void rule_slows(struct judge *g)
{
    const struct fact_proof *p = &g->f->proof;
    for (size_t i = 0; i < p->n_times; i++) {
        const struct fact_proof_time *t = &p->times[i];
        if (!t->sustained || !t->has_first_ns || !t->has_run_ns || !t->has_runs || !is_gpu(t->device) || !t->run_ns)
            continue;
        double percent = (double)t->first_ns * 100 / (double)t->run_ns, seconds = ((double)t->first_ns + (double)t->run_ns) / 2 * t->runs / 1e9;
        if (percent >= SLOW_PERCENT)
            continue;
        struct finding *x = judge_find(g, CAUSE_COMPUTE_SLOWS_DOWN, t->device);
        judge_bind(g, x, "gpu", "%s", name_of(g->f, t->device));
        judge_bind(g, x, "percent", "%.0f", percent);
        judge_bind(g, x, "seconds", "%.0f", seconds < 1 ? 1 : seconds);
        judge_evidence(g, x, "proof.times", NULL, _("%s: %.1f ms a run at first, %.1f ms at the end"), proof_step(g->a, t->device, t->op, t->dtype),
                       (double)t->first_ns / 1e6, (double)t->run_ns / 1e6);
    }
}

static const struct fact_proof_time *best_share(const struct fact_proof *p, const char *device)
{
    const struct fact_proof_time *best = NULL;
    for (size_t i = 0; i < p->n_times; i++) {
        const struct fact_proof_time *t = &p->times[i];
        bool large = t->has_run_ns && (double)t->mflops * (double)t->run_ns / 1e3 >= LARGE_FLOPS;
        if (str_eq(t->device, device) && !t->sustained && str_eq(t->op, "matmul") && t->has_peak_permille && large &&
            (!best || t->peak_permille > best->peak_permille))
            best = t;
    }
    return best;
}

static void rule_slower(struct judge *g)
{
    const struct fact_proof *p = &g->f->proof;
    for (size_t i = 0; i < p->n_devices; i++) {
        const struct fact_proof_device *d = &p->devices[i];
        const struct fact_proof_time *t = best_share(p, d->device);
        if (!t || t->peak_permille >= RATED_PERMILLE)
            continue;
        struct finding *x = judge_find(g, CAUSE_COMPUTE_SLOWER_THAN_RATED, d->device);
        judge_bind(g, x, "gpu", "%s", name_of(g->f, d->device));
        judge_bind(g, x, "percent", "%u", t->peak_permille / 10);
        judge_bind(g, x, "kind", "%s", t->peak_kind);
        judge_bind(g, x, "rate", "%s", proof_rate(g->a, t->mflops));
        judge_bind(g, x, "peak", "%s", proof_rate(g->a, t->peak_mflops));
        judge_evidence(g, x, "proof.times.mflops", NULL, _("%s of %s: %s; the data sheet says %s"), proof_step(g->a, t->device, t->op, t->dtype),
                       t->size ? t->size : "?", proof_rate(g->a, t->mflops), proof_rate(g->a, t->peak_mflops));
        if (d->has_cc && d->cc >= CC_TF32 && p->tf32 == TRI_NO)
            x->tags |= FIX_A;
    }
}

const struct rule rules_proof[] = {
    {CAUSE_TF_IMPORT_FAILED, rule_import},
    {CAUSE_COMPUTE_CRASHED, rule_crashed},
    {CAUSE_COMPUTE_KILLED, rule_killed},
    {CAUSE_COMPUTE_HUNG, rule_hung},
    {CAUSE_GPU_OOM, rule_oom},
    {CAUSE_COMPUTE_FAILED, rule_failed},
    {CAUSE_SILENT_CPU_FALLBACK, rule_fallback},
    {CAUSE_COMPUTE_WRONG_RESULT, rule_wrong},
    {CAUSE_COMPUTE_SLOWS_DOWN, rule_slows},
    {CAUSE_COMPUTE_SLOWER_THAN_RATED, rule_slower},
};
const size_t n_rules_proof = TG_COUNT(rules_proof);

/* ---- the layer -------------------------------------------------------------------------------------------------------- */

const char *proof_verdict_id(enum proof_verdict v)
{
    static const char *const ids[] = {"not-asked", "real-gpu", "no-gpu", "cpu-fallback", "wrong-result", "slows-down", "slow", "failed", "undetermined"};
    return ids[v];
}

static enum proof_verdict verdict_of_cause(const struct cause *c)
{
    if (c == &causes[CAUSE_SILENT_CPU_FALLBACK])
        return PROOF_CPU_FALLBACK;
    if (c == &causes[CAUSE_COMPUTE_WRONG_RESULT])
        return PROOF_WRONG_RESULT;
    if (c == &causes[CAUSE_COMPUTE_SLOWS_DOWN])
        return PROOF_SLOWS_DOWN;
    return c == &causes[CAUSE_COMPUTE_SLOWER_THAN_RATED] ? PROOF_SLOW : PROOF_FAILED;
}

static const struct finding *worst(const struct judgement *j)
{
    for (size_t i = 0; i < j->n_findings; i++)
        if (j->findings[i].layer == 6 && j->findings[i].severity != SEV_NOTE)
            return &j->findings[i];
    return NULL;
}

static const struct fact_proof_time *best_of(const struct fact_proof *p, const char *device, const char *dtype)
{
    for (size_t i = 0; i < p->n_times; i++) {
        const struct fact_proof_time *t = &p->times[i];
        if (str_eq(t->device, device) && str_eq(t->op, "matmul") && str_eq(t->dtype, dtype) && !t->sustained && t->has_mflops)
            return t;
    }
    return NULL;
}

/* "GPU:0 NVIDIA L4 computes rightly: float32 31.2 TFLOP/s (52 % of its tf32 peak, 240 times this CPU)" */
static const char *gpu_summary(struct arena *a, const struct facts *f)
{
    const struct fact_proof *p = &f->proof;
    const struct fact_proof_device *d = &p->devices[0];
    const struct fact_proof_time *t = best_of(p, d->device, "float32");
    const char *text = p->n_devices > 1 ? arena_printf(a, _("%zu GPUs compute rightly"), p->n_devices)
                                        : arena_printf(a, _("%s (%s) computes rightly"), d->device, name_of(f, d->device));
    if (!t)
        return text;
    text = arena_printf(a, _("%s: float32 %s"), text, proof_rate(a, t->mflops));
    if (t->has_peak_permille)
        text = arena_printf(a, _("%s, %u %% of its %s peak"), text, t->peak_permille / 10, t->peak_kind);
    if (t->has_speedup_tenths)
        text = arena_printf(a, _("%s, %u times this CPU"), text, (t->speedup_tenths + 5) / 10);
    return text;
}

static const char *no_gpu_summary(struct arena *a, const struct fact_proof *p)
{
    const struct fact_proof_time *t = best_of(p, CPU, "float32");
    if (!proof_device_right(p, CPU))
        return _("no GPU was used: TensorFlow lists none");
    return t ? arena_printf(a, _("no GPU was used: TensorFlow lists none; the CPU computes rightly, float32 %s"), proof_rate(a, t->mflops))
             : _("no GPU was used: TensorFlow lists none; the CPU computes rightly");
}

static void settle(struct layer *l, enum layer_status status, const char *summary, enum proof_verdict v, struct judgement *j)
{
    l->status = status;
    l->summary = summary;
    if (status == LAYER_UNDETERMINED)
        l->unknown = summary;
    j->proof = v;
}

void judge_settle_proof(struct judge *g)
{
    struct judgement *j = g->j;
    const struct fact_proof *p = &g->f->proof;
    struct layer *l = &j->layers[5];
    const struct finding *x = worst(j), *earlier = explained(g, PREVENTS_GPUS);
    if (p->end == FACT_PROOF_END_NOT_ASKED)
        settle(l, LAYER_NOT_REACHED, _("'tfgpu check --prove' lets TensorFlow compute"), PROOF_NOT_ASKED, j);
    else if (x)
        settle(l, x->severity == SEV_BROKEN ? LAYER_BROKEN : LAYER_DEGRADED, finding_text(g->a, x, _(x->cause->title)), verdict_of_cause(x->cause), j);
    else if (!ran(p))
        settle(l, LAYER_UNDETERMINED, p->why_not, PROOF_UNKNOWN, j);
    else if (p->end == FACT_PROOF_END_FLOODED)
        settle(l, LAYER_UNDETERMINED, _("the process wrote far more into its answer than it should have, and was stopped"), PROOF_UNKNOWN, j);
    else if (p->malformed_lines)
        settle(l, LAYER_UNDETERMINED, arena_printf(g->a, _("%u lines of the process' answer make no sense"), p->malformed_lines), PROOF_UNKNOWN, j);
    else if (p->end != FACT_PROOF_END_DONE || p->error_stage)
        settle(l, LAYER_NOT_REACHED, arena_printf(g->a, _("TensorFlow did not get that far, because of layer %u"), earlier ? earlier->layer : 3u), PROOF_FAILED, j);
    else if (p->has_gpus && !p->gpus)
        settle(l, LAYER_NOT_REACHED, no_gpu_summary(g->a, p), PROOF_NO_GPU, j);
    else if (!gpus_proved(p))
        settle(l, LAYER_UNDETERMINED, _("not every GPU was proved in the time that there was"), PROOF_UNKNOWN, j);
    else
        settle(l, LAYER_OK, gpu_summary(g->a, g->f), PROOF_REAL_GPU, j);
    if (l->status == LAYER_OK && earlier)
        l->summary = arena_printf(g->a, _("%s; so what layer %u says does not keep TensorFlow from it"), l->summary, earlier->layer);
}
