/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_state - rules about the state of each GPU as the management library shows it: memory, MIG, clocks, errors. Pure. */
#include "base/i18n.h"
#include "rules/gpus.h"
#include "rules/machine_state.h"

static const uint64_t mib = (uint64_t)1 << 20;

/* Bits of nvmlClocksThrottleReasons that are a fault: hardware slowdown, software and hardware thermal slowdown, power brake. The
 * others are how clocks are normally chosen (idle, settings, power cap under load). Source: nvml.h. */
enum { HW_SLOWDOWN = 0x8, SW_THERMAL = 0x20, HW_THERMAL = 0x40, HW_POWER_BRAKE = 0x80 };

static const char *name_of(const struct fact_nvml_device *d)
{
    return d->name ? d->name : _("NVIDIA GPU");
}

static struct finding *about(struct judge *g, enum cause_id id, const struct fact_nvml_device *d)
{
    struct finding *x = judge_find(g, id, d->pci ? d->pci : name_of(d));
    judge_bind(g, x, "gpu", "%s", name_of(d));
    judge_bind(g, x, "index", "%u", d->index);
    return x;
}

/* One GPU of several: the others still work. */
static void soften(struct finding *x, bool others)
{
    if (!others)
        return;
    x->severity = SEV_DEGRADED;
    x->prevents = PREVENTS_NOTHING;
}

/* -- memory ------------------------------------------------------------------------------------------------------------- */

static void show_holders(struct judge *g, struct finding *x, const struct fact_nvml_device *d)
{
    for (size_t i = 0; i < g->f->n_nvml_processes; i++) {
        const struct fact_nvml_process *p = &g->f->nvml_processes[i];
        if (p->device != d->index)
            continue;
        const char *name = p->name ? p->name : _("name not known"), *memory = p->has_memory ? bytes_text(g->a, p->memory) : _("memory not known");
        judge_evidence(g, x, "nvml_processes", NULL, _("process %u, %s: %s"), p->pid, name, memory);
    }
}

static void rule_held_memory(struct judge *g)
{
    const struct facts *f = g->f;
    for (size_t i = 0; i < f->n_nvml_devices; i++) {
        const struct fact_nvml_device *d = &f->nvml_devices[i];
        bool known = d->has_memory_total && d->has_memory_free && d->memory_total && d->memory_free <= d->memory_total;
        uint64_t reserved = d->has_memory_reserved ? d->memory_reserved : 0, gone = known ? d->memory_total - d->memory_free : 0;
        uint64_t held = gone > reserved ? gone - reserved : 0;
        /* A desktop and the driver's own share stay below this; MIG splits the memory on purpose. */
        if (!known || !gpus_counts(f, d) || d->mig_mode == TRI_YES || held < 1024 * mib || held < d->memory_total / 10)
            continue;
        struct finding *x = about(g, CAUSE_GPU_MEMORY_HELD_BY_OTHER_PROCESS, d);
        x->severity = held >= d->memory_total / 2 ? SEV_DEGRADED : SEV_NOTE;
        judge_bind(g, x, "held", "%s", bytes_text(g->a, held));
        judge_bind(g, x, "total", "%s", bytes_text(g->a, d->memory_total));
        judge_bind(g, x, "free", "%s", bytes_text(g->a, d->memory_free));
        judge_evidence(g, x, "nvml_devices.memory_free", NULL, _("%s of %s free"), bytes_text(g->a, d->memory_free), bytes_text(g->a, d->memory_total));
        show_holders(g, x, d);
    }
}

/* -- MIG ---------------------------------------------------------------------------------------------------------------- */

static void rule_mig_empty(struct judge *g)
{
    const struct facts *f = g->f;
    for (size_t i = 0; i < f->n_nvml_devices; i++) {
        const struct fact_nvml_device *d = &f->nvml_devices[i];
        if (d->mig_mode != TRI_YES || d->n_mig > 0)
            continue;
        struct finding *x = about(g, CAUSE_MIG_WITHOUT_INSTANCES, d);
        soften(x, gpus_cuda_answered(f) ? f->cuda.count > 0 : f->n_nvml_devices > 1);
        judge_evidence(g, x, "nvml_devices.mig_mode", NULL, _("MIG mode is on, no instance exists"));
    }
}

static void rule_mig_one(struct judge *g)
{
    const struct facts *f = g->f;
    size_t slices = 0, whole = 0;
    const struct fact_nvml_device *first = NULL;
    for (size_t i = 0; i < f->n_nvml_devices; i++) {
        const struct fact_nvml_device *d = &f->nvml_devices[i];
        slices += d->mig_mode == TRI_YES ? d->n_mig : 0;
        whole += d->mig_mode != TRI_YES;
        first = first || d->mig_mode != TRI_YES || d->n_mig == 0 ? first : d;
    }
    if (!first || slices + whole < 2 || !gpus_cuda_answered(f) || f->cuda.count > 1 || f->cuda_visible_devices)
        return;
    struct finding *x = about(g, CAUSE_MIG_ONE_DEVICE_ONLY, first);
    judge_bind(g, x, "slices", "%zu", slices);
    judge_bind(g, x, "whole", "%zu", whole);
    for (size_t i = 0; i < first->n_mig; i++)
        judge_evidence(g, x, "nvml_devices.mig", NULL, "%s: %s", first->mig[i].name ? first->mig[i].name : "MIG", first->mig[i].uuid ? first->mig[i].uuid : "?");
}

