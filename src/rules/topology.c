/* SPDX-License-Identifier: Apache-2.0 */
/* topology - rules of layer 7: several GPUs, how they are linked, and what they need together. Pure. */
#include "base/i18n.h"
#include "base/util.h"
#include "facts/links.h"
#include "rules/gpus.h"
#include "rules/judge_priv.h"
#include "rules/library.h"
#include "rules/machine_state.h"

enum { MAX_PAIRS = 8 }; /* named in one finding */

static bool several(const struct judge *g)
{
    return gpus_in_use(g->f) > 1;
}

/* -- views that disagree ------------------------------------------------------------------------------------------------ */

static void disagree(struct judge *g, const char *pci, const char *name, const char *seen, const char *missing)
{
    struct finding *x = judge_find(g, CAUSE_GPU_MISSING_FROM_A_VIEW, pci);
    judge_bind(g, x, "gpu", "%s", name);
    judge_bind(g, x, "seen", "%s", seen);
    judge_bind(g, x, "missing", "%s", missing);
    judge_evidence(g, x, "gpus", "/sys/bus/pci/devices", _("%zu on the PCI bus"), machine_gpus(g->f));
    if (gpus_nvml_answered(g->f))
        judge_evidence(g, x, "nvml.count", g->f->nvml.ask.path, _("%u in the management library"), g->f->nvml.count);
    if (gpus_cuda_answered(g->f))
        judge_evidence(g, x, "cuda.count", g->f->cuda.ask.path, _("%u in CUDA"), g->f->cuda.count);
}

/* A container is given some of the GPUs, and so is a job: schedulers say which with CUDA_VISIBLE_DEVICES and lock the others away. */
static void rule_views(struct judge *g)
{
    const struct facts *f = g->f;
    for (size_t i = 0; gpus_nvml_answered(f) && gpus_bus_decides(f) && !f->cuda_visible_devices && i < f->n_gpus; i++) {
        const struct fact_gpu *b = &f->gpus[i];
        if (!b->virtual && str_eq(b->driver, "nvidia") && !gpus_nvml_find(f, b->pci))
            disagree(g, b->pci, machine_gpu_name(b), _("the PCI bus"), _("the driver"));
    }
    /* CUDA_VISIBLE_DEVICES hides on purpose; MIG mode replaces a GPU by its slices. */
    for (size_t i = 0; gpus_cuda_answered(f) && !f->cuda_visible_devices && i < f->n_nvml_devices; i++) {
        const struct fact_nvml_device *d = &f->nvml_devices[i];
        bool mig = false;
        for (size_t k = 0; k < f->n_nvml_devices; k++)
            mig |= f->nvml_devices[k].mig_mode == TRI_YES;
        if (!mig && d->pci && !gpus_cuda_find(f, d->pci) && f->n_cuda_devices == f->cuda.count)
            disagree(g, d->pci, d->name ? d->name : _("NVIDIA GPU"), _("the management library"), "CUDA");
    }
}

/* -- links -------------------------------------------------------------------------------------------------------------- */

/* What GPU and port can do together; in a virtual machine the port is a pretended one. */
static uint32_t lower(bool has_a, uint32_t a, bool has_b, uint32_t b)
{
    return !has_a ? 0 : has_b && b < a ? b : a;
}

static void rule_width(struct judge *g)
{
    const struct facts *f = g->f;
    bool vm = f->machine.kind == FACT_MACHINE_KIND_VM, other_bus = str_eq(f->machine.arch, "aarch64"); /* Grace reaches its GPU another way */
    for (size_t i = 0; i < gpus_in_use(f) && !other_bus; i++) {
        const struct fact_gpu *b = gpus_on_bus(f, i);
        if (!b || b->pcie.state != FACT_PRESENT || !b->pcie.has_width)
            continue;
        uint32_t can = lower(b->pcie.has_width_max, b->pcie.width_max, b->pcie.has_width_port && !vm, b->pcie.width_port);
        if (b->pcie.width >= can)
            continue;
        struct finding *x = judge_find(g, CAUSE_PCIE_LINK_NARROW, b->pci);
        x->severity = b->pcie.width * 4 <= can && !vm ? SEV_DEGRADED : SEV_NOTE;
        x->layer = several(g) ? 7 : 5;
        judge_bind(g, x, "gpu", "%s", gpus_name(f, i));
        judge_bind(g, x, "have", "%u", b->pcie.width);
        judge_bind(g, x, "want", "%u", can);
        judge_evidence(g, x, "gpus.pcie.width", b->pcie.source, _("%u lanes in use"), b->pcie.width);
        judge_evidence(g, x, "gpus.pcie.width_max", b->pcie.source, _("the GPU can use %u"), b->pcie.width_max);
        if (b->pcie.has_width_port)
            judge_evidence(g, x, "gpus.pcie.width_port", NULL, _("the port above it has %u"), b->pcie.width_port);
    }
}

