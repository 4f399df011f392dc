/* SPDX-License-Identifier: Apache-2.0 */
/* gpus_text - what the driver says of each GPU, and what lies between them. */
#include "base/i18n.h"
#include "facts/links.h"
#include "report/facts_text.h"
#include "report/text_util.h"
#include "report/wrap.h"
#include "rules/gpus.h"

enum { LABEL_COL = 20, MATRIX_MAX = 10, CELL = 7, ROW_LABEL = 8 };

static const char *add(struct arena *a, const char *list, const char *item)
{
    return !item ? list : list ? arena_printf(a, _("%s, %s"), list, item) : item;
}

static const char *on_off(struct arena *a, const char *what, enum tri t)
{
    return t == TRI_UNKNOWN ? NULL : arena_printf(a, t == TRI_YES ? _("%s on") : _("%s off"), what);
}

/* What it is, and its memory. */
static const char *identity(struct arena *a, const struct fact_cuda_device *c, const struct fact_nvml_device *n)
{
    const char *s = c && c->name ? c->name : n && n->name ? n->name : _("NVIDIA GPU");
    if (c && c->has_cc)
        s = arena_printf(a, _("%s, compute capability %u.%u"), s, c->cc / 10, c->cc % 10);
    const struct gpu_memory m = gpus_memory(c, n);
    if (m.has_free)
        return arena_printf(a, _("%s, %s of %s free"), s, bytes_text(a, m.free), bytes_text(a, m.total));
    return m.has_total ? arena_printf(a, _("%s, %s"), s, bytes_text(a, m.total)) : s;
}

static const char *link_text(struct arena *a, const struct fact_gpu *b)
{
    const struct fact_pcie *l = b ? &b->pcie : NULL;
    const char *s = NULL;
    if (!l || l->state != FACT_PRESENT)
        return NULL;
    if (l->has_gen && l->has_gen_max)
        s = arena_printf(a, _("PCI Express generation %u of %u"), l->gen, l->has_gen_port && l->gen_port < l->gen_max ? l->gen_port : l->gen_max);
    if (l->has_width)
        s = add(a, s, arena_printf(a, _("%u of %u lanes"), l->width, l->has_width_port && l->width_port < l->width_max ? l->width_port : l->width_max));
    return l->has_numa_node ? add(a, s, arena_printf(a, _("NUMA node %u"), l->numa_node)) : s;
}

static const char *state_text(struct arena *a, const struct fact_nvml_device *n)
{
    const char *s = NULL;
    if (!n)
        return NULL;
    if (n->compute_mode_known)
        s = arena_printf(a, _("compute mode %s"), fact_compute_mode_id(n->compute_mode));
    s = add(a, s, on_off(a, _("persistence mode"), n->persistence));
    s = add(a, s, on_off(a, "MIG", n->mig_mode));
    s = add(a, s, on_off(a, "ECC", n->ecc));
    if (n->has_temperature)
        s = add(a, s, arena_printf(a, _("%u degrees Celsius"), n->temperature));
    if (n->has_power_mw && n->has_power_limit_mw)
        s = add(a, s, arena_printf(a, _("%u of %u W"), n->power_mw / 1000, n->power_limit_mw / 1000));
    if (n->has_utilization)
        s = add(a, s, arena_printf(a, _("%u %% busy"), n->utilization));
    return s;
}

static void processes(const struct report *r, struct buf *out, const struct fact_nvml_device *n)
{
    for (size_t i = 0; n && i < r->f->n_nvml_processes; i++) {
        const struct fact_nvml_process *p = &r->f->nvml_processes[i];
        if (p->device == n->index)
            labelled(r, out, 2, "", LABEL_COL, arena_printf(r->a, _("process %u, %s: %s"), p->pid, p->name ? p->name : _("name not known"),
                                                            p->has_memory ? bytes_text(r->a, p->memory) : _("memory not known")));
    }
}

static void slices(const struct report *r, struct buf *out, const struct fact_nvml_device *n)
{
    for (size_t i = 0; n && i < n->n_mig; i++) {
        const struct fact_mig_device *m = &n->mig[i];
        const char *s = add(r->a, m->name ? m->name : "MIG", m->uuid);
        labelled(r, out, 2, "", LABEL_COL, m->has_memory_total ? add(r->a, s, bytes_text(r->a, m->memory_total)) : s);
    }
}

static void one(const struct report *r, struct buf *out, const char *label, const struct fact_cuda_device *c, const struct fact_nvml_device *n)
{
    const char *pci = c && c->pci ? c->pci : n ? n->pci : NULL, *link = link_text(r->a, gpus_bus_find(r->f, pci)), *state = state_text(r->a, n);
    labelled(r, out, 2, label, LABEL_COL, identity(r->a, c, n));
    if (pci)
        labelled(r, out, 2, pci, LABEL_COL, link ? link : _("PCI Express link not known"));
    if (state)
        labelled(r, out, 2, "", LABEL_COL, state);
    slices(r, out, n);
    processes(r, out, n);
}

/* CUDA's GPUs by its numbers, then those that the management library alone shows. */
static void devices(const struct report *r, struct buf *out)
{
    const struct facts *f = r->f;
    for (size_t i = 0; i < f->n_cuda_devices; i++)
        one(r, out, arena_printf(r->a, "GPU %u", f->cuda_devices[i].ordinal), &f->cuda_devices[i], gpus_nvml_find(f, f->cuda_devices[i].pci));
    for (size_t i = 0; i < f->n_nvml_devices; i++)
        if (!gpus_cuda_find(f, f->nvml_devices[i].pci))
            one(r, out, arena_printf(r->a, _("nvidia-smi %u"), f->nvml_devices[i].index), NULL, &f->nvml_devices[i]);
}

