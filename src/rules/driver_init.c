/* SPDX-License-Identifier: Apache-2.0 */
/* driver_init - rules of layer 1 that only the driver's own answer can fire: codes of cuInit and NVML that speak of the driver or the card. Pure. */
#include "base/i18n.h"
#include "rules/driver.h"
#include "rules/driver_answer.h"
#include "rules/machine_state.h"

static struct finding *on_init(struct judge *g, enum cause_id id)
{
    const char *text = answer_code_text(g->a, g->f->cuda.init_code ? "cuInit" : "cuDeviceGetCount", answer_cuda_code(g->f), false);
    struct finding *x = judge_find(g, id, "cuInit");
    judge_bind(g, x, "error", "%s", text);
    judge_evidence(g, x, "cuda.init_code", g->f->cuda.ask.path, "%s", text);
    return x;
}

void rule_driver_os_call(struct judge *g)
{
    if (answer_cuda_code(g->f) == CUDA_OPERATING_SYSTEM)
        (void)on_init(g, CAUSE_CUDA_OS_CALL_FAILED);
}

/* A symptom: silent where the files have shown its cause. */
void rule_driver_unknown_error(struct judge *g)
{
    if (answer_cuda_code(g->f) != CUDA_UNKNOWN)
        return;
    for (size_t i = 0; i < g->n_found; i++)
        if (g->found[i]->layer == 1 && g->found[i]->severity == SEV_BROKEN)
            return;
    (void)on_init(g, CAUSE_CUINIT_UNKNOWN_ERROR);
}

void rule_driver_gpu_lost(struct judge *g)
{
    const struct facts *f = g->f;
    size_t lost = 0;
    for (size_t i = 0; i < f->n_nvml_devices; i++)
        lost += f->nvml_devices[i].has_failed_code && f->nvml_devices[i].failed_code == NVML_LOST;
    for (size_t i = 0; i < f->n_nvml_devices; i++) {
        const struct fact_nvml_device *d = &f->nvml_devices[i];
        if (!d->has_failed_code || d->failed_code != NVML_LOST)
            continue;
        struct finding *x = judge_find(g, CAUSE_GPU_FELL_OFF_BUS, arena_printf(g->a, "GPU %u", d->index));
        judge_bind(g, x, "gpu", "%s", d->name ? d->name : _("NVIDIA GPU"));
        judge_bind(g, x, "address", "%s", d->pci ? d->pci : _("an unknown address"));
        judge_evidence(g, x, "nvml_devices.failed_call", f->nvml.ask.path, "%s", answer_code_text(g->a, d->failed_call, d->failed_code, true));
        if (lost < f->n_nvml_devices && answer_serves(f) && !answer_fatal_device(f)) {
            x->severity = SEV_DEGRADED;
            x->prevents = PREVENTS_NOTHING;
        }
    }
}
