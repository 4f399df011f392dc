/* SPDX-License-Identifier: Apache-2.0 */
/* prove_facts - the lines of a proof as facts: steps, results, times, and what follows from them by arithmetic alone. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "base/i18n.h"
#include "knowledge/gpu_peaks.h"
#include "probe/prove.h"

enum { MAX_STEPS = 1000, CC_TF32 = 80 }; /* compute capability 8.0 brought TensorFloat-32 */

static uint64_t whole(struct proofnum n, double factor)
{
    double x = n.v * factor + 0.5;
    return n.has && x < 1.8e19 ? (uint64_t)x : 0;
}

static uint32_t small(struct proofnum n)
{
    return n.has && n.v < UINT32_MAX ? (uint32_t)n.v : 0;
}

static const char *number(struct arena *a, struct proofnum n, const char *text)
{
    return n.has ? arena_printf(a, "%.3g", n.v) : text;
}

static const char *step_text(struct arena *a, const struct proofline *l)
{
    const char *t = l->stage;
    const char *const parts[] = {l->device, l->op, l->dtype};
    for (size_t i = 0; i < TG_COUNT(parts); i++)
        if (parts[i])
            t = arena_printf(a, "%s %s", t, parts[i]);
    return t;
}

static enum fact_proof_step_state state_of(enum proofline_event e)
{
    switch (e) {
    case PROOFLINE_BEGIN: return FACT_PROOF_STEP_STATE_UNFINISHED;
    case PROOFLINE_END: return FACT_PROOF_STEP_STATE_DONE;
    case PROOFLINE_ERROR: return FACT_PROOF_STEP_STATE_FAILED;
    case PROOFLINE_SKIP: return FACT_PROOF_STEP_STATE_SKIPPED;
    }
    return FACT_PROOF_STEP_STATE_UNFINISHED;
}

/* "/job:localhost/replica:0/task:0/device:GPU:0" is on GPU:0, not on GPU:01. */
static enum tri is_on(const char *placed, const char *device)
{
    size_t n = strlen(device);
    if (!placed)
        return TRI_UNKNOWN;
    size_t len = strlen(placed);
    return len >= n && strcmp(placed + len - n, device) == 0 && (len == n || placed[len - n - 1] == ':' || placed[len - n - 1] == '/') ? TRI_YES : TRI_NO;
}

/* The step that a line belongs to: the newest of the same kind that has not ended, else a new one. */
static struct fact_proof_check *check_of(struct arena *a, struct fact_proof *p, const struct proofline *l)
{
    struct fact_proof_check *c = p->n_checks ? &p->checks[p->n_checks - 1] : NULL;
    if (c && c->state == FACT_PROOF_STEP_STATE_UNFINISHED && str_eq(c->device, l->device) && str_eq(c->op, l->op) && str_eq(c->dtype, l->dtype))
        return c;
    return p->n_checks < MAX_STEPS ? ARENA_PUSH(a, p->checks, p->n_checks) : NULL;
}

static void take_check(struct arena *a, struct fact_proof *p, const struct proofline *l)
{
    struct fact_proof_check *c = l->device && l->op && l->dtype ? check_of(a, p, l) : NULL;
    if (!c)
        return;
    *c = (struct fact_proof_check){.device = l->device, .op = l->op, .dtype = l->dtype, .size = l->size, .state = state_of(l->event), .placed = l->placed,
                                   .on_device = is_on(l->placed, l->device), .max_error = number(a, l->max_error, l->max_error_text),
                                   .tolerance = number(a, l->tolerance, NULL), .cpu_error = number(a, l->cpu_error, l->cpu_error_text),
                                   .error_type = l->error_type, .error_text = l->error_text};
    if (l->max_error_text)
        c->within = TRI_NO;
    else if (l->max_error.has && l->tolerance.has)
        c->within = l->max_error.v <= l->tolerance.v ? TRI_YES : TRI_NO;
}

static struct fact_proof_time *time_of(struct arena *a, struct fact_proof *p, const struct proofline *l, bool sustained)
{
    struct fact_proof_time *t = p->n_times ? &p->times[p->n_times - 1] : NULL;
    if (t && t->state == FACT_PROOF_STEP_STATE_UNFINISHED && t->sustained == sustained && str_eq(t->device, l->device) && str_eq(t->op, l->op) &&
        str_eq(t->dtype, l->dtype))
        return t;
    return p->n_times < MAX_STEPS ? ARENA_PUSH(a, p->times, p->n_times) : NULL;
}