/* An idle GPU lowers the speed of its link, and asking wakes it up; only one that works shows a fault. */
static void rule_speed(struct judge *g)
{
    enum { BUSY_PERCENT = 10 };
    const struct facts *f = g->f;
    for (size_t i = 0; i < f->n_nvml_devices; i++) {
        const struct fact_nvml_device *d = &f->nvml_devices[i];
        bool works = d->has_performance_state && d->performance_state == 0 && d->has_utilization && d->utilization >= BUSY_PERCENT;
        if (!works || !d->has_pcie_gen || !d->has_pcie_gen_max || d->pcie_gen >= d->pcie_gen_max || !gpus_counts(f, d))
            continue;
        struct finding *x = judge_find(g, CAUSE_PCIE_LINK_SLOW, d->pci);
        x->layer = several(g) ? 7 : 5;
        judge_bind(g, x, "gpu", "%s", d->name ? d->name : _("NVIDIA GPU"));
        judge_bind(g, x, "have", "%u", d->pcie_gen);
        judge_bind(g, x, "want", "%u", d->pcie_gen_max);
        judge_evidence(g, x, "nvml_devices.pcie_gen", NULL, _("generation %u of %u"), d->pcie_gen, d->pcie_gen_max);
        judge_evidence(g, x, "nvml_devices.performance_state", NULL, _("P%u, %u %% busy"), d->performance_state, d->utilization);
    }
}

/* Most links among the other GPUs of this model; *ret_all: every one of at least three has so many. */
static uint32_t links_of_twins(const struct facts *f, const struct fact_nvml_device *d, bool *ret_all)
{
    enum { ENOUGH = 3 };
    uint32_t most = 0, n = 0, with_most = 0;
    for (size_t k = 0; k < f->n_nvml_devices; k++) {
        const struct fact_nvml_device *o = &f->nvml_devices[k];
        if (o == d || !str_eq(o->name, d->name) || !o->has_nvlinks)
            continue;
        n++;
        with_most = o->nvlinks > most ? 1 : with_most + (o->nvlinks == most);
        most = o->nvlinks > most ? o->nvlinks : most;
    }
    *ret_all = n >= ENOUGH && with_most == n;
    return most;
}

/* Cards that bridges join in pairs may stand beside one without a bridge: none at all is a fault only where all others have links. */
static void rule_nvlink(struct judge *g)
{
    const struct facts *f = g->f;
    for (size_t i = 0; several(g) && i < f->n_nvml_devices; i++) {
        const struct fact_nvml_device *d = &f->nvml_devices[i];
        bool all;
        uint32_t most = links_of_twins(f, d, &all);
        if (!d->has_nvlinks || d->nvlinks >= most || (d->nvlinks == 0 && !all) || !gpus_counts(f, d))
            continue;
        struct finding *x = judge_find(g, CAUSE_GPU_NVLINK_FAULT, d->pci);
        judge_bind(g, x, "gpu", "%s", d->name ? d->name : _("NVIDIA GPU"));
        judge_bind(g, x, "have", "%u", d->nvlinks);
        judge_bind(g, x, "want", "%u", most);
        judge_evidence(g, x, "nvml_devices.nvlinks", NULL, _("%u active NVLinks; another GPU of this model has %u"), d->nvlinks, most);
    }
}

struct pairs { size_t n, nvlink, no_nvlink, peer, no_peer; }; /* of the GPUs in use; what is not known counts nowhere */

/* visit may be NULL; it is called for each pair without peer access. */
static struct pairs look_at_pairs(const struct facts *f, void (*visit)(void *ctx, const struct fact_cuda_device *a, const struct fact_cuda_device *b), void *ctx)
{
    struct pairs p = {0};
    for (size_t i = 0; i < f->n_cuda_devices; i++)
        for (size_t k = i + 1; k < f->n_cuda_devices; k++) {
            const struct fact_gpu_link *l = links_find(f, f->cuda_devices[i].pci, f->cuda_devices[k].pci);
            enum tri fast = gpus_nvlink(l), peer = l ? l->peer_cuda : TRI_UNKNOWN;
            p.n++;
            p.nvlink += fast == TRI_YES;
            p.no_nvlink += fast == TRI_NO;
            p.peer += peer == TRI_YES;
            p.no_peer += peer == TRI_NO;
            if (peer == TRI_NO && visit)
                visit(ctx, &f->cuda_devices[i], &f->cuda_devices[k]);
        }
    return p;
}