/* As `nvidia-smi topo -m` names them. */
static const char *path_code(enum fact_gpu_path p)
{
    switch (p) {
    case FACT_GPU_PATH_SAME_BOARD: return "BRD";
    case FACT_GPU_PATH_ONE_SWITCH: return "PIX";
    case FACT_GPU_PATH_SEVERAL_SWITCHES: return "PXB";
    case FACT_GPU_PATH_HOST_BRIDGE: return "PHB";
    case FACT_GPU_PATH_NUMA_NODE: return "NODE";
    case FACT_GPU_PATH_SYSTEM: return "SYS";
    case FACT_GPU_PATH_UNKNOWN: break;
    }
    return "?";
}

static const char *cell(struct arena *a, const struct fact_gpu_link *l)
{
    const char *code = !l ? "?" : path_code(l->path), *peer = l && l->peer_cuda == TRI_YES ? "+" : "";
    if (gpus_nvlink(l) == TRI_YES)
        code = l->has_nvlinks && l->nvlinks ? arena_printf(a, "NV%u", l->nvlinks) : "NV";
    return arena_printf(a, "%s%s", code, peer);
}

static void put_cell(struct buf *out, const char *text, size_t col)
{
    buf_adds(out, text);
    wrap_pad(out, i18n_width(text), col);
}

static void row(const struct report *r, struct buf *out, size_t i)
{
    const struct facts *f = r->f;
    buf_adds(out, "  ");
    put_cell(out, arena_printf(r->a, "GPU %zu", i), ROW_LABEL);
    for (size_t k = 0; k < f->n_cuda_devices; k++) {
        const char *text = k == i ? "-" : cell(r->a, links_find(f, f->cuda_devices[i].pci, f->cuda_devices[k].pci));
        if (k + 1 < f->n_cuda_devices)
            put_cell(out, text, CELL);
        else
            buf_adds(out, text);
    }
    buf_addc(out, '\n');
}

static void matrix(const struct report *r, struct buf *out)
{
    size_t n = r->f->n_cuda_devices;
    if (n < 2 || n > MATRIX_MAX)
        return;
    buf_addc(out, '\n');
    inked(r, out, INK_BOLD, _("Ways between the GPUs"));
    buf_adds(out, "\n  ");
    put_cell(out, "", ROW_LABEL);
    for (size_t i = 0; i < n; i++) {
        const char *text = arena_printf(r->a, "%zu", i);
        if (i + 1 < n)
            put_cell(out, text, CELL);
        else
            buf_adds(out, text);
    }
    buf_addc(out, '\n');
    for (size_t i = 0; i < n; i++)
        row(r, out, i);
    para(r, out, 2, _("NV4: four NVLinks. PCI Express, near to far: PIX one switch, PXB several, PHB host bridge, NODE same NUMA node, SYS between "
                      "processors. +: peer access."));
}

static void line(const struct report *r, struct buf *out, const char *label, const char *text)
{
    if (text)
        labelled(r, out, 2, label, LABEL_COL, text);
}

static void limits(const struct report *r, struct buf *out)
{
    const struct fact_gpu_limits *l = &r->f->gpu_limits;
    struct arena *a = r->a;
    if (l->state != FACT_PRESENT)
        return;
    buf_addc(out, '\n');
    inked(r, out, INK_BOLD, _("Limits of the host"));
    buf_addc(out, '\n');
    if (l->has_memory_bytes)
        line(r, out, _("memory"), l->has_memory_available_bytes ? arena_printf(a, _("%s, %s available"), bytes_text(a, l->memory_bytes), bytes_text(a, l->memory_available_bytes))
                                                                  : bytes_text(a, l->memory_bytes));
    if (l->has_cgroup_bytes)
        line(r, out, _("group's limit"), arena_printf(a, "%s (%s)", bytes_text(a, l->cgroup_bytes), l->cgroup_source));
    if (l->has_cpus)
        line(r, out, _("processors"), l->has_cpu_quota_percent ? arena_printf(a, _("%u, quota %u %%"), l->cpus, l->cpu_quota_percent) : arena_printf(a, "%u", l->cpus));
    if (l->has_shm_bytes)
        line(r, out, "/dev/shm", arena_printf(a, _("%s of %s free"), bytes_text(a, l->shm_free_bytes), bytes_text(a, l->shm_bytes)));
    if (l->memlock_unlimited != TRI_UNKNOWN)
        line(r, out, _("locked memory"), l->memlock_unlimited == TRI_YES ? _("unlimited") : bytes_text(a, l->memlock_bytes));
    line(r, out, "TF_FORCE_GPU_ALLOW_GROWTH", r->f->gpu_env.tf_force_allow_growth);
    line(r, out, "TF_GPU_ALLOCATOR", r->f->gpu_env.tf_gpu_allocator);
    line(r, out, "NVIDIA_VISIBLE_DEVICES", r->f->gpu_env.nvidia_visible_devices);
    line(r, out, _("compiled GPU code"), r->f->jit_cache.dir);
}

void gpus_text(const struct report *r, struct buf *out)
{
    if (r->f->n_cuda_devices || r->f->n_nvml_devices) {
        buf_addc(out, '\n');
        inked(r, out, INK_BOLD, _("GPUs as the driver shows them"));
        buf_addc(out, '\n');
        devices(r, out);
    }
    matrix(r, out);
    limits(r, out);
}