static void rate(struct proofnum flops, struct proofnum us, bool *ret_has, uint64_t *ret)
{
    *ret_has = flops.has && us.has && us.v > 0 && flops.v / us.v < 1e18;
    *ret = *ret_has ? (uint64_t)(flops.v / us.v + 0.5) : 0;
}

static void take_time(struct arena *a, struct fact_proof *p, const struct proofline *l, bool sustained)
{
    struct fact_proof_time *t = l->device && l->op && l->dtype ? time_of(a, p, l, sustained) : NULL;
    struct proofnum run = sustained ? l->last_us : l->sync_us;
    if (!t)
        return;
    *t = (struct fact_proof_time){.device = l->device, .op = l->op, .dtype = l->dtype, .size = l->size, .state = state_of(l->event), .sustained = sustained,
                                  .error_type = l->error_type, .error_text = l->error_text};
    t->has_runs = l->runs.has;
    t->runs = small(l->runs);
    t->has_first_ns = l->first_us.has;
    t->first_ns = whole(l->first_us, 1000);
    t->has_launch_ns = l->async_us.has;
    t->launch_ns = whole(l->async_us, 1000);
    t->has_run_ns = run.has;
    t->run_ns = whole(run, 1000);
    rate(l->flops, run, &t->has_mflops, &t->mflops);
    rate(l->flops, l->async_us, &t->has_launch_mflops, &t->launch_mflops);
}

static void take_device(struct arena *a, struct fact_proof *p, const struct proofline *l)
{
    if (l->event == PROOFLINE_BEGIN || !l->device || p->n_devices >= MAX_STEPS)
        return;
    struct fact_proof_device *d = ARENA_PUSH(a, p->devices, p->n_devices);
    *d = (struct fact_proof_device){.device = l->device, .name = l->name, .has_cc = l->cc.has, .cc = small(l->cc), .growth = l->growth,
                                    .growth_error = l->growth_error ? l->growth_error : l->error_text};
}

static void take_import(struct fact_proof *p, const struct proofline *l, uint32_t *begun_ms)
{
    p->import_state = state_of(l->event);
    if (l->event == PROOFLINE_BEGIN)
        *begun_ms = small(l->ms);
    else if (l->ms.has && l->ms.v >= *begun_ms) {
        p->has_import_ms = true;
        p->import_ms = small(l->ms) - *begun_ms;
    }
    p->version = l->version;
    p->file = l->file;
}

static void take_line(struct arena *a, struct fact_proof *p, const struct proofline *l, uint32_t *import_ms)
{
    if (strcmp(l->stage, "import") == 0)
        take_import(p, l, import_ms);
    else if (strcmp(l->stage, "device") == 0)
        take_device(a, p, l);
    else if (strcmp(l->stage, "compute") == 0)
        take_check(a, p, l);
    else if (strcmp(l->stage, "time") == 0 || strcmp(l->stage, "sustain") == 0)
        take_time(a, p, l, strcmp(l->stage, "sustain") == 0);
    else if (strcmp(l->stage, "devices") == 0 && l->event == PROOFLINE_END) {
        p->has_gpus = l->gpus.has;
        p->gpus = small(l->gpus);
        p->cuda_build = l->cuda_build;
        p->tf32 = l->tf32;
    }
    bool before_computing = strcmp(l->stage, "import") == 0 || strcmp(l->stage, "devices") == 0 || strcmp(l->stage, "context") == 0;
    if (l->event == PROOFLINE_ERROR && before_computing) {
        p->error_stage = l->stage;
        p->error_type = l->error_type;
        p->error_text = l->error_text;
    }
}

/* The step that had begun when the process ended. */
static void settle_stage(struct arena *a, struct fact_proof *p, const struct proofrecord *r)
{
    const struct proofline *last = r->n_lines ? &r->lines[r->n_lines - 1] : NULL;
    if (!last || last->event != PROOFLINE_BEGIN)
        return;
    p->stage = last->stage;
    p->stage_text = step_text(a, last);
}

