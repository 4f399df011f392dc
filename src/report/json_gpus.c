/* SPDX-License-Identifier: Apache-2.0 */
/* json_gpus - the GPUs and what lies between them, for programs. */
#include "report/json_parts.h"
#include "rules/gpus.h"

static void opt_u64(struct jw *w, const char *key, bool has, uint64_t v)
{
    if (has)
        jw_u64(w, key, v);
    else
        jw_null(w, key);
}

static void opt_bool(struct jw *w, const char *key, enum tri t)
{
    if (t == TRI_UNKNOWN)
        jw_null(w, key);
    else
        jw_bool(w, key, t == TRI_YES);
}

static void pcie(struct jw *w, const struct fact_gpu *b)
{
    const struct fact_pcie *l = b && b->pcie.state == FACT_PRESENT ? &b->pcie : NULL;
    if (!l) {
        jw_null(w, "pcie");
        return;
    }
    jw_obj(w, "pcie");
    opt_u64(w, "generation", l->has_gen, l->gen);
    opt_u64(w, "generation_max", l->has_gen_max, l->has_gen_port && l->gen_port < l->gen_max ? l->gen_port : l->gen_max);
    opt_u64(w, "lanes", l->has_width, l->width);
    opt_u64(w, "lanes_max", l->has_width_max, l->has_width_port && l->width_port < l->width_max ? l->width_port : l->width_max);
    opt_u64(w, "numa_node", l->has_numa_node, l->numa_node);
    jw_obj_end(w);
}

static void processes(struct jw *w, const struct facts *f, const struct fact_nvml_device *n)
{
    jw_arr(w, "processes");
    for (size_t i = 0; n && i < f->n_nvml_processes; i++) {
        const struct fact_nvml_process *p = &f->nvml_processes[i];
        if (p->device != n->index)
            continue;
        jw_obj(w, NULL);
        jw_u64(w, "pid", p->pid);
        jw_str(w, "name", p->name);
        opt_u64(w, "memory", p->has_memory, p->memory);
        jw_obj_end(w);
    }
    jw_arr_end(w);
}

/* Any of the three views may be missing. */
static void gpu(struct jw *w, const struct report *r, const struct fact_gpu *b, const struct fact_cuda_device *c, const struct fact_nvml_device *n)
{
    const struct gpu_memory m = gpus_memory(c, n);
    uint32_t cc = c && c->has_cc ? c->cc : n && n->has_cc ? n->cc : b && b->has_cc ? b->cc : 0;
    jw_obj(w, NULL);
    jw_str(w, "pci", b ? b->pci : c ? c->pci : n->pci);
    jw_str(w, "name", c && c->name ? c->name : n && n->name ? n->name : b ? b->name : NULL);
    jw_str(w, "uuid", c ? c->uuid : n ? n->uuid : NULL);
    jw_str(w, "compute_capability", cc ? arena_printf(r->a, "%u.%u", cc / 10, cc % 10) : NULL);
    jw_str(w, "kernel_driver", b ? b->driver : NULL);
    opt_u64(w, "cuda", c != NULL, c ? c->ordinal : 0);
    opt_u64(w, "nvml", n != NULL, n ? n->index : 0);
    opt_u64(w, "memory", m.has_total, c && c->has_memory ? c->memory : m.total);
    opt_u64(w, "memory_free", m.has_free, m.free);
    jw_str(w, "compute_mode", n && n->compute_mode_known ? fact_compute_mode_id(n->compute_mode) : NULL);
    opt_bool(w, "mig", n ? n->mig_mode : TRI_UNKNOWN);
    pcie(w, b);
    processes(w, r->f, n);
    jw_obj_end(w);
}

void json_gpus(struct jw *w, const struct report *r)
{
    const struct facts *f = r->f;
    jw_arr(w, "gpus");
    for (size_t i = 0; i < f->n_cuda_devices; i++) /* CUDA's order first: it is what programs count by */
        gpu(w, r, gpus_bus_find(f, f->cuda_devices[i].pci), &f->cuda_devices[i], gpus_nvml_find(f, f->cuda_devices[i].pci));
    for (size_t i = 0; i < f->n_nvml_devices; i++)
        if (!gpus_cuda_find(f, f->nvml_devices[i].pci))
            gpu(w, r, gpus_bus_find(f, f->nvml_devices[i].pci), NULL, &f->nvml_devices[i]);
    for (size_t i = 0; i < f->n_gpus; i++)
        if (!gpus_cuda_find(f, f->gpus[i].pci) && !gpus_nvml_find(f, f->gpus[i].pci))
            gpu(w, r, &f->gpus[i], NULL, NULL);
    jw_arr_end(w);
    jw_arr(w, "gpu_links");
    for (size_t i = 0; i < f->n_gpu_links; i++) {
        const struct fact_gpu_link *l = &f->gpu_links[i];
        jw_obj(w, NULL);
        jw_str(w, "a", l->a);
        jw_str(w, "b", l->b);
        jw_str(w, "path", l->path == FACT_GPU_PATH_UNKNOWN ? NULL : fact_gpu_path_id(l->path));
        opt_u64(w, "nvlinks", l->has_nvlinks, l->nvlinks);
        opt_bool(w, "peer_access", l->peer_cuda);
        jw_obj_end(w);
    }
    jw_arr_end(w);
}
