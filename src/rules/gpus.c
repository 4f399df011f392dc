/* SPDX-License-Identifier: Apache-2.0 */
/* gpus - which GPUs count, and how their views belong together. */
#include "rules/gpus.h"
#include "base/i18n.h"
#include "base/util.h"
#include "facts/links.h"
#include "rules/machine_state.h"

bool gpus_cuda_answered(const struct facts *f)
{
    return f->cuda.ask.answer == FACT_DRIVER_ANSWER_ANSWERED && f->cuda.has_count;
}

bool gpus_nvml_answered(const struct facts *f)
{
    return f->nvml.ask.answer == FACT_DRIVER_ANSWER_ANSWERED && f->nvml.has_count;
}

bool gpus_bus_decides(const struct facts *f)
{
    return !machine_in_container(f) || machine_gpu_nodes(f, TRI_UNKNOWN) == machine_gpus(f);
}

static bool held(const struct fact_gpu *g)
{
    return !g->virtual && (!g->driver || str_eq(g->driver, "nvidia")); /* a sandbox shows no driver */
}

size_t gpus_in_use(const struct facts *f)
{
    size_t n = 0;
    if (gpus_cuda_answered(f))
        return f->cuda.count;
    if (f->cuda_visible_devices)
        return 0;
    if (!gpus_bus_decides(f))
        return machine_gpu_nodes(f, TRI_UNKNOWN);
    for (size_t i = 0; i < f->n_gpus; i++)
        n += held(&f->gpus[i]);
    return n;
}

const struct fact_gpu *gpus_on_bus(const struct facts *f, size_t i)
{
    if (gpus_cuda_answered(f))
        return i < f->n_cuda_devices ? gpus_bus_find(f, f->cuda_devices[i].pci) : NULL;
    for (size_t k = 0; gpus_bus_decides(f) && k < f->n_gpus; k++)
        if (held(&f->gpus[k]) && i-- == 0)
            return &f->gpus[k];
    return NULL;
}

const char *gpus_known_name(const struct facts *f, size_t i)
{
    if (gpus_cuda_answered(f) && i < f->n_cuda_devices && f->cuda_devices[i].name)
        return f->cuda_devices[i].name;
    const struct fact_gpu *g = gpus_on_bus(f, i);
    return !g ? NULL : g->name ? g->name : g->chip;
}

const char *gpus_name(const struct facts *f, size_t i)
{
    const char *name = gpus_known_name(f, i);
    return name ? name : _("NVIDIA GPU");
}

const struct fact_gpu *gpus_bus_find(const struct facts *f, const char *pci)
{
    for (size_t i = 0; i < f->n_gpus; i++)
        if (links_same_pci(f->gpus[i].pci, pci))
            return &f->gpus[i];
    return NULL;
}

const struct fact_cuda_device *gpus_cuda_find(const struct facts *f, const char *pci)
{
    for (size_t i = 0; i < f->n_cuda_devices; i++)
        if (links_same_pci(f->cuda_devices[i].pci, pci))
            return &f->cuda_devices[i];
    return NULL;
}

const struct fact_nvml_device *gpus_nvml_find(const struct facts *f, const char *pci)
{
    for (size_t i = 0; i < f->n_nvml_devices; i++)
        if (links_same_pci(f->nvml_devices[i].pci, pci))
            return &f->nvml_devices[i];
    return NULL;
}

bool gpus_counts(const struct facts *f, const struct fact_nvml_device *d)
{
    return !gpus_cuda_answered(f) || gpus_cuda_find(f, d->pci) != NULL;
}

struct gpu_memory gpus_memory(const struct fact_cuda_device *c, const struct fact_nvml_device *n)
{
    struct gpu_memory m = {.has_total = c && c->has_memory, .total = c ? c->memory : 0};
    if (c && n && n->mig_mode == TRI_YES) {
        for (size_t i = 0; c->uuid && i < n->n_mig; i++) {
            const struct fact_mig_device *s = &n->mig[i];
            if (str_eq(s->uuid, c->uuid) && s->has_memory_total && s->has_memory_used && s->memory_used <= s->memory_total)
                return (struct gpu_memory){true, true, s->memory_total, s->memory_total - s->memory_used};
        }
        return m;
    }
    if (n && n->has_memory_free && n->has_memory_total)
        return (struct gpu_memory){true, true, n->memory_total, n->memory_free};
    if (n && n->has_memory_total && !m.has_total)
        return (struct gpu_memory){.has_total = true, .total = n->memory_total};
    return m;
}

enum tri gpus_nvlink(const struct fact_gpu_link *l)
{
    if (!l || (!l->has_nvlinks && !l->has_peer_nvlink))
        return TRI_UNKNOWN;
    return (l->has_nvlinks && l->nvlinks > 0) || (l->has_peer_nvlink && l->peer_nvlink == 0) ? TRI_YES : TRI_NO;
}