struct listing { struct judge *g; struct finding *x; size_t n; };

static void name_pair(void *ctx, const struct fact_cuda_device *a, const struct fact_cuda_device *b)
{
    struct listing *l = ctx;
    if (l->n++ < MAX_PAIRS)
        judge_evidence(l->g, l->x, "gpu_links.peer_cuda", NULL, _("GPU %u and GPU %u: no"), a->ordinal, b->ordinal);
}

static void rule_peer(struct judge *g)
{
    struct pairs p = look_at_pairs(g->f, NULL, NULL);
    if (!several(g) || p.no_peer == 0 || machine_is_wsl2(g->f))
        return;
    struct listing l = {.g = g, .x = judge_find(g, CAUSE_GPU_PEER_ACCESS_MISSING, gpus_name(g->f, 0))};
    judge_bind(g, l.x, "missing", "%zu", p.no_peer);
    judge_bind(g, l.x, "pairs", "%zu", p.n);
    look_at_pairs(g->f, name_pair, &l);
}

/* An IOMMU that translates sends what one GPU writes to another through the root complex. Virtual machines need that. */
static void rule_iommu(struct judge *g)
{
    const struct facts *f = g->f;
    struct pairs p = look_at_pairs(f, NULL, NULL);
    struct finding *x = NULL;
    bool other_way = p.n && (p.nvlink == p.n || p.no_peer == p.n);
    for (size_t i = 0; several(g) && f->machine.kind == FACT_MACHINE_KIND_BARE_METAL && !other_way && i < gpus_in_use(f); i++) {
        const struct fact_gpu *b = gpus_on_bus(f, i);
        if (!b || !str_starts(b->pcie.iommu, "DMA"))
            continue;
        if (!x) {
            x = judge_find(g, CAUSE_NCCL_P2P_HANG, "IOMMU");
            x->unproved = _("whether transfers between the GPUs hang or are slow here was not tried");
        }
        judge_evidence(g, x, "gpus.pcie.iommu", arena_printf(g->a, "%s/iommu_group/type", b->pcie.source), "%s", b->pcie.iommu);
    }
}

/* -- NCCL --------------------------------------------------------------------------------------------------------------- */

static void rule_nccl(struct judge *g)
{
    const struct facts *f = g->f;
    for (size_t i = 0; several(g) && f->tensorflow.nccl_inside != TRI_YES && i < f->n_libraries; i++) {
        const struct fact_library *l = &f->libraries[i];
        enum library_case c = library_case(l);
        if (l->role != FACT_LIB_ROLE_NCCL || c == LIB_FINE || c == LIB_DRIVER || c == LIB_UNKNOWN)
            continue;
        struct finding *x = judge_find(g, CAUSE_NCCL_MISSING, library_culprit(l));
        if (f->tensorflow.nccl_inside == TRI_NO)
            x->severity = SEV_DEGRADED;
        else
            x->unproved = _("whether this build carries NCCL inside itself, and needs no file, was not determined");
        judge_bind(g, x, "n_gpus", "%zu", gpus_in_use(f));
        library_bind(g, x);
        judge_evidence(g, x, "libraries.message", l->culprit_file, "%s", l->message ? l->message : _("not found"));
    }
}

/* Docker gives 64 MiB. NCCL's manual asks for 1 GiB. */
static void rule_shm(struct judge *g)
{
    static const uint64_t wanted = (uint64_t)1 << 30, tiny = (uint64_t)64 << 20;
    const struct fact_gpu_limits *l = &g->f->gpu_limits;
    bool full = l->has_shm_free_bytes && l->shm_free_bytes < tiny;
    if (!several(g) || !l->has_shm_bytes || (l->shm_bytes >= wanted && !full))
        return;
    struct finding *x = judge_find(g, CAUSE_NCCL_SHM_TOO_SMALL, "/dev/shm");
    struct pairs p = look_at_pairs(g->f, NULL, NULL);
    bool direct = p.n && p.peer == p.n;
    x->severity = (l->shm_bytes <= tiny || full) && !direct ? SEV_DEGRADED : SEV_NOTE;
    x->unproved = _("what NCCL takes depends on the links and on its version; it was not tried");
    x->tags |= l->shm_bytes >= wanted ? FIX_A : FIX_B;
    judge_bind(g, x, "have", "%s", bytes_text(g->a, l->shm_bytes >= wanted ? l->shm_free_bytes : l->shm_bytes));
    judge_evidence(g, x, "gpu_limits.shm_bytes", "/dev/shm", _("%s, %s of it free"), bytes_text(g->a, l->shm_bytes), bytes_text(g->a, l->shm_free_bytes));
}