/* -- clocks, errors, persistence ---------------------------------------------------------------------------------------- */

static void rule_throttled(struct judge *g)
{
    static const struct { uint64_t bit; const char *text; } reasons[] = {
        {HW_THERMAL, N_("too hot (hardware)")}, {SW_THERMAL, N_("too hot (driver)")}, {HW_POWER_BRAKE, N_("power brake: the power supply asks for less")},
        {HW_SLOWDOWN, N_("hardware slowdown: heat or power supply")},
    };
    for (size_t i = 0; i < g->f->n_nvml_devices; i++) {
        const struct fact_nvml_device *d = &g->f->nvml_devices[i];
        struct finding *x = NULL;
        for (size_t k = 0; d->has_throttle_reasons && gpus_counts(g->f, d) && k < TG_COUNT(reasons); k++) {
            if (!(d->throttle_reasons & reasons[k].bit))
                continue;
            if (!x) {
                x = about(g, CAUSE_GPU_THROTTLED, d);
                judge_bind(g, x, "reason", "%s", _(reasons[k].text));
            }
            judge_evidence(g, x, "nvml_devices.throttle_reasons", NULL, "%s", _(reasons[k].text));
        }
        if (x && d->has_temperature)
            judge_evidence(g, x, "nvml_devices.temperature", NULL, _("%u degrees Celsius"), d->temperature);
        if (x && d->has_sm_clock_mhz && d->has_sm_clock_max_mhz)
            judge_evidence(g, x, "nvml_devices.sm_clock_mhz", NULL, _("%u of %u MHz"), d->sm_clock_mhz, d->sm_clock_max_mhz);
    }
}

static void rule_ecc(struct judge *g)
{
    for (size_t i = 0; i < g->f->n_nvml_devices; i++) {
        const struct fact_nvml_device *d = &g->f->nvml_devices[i];
        if (!d->has_ecc_uncorrected || d->ecc_uncorrected == 0 || !gpus_counts(g->f, d))
            continue;
        struct finding *x = about(g, CAUSE_GPU_ECC_UNCORRECTABLE, d);
        judge_bind(g, x, "errors", "%llu", (unsigned long long)d->ecc_uncorrected);
        judge_evidence(g, x, "nvml_devices.ecc_uncorrected", NULL, "%llu", (unsigned long long)d->ecc_uncorrected);
    }
}

static void rule_rows(struct judge *g)
{
    for (size_t i = 0; i < g->f->n_nvml_devices; i++) {
        const struct fact_nvml_device *d = &g->f->nvml_devices[i];
        bool failed = d->remap_failed == TRI_YES;
        if ((!failed && d->remap_pending != TRI_YES) || !gpus_counts(g->f, d))
            continue;
        struct finding *x = about(g, CAUSE_GPU_MEMORY_ROWS_BAD, d);
        x->tags |= failed ? FIX_A : FIX_B;
        judge_bind(g, x, "state", "%s", failed ? _("no spare row is left") : _("a reset is due to replace them"));
        judge_evidence(g, x, failed ? "nvml_devices.remap_failed" : "nvml_devices.remap_pending", NULL, "%s", _("yes"));
    }
}

/* Cards without a display output are servers'; a desktop keeps the driver awake by itself. */
static void rule_persistence(struct judge *g)
{
    enum { CLASS_3D = 0x0302 };
    const struct facts *f = g->f;
    struct finding *x = NULL;
    for (size_t i = 0; i < f->n_nvml_devices; i++) {
        const struct fact_nvml_device *d = &f->nvml_devices[i];
        const struct fact_gpu *bus = gpus_bus_find(f, d->pci);
        if (d->persistence != TRI_NO || !bus || bus->class != CLASS_3D || machine_is_wsl2(f) || !gpus_counts(f, d))
            continue;
        x = x ? x : about(g, CAUSE_GPU_PERSISTENCE_OFF, d);
        judge_evidence(g, x, "nvml_devices.persistence", NULL, _("%s at %s: off"), name_of(d), d->pci);
    }
}

const struct rule rules_gpu_state[] = {
    {CAUSE_GPU_ECC_UNCORRECTABLE, rule_ecc},
    {CAUSE_GPU_MEMORY_ROWS_BAD, rule_rows},
    {CAUSE_MIG_WITHOUT_INSTANCES, rule_mig_empty},
    {CAUSE_GPU_MEMORY_HELD_BY_OTHER_PROCESS, rule_held_memory},
    {CAUSE_GPU_THROTTLED, rule_throttled},
    {CAUSE_MIG_ONE_DEVICE_ONLY, rule_mig_one},
    {CAUSE_GPU_PERSISTENCE_OFF, rule_persistence},
};
const size_t n_rules_gpu_state = TG_COUNT(rules_gpu_state);
