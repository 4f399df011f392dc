/* SPDX-License-Identifier: Apache-2.0 */
/* limits - rules of layer 5 about the host: variables that are passed over and memory. Pure. */
#include <string.h>
#include "base/i18n.h"
#include "rules/gpus.h"
#include "rules/machine_state.h"

static const uint64_t gib = (uint64_t)1 << 30;

static bool one_of(const char *s, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(s, list[i]))
            return true;
    return false;
}

static void ignored(struct judge *g, const char *name, const char *fact, const char *value, const char *want, const char *instead)
{
    struct finding *x = judge_find(g, CAUSE_TF_VARIABLE_IGNORED, name);
    judge_bind(g, x, "value", "%s", value);
    judge_bind(g, x, "want", "%s", want);
    judge_bind(g, x, "instead", "%s", instead);
    judge_evidence(g, x, fact, NULL, "%s=%s", name, value);
}

/* TensorFlow compares both with fixed words, letter by letter: gpu_bfc_allocator, gpu_process_state. */
static void rule_variables(struct judge *g)
{
    static const char *const growth[] = {"true", "false"}, *const allocators[] = {"cuda_malloc", "cuda_malloc_async", "memory_guard"};
    static const char *const on[] = {"1", "True", "TRUE", "yes", "on"};
    const struct fact_gpu_env *e = &g->f->gpu_env;
    if (g->f->tensorflow.state != FACT_PRESENT)
        return;
    if (e->tf_force_allow_growth && !one_of(e->tf_force_allow_growth, growth, TG_COUNT(growth)))
        ignored(g, "TF_FORCE_GPU_ALLOW_GROWTH", "gpu_env.tf_force_allow_growth", e->tf_force_allow_growth, "true, false",
                one_of(e->tf_force_allow_growth, on, TG_COUNT(on)) ? "true" : "false");
    if (e->tf_gpu_allocator && *e->tf_gpu_allocator && !one_of(e->tf_gpu_allocator, allocators, TG_COUNT(allocators)))
        ignored(g, "TF_GPU_ALLOCATOR", "gpu_env.tf_gpu_allocator", e->tf_gpu_allocator, "cuda_malloc_async, cuda_malloc, memory_guard",
                "cuda_malloc_async");
}

/* Memory of the largest GPU in use; 0 unknown. */
static uint64_t gpu_memory(const struct facts *f)
{
    uint64_t max = 0;
    for (size_t i = 0; i < f->n_cuda_devices; i++)
        if (f->cuda_devices[i].has_memory && f->cuda_devices[i].integrated != TRI_YES && f->cuda_devices[i].memory > max)
            max = f->cuda_devices[i].memory;
    return max;
}

static void show_memory(struct judge *g, struct finding *x, uint64_t have, uint64_t gpu)
{
    const struct fact_gpu_limits *l = &g->f->gpu_limits;
    judge_bind(g, x, "have", "%s", bytes_text(g->a, have));
    judge_bind(g, x, "gpu_memory", "%s", gpu ? bytes_text(g->a, gpu) : "?");
    judge_evidence(g, x, "gpu_limits.memory_bytes", "/proc/meminfo", _("%s in all"), bytes_text(g->a, l->memory_bytes));
    if (l->has_memory_available_bytes)
        judge_evidence(g, x, "gpu_limits.memory_available_bytes", "/proc/meminfo", _("%s available"), bytes_text(g->a, l->memory_available_bytes));
    if (l->has_cgroup_bytes)
        judge_evidence(g, x, "gpu_limits.cgroup_bytes", l->cgroup_source, _("limit %s"), bytes_text(g->a, l->cgroup_bytes));
    if (gpu)
        judge_evidence(g, x, "cuda_devices.memory", NULL, _("%s of memory on the GPU"), bytes_text(g->a, gpu));
}