static void rule_memlock(struct judge *g)
{
    static const uint64_t little = (uint64_t)64 << 20;
    const struct fact_gpu_limits *l = &g->f->gpu_limits;
    if (!several(g) || l->infiniband != TRI_YES || !l->has_memlock_bytes || l->memlock_bytes >= little)
        return;
    struct finding *x = judge_find(g, CAUSE_NCCL_IB_VERBS_FAILURE, _("locked memory"));
    judge_bind(g, x, "have", "%s", bytes_text(g->a, l->memlock_bytes));
    judge_evidence(g, x, "gpu_limits.memlock_bytes", "/proc/self/limits", "%s", bytes_text(g->a, l->memlock_bytes));
    judge_evidence(g, x, "gpu_limits.infiniband", "/sys/class/infiniband", _("an InfiniBand device is there"));
    x->unproved = _("the limit is that of this shell; a scheduler may set another for its jobs");
}

/* -- models ------------------------------------------------------------------------------------------------------------- */

/* A GPU that said no name is not another model for it. */
static void rule_mixed(struct judge *g)
{
    const struct facts *f = g->f;
    size_t n = gpus_in_use(f);
    const char *first = NULL;
    bool mixed = false;
    for (size_t i = 0; i < n; i++) {
        const char *name = gpus_known_name(f, i);
        first = first ? first : name;
        mixed |= name && !str_eq(name, first);
    }
    if (!mixed)
        return;
    struct finding *x = judge_find(g, CAUSE_GPU_MODELS_MIXED, gpus_name(f, 0));
    for (size_t i = 0; i < n && i < MAX_PAIRS; i++) {
        const struct fact_gpu *b = gpus_on_bus(f, i);
        judge_evidence(g, x, "gpus.name", b ? b->source : NULL, "GPU %zu: %s", i, gpus_name(f, i));
    }
}

/* -- the layer's line --------------------------------------------------------------------------------------------------- */

static const char *links_text(const struct pairs *p)
{
    if (p->n && p->nvlink == p->n)
        return _("NVLink");
    if (p->nvlink)
        return _("NVLink between some");
    return p->no_nvlink == p->n && p->n ? _("PCI Express") : NULL;
}

static const char *peer_text(const struct pairs *p)
{
    if (p->n && p->peer == p->n)
        return _("peer access ok");
    if (p->peer)
        return _("peer access between some");
    return p->no_peer == p->n && p->n ? _("no peer access") : NULL;
}

const char *topology_summary(struct arena *a, const struct facts *f, unsigned replicas)
{
    struct pairs p = look_at_pairs(f, NULL, NULL);
    const char *links = links_text(&p), *peer = peer_text(&p);
    const char *s = arena_printf(a, _("%zu GPUs"), gpus_in_use(f));
    s = links ? arena_printf(a, _("%s, %s"), s, links) : s;
    s = peer ? arena_printf(a, _("%s, %s"), s, peer) : s;
    return replicas ? arena_printf(a, _("%s; MirroredStrategy would make %u replicas"), s, replicas) : s;
}

const struct rule rules_topology[] = {
    {CAUSE_GPU_MISSING_FROM_A_VIEW, rule_views},
    {CAUSE_GPU_NVLINK_FAULT, rule_nvlink},
    {CAUSE_NCCL_MISSING, rule_nccl},
    {CAUSE_NCCL_SHM_TOO_SMALL, rule_shm},
    {CAUSE_PCIE_LINK_NARROW, rule_width},
    {CAUSE_PCIE_LINK_SLOW, rule_speed},
    {CAUSE_GPU_PEER_ACCESS_MISSING, rule_peer},
    {CAUSE_NCCL_P2P_HANG, rule_iommu},
    {CAUSE_NCCL_IB_VERBS_FAILURE, rule_memlock},
    {CAUSE_GPU_MODELS_MIXED, rule_mixed},
};
const size_t n_rules_topology = TG_COUNT(rules_topology);