static void settle_end(struct arena *a, struct fact_proof *p, const struct proofrecord *r)
{
    static const enum fact_proof_end ends[] = {FACT_PROOF_END_EXITED, FACT_PROOF_END_SIGNALED, FACT_PROOF_END_TIMED_OUT,
                                               FACT_PROOF_END_FLOODED, FACT_PROOF_END_UNDEAD, FACT_PROOF_END_NOT_STARTED};
    const struct proofline *last = r->n_lines ? &r->lines[r->n_lines - 1] : NULL;
    /* After a failure before all computing there is nothing more to do: that is an end too. */
    bool done = r->end == PROOFLINE_EXITED && r->code == 0 && last && (strcmp(last->stage, "end") == 0 || p->error_stage);
    p->end = done ? FACT_PROOF_END_DONE : ends[r->end];
    p->why_not = r->end == PROOFLINE_NOT_STARTED ? r->why : NULL;
    p->has_exit_code = r->end == PROOFLINE_EXITED;
    p->exit_code = r->code;
    if (r->end == PROOFLINE_SIGNALED) {
        const char *abbrev = sigabbrev_np(r->signal);
        p->signal = abbrev ? arena_printf(a, "SIG%s", abbrev) : arena_printf(a, _("signal %d"), r->signal);
    }
}

/* -- what follows --------------------------------------------------------------------------------------------------------- */

static uint64_t memory_of(const struct facts *f, const char *name)
{
    for (size_t i = 0; name && i < f->n_cuda_devices; i++)
        if (str_eq(f->cuda_devices[i].name, name) && f->cuda_devices[i].has_memory)
            return f->cuda_devices[i].memory;
    return 0;
}

static const struct fact_proof_device *device_named(const struct fact_proof *p, const char *device)
{
    for (size_t i = 0; i < p->n_devices; i++)
        if (str_eq(p->devices[i].device, device))
            return &p->devices[i];
    return NULL;
}

/* float32 runs as TensorFloat-32 where the GPU has it and TensorFlow may use it. */
static void add_peak(const struct facts *f, const struct fact_proof *p, struct fact_proof_time *t)
{
    const struct fact_proof_device *d = device_named(p, t->device);
    struct gpu_peaks k;
    if (!d || !t->has_mflops || !gpu_peaks_find(d->name, memory_of(f, d->name), &k))
        return;
    bool half = str_eq(t->dtype, "float16"), tf32 = !half && p->tf32 == TRI_YES && d->has_cc && d->cc >= CC_TF32;
    uint64_t peak = half ? k.fp16_gflops : tf32 ? k.tf32_gflops : k.fp32_gflops;
    if (!peak)
        return;
    t->peak_kind = half ? "fp16" : tf32 ? "tf32" : "fp32";
    t->has_peak_mflops = t->has_peak_permille = true;
    t->peak_mflops = peak * 1000;
    t->peak_permille = (uint32_t)(t->mflops / peak > UINT32_MAX ? UINT32_MAX : t->mflops / peak);
}

static void add_speedup(const struct fact_proof *p, struct fact_proof_time *t)
{
    for (size_t i = 0; i < p->n_times; i++) {
        const struct fact_proof_time *c = &p->times[i];
        if (!str_eq(c->device, "CPU:0") || c->sustained || !str_eq(c->op, t->op) || !str_eq(c->dtype, t->dtype) || !c->has_mflops || !c->mflops)
            continue;
        double x = (double)t->mflops / (double)c->mflops * 10;
        t->has_speedup_tenths = x < UINT32_MAX;
        t->speedup_tenths = t->has_speedup_tenths ? (uint32_t)(x + 0.5) : 0;
    }
}

static void add_conclusions(const struct facts *f, struct fact_proof *p)
{
    for (size_t i = 0; i < p->n_devices; i++) {
        struct gpu_peaks k;
        if (gpu_peaks_find(p->devices[i].name, memory_of(f, p->devices[i].name), &k))
            p->devices[i].rated_as = k.name;
    }
    for (size_t i = 0; i < p->n_times; i++) {
        struct fact_proof_time *t = &p->times[i];
        if (!t->has_mflops || str_eq(t->device, "CPU:0"))
            continue;
        add_peak(f, p, t);
        if (!t->sustained)
            add_speedup(p, t);
    }
}

void prove_facts(struct arena *a, struct facts *f, const struct proofrecord *r)
{
    struct fact_proof *p = &f->proof;
    uint32_t import_ms = 0;
    *p = (struct fact_proof){.quick = r->quick, .deadline_ms = r->deadline_ms, .output = r->output};
    p->has_ms = r->ms > 0;
    p->ms = r->ms;
    p->has_peak_rss_bytes = r->peak_mib > 0;
    p->peak_rss_bytes = (uint64_t)r->peak_mib << 20;
    p->malformed_lines = r->malformed > UINT32_MAX ? UINT32_MAX : (uint32_t)r->malformed;
    for (size_t i = 0; i < r->n_lines; i++)
        take_line(a, p, &r->lines[i], &import_ms);
    settle_stage(a, p, r);
    settle_end(a, p, r);
    add_conclusions(f, p);
}