static uint64_t left(const struct fact_gpu_limits *l)
{
    uint64_t free = l->memory_available_bytes, group = UINT64_MAX;
    if (l->has_cgroup_bytes)
        group = l->has_cgroup_used_bytes && l->cgroup_used_bytes < l->cgroup_bytes ? l->cgroup_bytes - l->cgroup_used_bytes : l->cgroup_bytes;
    return group < free ? group : free;
}

/* Too little to load TensorFlow and CUDA at all, or less than one GPU holds. */
static void rule_host_memory(struct judge *g)
{
    const struct fact_gpu_limits *l = &g->f->gpu_limits;
    uint64_t gpu = gpu_memory(g->f);
    if (!l->has_memory_bytes || (machine_is_wsl2(g->f) && !l->has_cgroup_bytes))
        return;
    uint64_t all = l->has_cgroup_bytes ? l->cgroup_bytes : l->memory_bytes;
    bool short_now = l->has_memory_available_bytes && left(l) < 2 * gib;
    if (!short_now && all >= gpu)
        return;
    struct finding *x = judge_find(g, CAUSE_HOST_MEMORY_EXHAUSTED, _("host memory"));
    x->severity = short_now ? SEV_DEGRADED : SEV_NOTE;
    x->tags |= short_now ? FIX_A : FIX_B;
    x->tags |= l->has_cgroup_bytes ? FIX_C : 0;
    judge_bind(g, x, "state", "%s", short_now ? arena_printf(g->a, _("%s is left"), bytes_text(g->a, left(l)))
                                              : arena_printf(g->a, _("%s, less than the %s of the GPU"), bytes_text(g->a, all), bytes_text(g->a, gpu)));
    show_memory(g, x, short_now ? left(l) : all, gpu);
}

static void rule_wsl_memory(struct judge *g)
{
    const struct fact_gpu_limits *l = &g->f->gpu_limits;
    uint64_t gpu = gpu_memory(g->f);
    if (!machine_is_wsl2(g->f) || !l->has_memory_bytes || l->has_cgroup_bytes)
        return;
    bool short_now = l->has_memory_available_bytes && left(l) < 2 * gib;
    if (!short_now && l->memory_bytes >= gpu && l->memory_bytes >= 6 * gib)
        return;
    struct finding *x = judge_find(g, CAUSE_WSL_MEMORY_LIMIT_OOM, "WSL2");
    x->severity = short_now ? SEV_DEGRADED : SEV_NOTE;
    show_memory(g, x, l->memory_bytes, gpu);
    if (l->wsl_memory_set)
        judge_evidence(g, x, "gpu_limits.wsl_memory_set", l->wsl_config, "memory=%s", l->wsl_memory_set);
}

/* Nothing else comes to pass where the process ends before the devices are known. */
static void rule_flags(struct judge *g)
{
    const struct fact_refused_flag *r = &g->f->tensorflow.refused_flag;
    if (!r->variable)
        return;
    if (r->unclear) {
        judge_unknown(g, 5, _("%s: whether TensorFlow takes %s shows only when it is tried: tfgpu check --prove"), r->variable, r->flag);
        return;
    }
    struct finding *x = judge_find(g, CAUSE_TF_FLAG_UNKNOWN, r->variable);
    judge_bind(g, x, "reason", r->no_file ? _("'%s' is taken as the name of a file with flags, and cannot be read") : _("it does not know %s"), r->flag);
    judge_evidence(g, x, "tensorflow.refused_flag", NULL, "%s='%s'", r->variable, r->value);
}

const struct rule rules_limits[] = {
    {CAUSE_TF_FLAG_UNKNOWN, rule_flags},
    {CAUSE_TF_VARIABLE_IGNORED, rule_variables},
    {CAUSE_HOST_MEMORY_EXHAUSTED, rule_host_memory},
    {CAUSE_WSL_MEMORY_LIMIT_OOM, rule_wsl_memory},
};
const size_t n_rules_limits = TG_COUNT(rules_limits);
