/* SPDX-License-Identifier: Apache-2.0 */
/* parts - lists among the driver's answers as facts. */
#include "gpu/parts.h"
#include <string.h>
#include "base/util.h"
#include "facts/links.h"
#include "gpu/calls.h"

/* The call when it came back without an error, else NULL. */
static const struct driverlog_call *good(const struct driverlog *l, const char *what)
{
    const struct driverlog_call *c = driverlog_find(l, what);
    return c && c->back && !c->missing && c->code == 0 ? c : NULL;
}

static bool number(const struct driverlog_call *c, size_t word, int64_t max, int64_t *ret)
{
    return c && driverlog_number(c, word, ret) && *ret >= 0 && *ret <= max;
}

/* -- pairs -------------------------------------------------------------------------------------------------------------- */

/* Both ways must work; a pair of which one way is not known is not known. */
static enum tri both(enum tri a, enum tri b)
{
    return a == TRI_NO || b == TRI_NO ? TRI_NO : a == TRI_YES && b == TRI_YES ? TRI_YES : TRI_UNKNOWN;
}

static enum tri yes_no(struct arena *a, const struct driverlog *l, const char *symbol, const char *word, uint32_t i, uint32_t k)
{
    int64_t v;
    if (!number(good(l, arena_printf(a, "%s %u %u%s", symbol, i, k, word)), 0, INT64_MAX, &v))
        return TRI_UNKNOWN;
    return v ? TRI_YES : TRI_NO;
}

void gpu_cuda_parts(struct arena *a, struct facts *f, const struct driverlog *l)
{
    static const char peer[] = "cuDeviceCanAccessPeer", attribute[] = "cuDeviceGetP2PAttribute", atomics[] = " NATIVE_ATOMIC_SUPPORTED";
    for (uint32_t i = 0; i < f->n_cuda_devices; i++)
        f->cuda_devices[i].pci = links_plain_pci(a, f->cuda_devices[i].pci);
    for (uint32_t i = 0; i < f->n_cuda_devices && f->n_cuda_devices <= GPU_PAIR_DEVICES_MAX; i++)
        for (uint32_t k = i + 1; k < f->n_cuda_devices; k++) {
            struct fact_gpu_link *x = links_get(a, f, f->cuda_devices[i].pci, f->cuda_devices[k].pci);
            if (!x)
                continue;
            x->peer_cuda = both(yes_no(a, l, peer, "", i, k), yes_no(a, l, peer, "", k, i));
            x->peer_atomics = both(yes_no(a, l, attribute, atomics, i, k), yes_no(a, l, attribute, atomics, k, i));
        }
}

/* NVML's levels lie ten apart. */
static enum fact_gpu_path to_path(int64_t level)
{
    static const enum fact_gpu_path paths[] = {FACT_GPU_PATH_SAME_BOARD, FACT_GPU_PATH_ONE_SWITCH, FACT_GPU_PATH_SEVERAL_SWITCHES,
                                               FACT_GPU_PATH_HOST_BRIDGE, FACT_GPU_PATH_NUMA_NODE, FACT_GPU_PATH_SYSTEM};
    return level % 10 == 0 && level / 10 < (int64_t)TG_COUNT(paths) ? paths[level / 10] : FACT_GPU_PATH_UNKNOWN;
}

static void status(const struct driverlog_call *c, bool *has, int32_t *ret)
{
    int64_t v = 0;
    *has = number(c, 0, INT32_MAX, &v);
    *ret = (int32_t)v;
}

/* Links whose other end is this GPU. false: the ends are not known. */
static bool links_to(const struct driverlog_call *ends, const char *pci, uint32_t *ret)
{
    *ret = 0;
    for (const char *p = ends ? ends->value : ""; *p; p += strspn(p, " ")) {
        char word[32];
        size_t n = strcspn(p, " ");
        if (n < sizeof word) {
            memcpy(word, p, n);
            word[n] = '\0';
            *ret += links_same_pci(word, pci);
        }
        p += n;
    }
    return ends != NULL;
}

static void nvml_pair(struct arena *a, struct facts *f, const struct driverlog *l, uint32_t i, uint32_t k)
{
    struct fact_gpu_link *x = links_get(a, f, f->nvml_devices[i].pci, f->nvml_devices[k].pci);
    int64_t level;
    if (!x)
        return;
    if (number(good(l, arena_printf(a, "nvmlDeviceGetTopologyCommonAncestor %u %u", i, k)), 0, 1000, &level))
        x->path = to_path(level);
    status(good(l, arena_printf(a, "nvmlDeviceGetP2PStatus %u %u READ", i, k)), &x->has_peer_read, &x->peer_read);
    status(good(l, arena_printf(a, "nvmlDeviceGetP2PStatus %u %u WRITE", i, k)), &x->has_peer_write, &x->peer_write);
    status(good(l, arena_printf(a, "nvmlDeviceGetP2PStatus %u %u NVLINK", i, k)), &x->has_peer_nvlink, &x->peer_nvlink);
    const struct driverlog_call *ends = good(l, arena_printf(a, "nvmlDeviceGetNvLinkRemotePciInfo_v2 %u", i));
    x->has_nvlinks = links_to(ends, f->nvml_devices[k].pci, &x->nvlinks);
    if (x->nvlinks == 0 && x->has_peer_nvlink && x->peer_nvlink == 0) { /* all links end at switches */
        uint32_t n = f->nvml_devices[i].nvlinks, m = f->nvml_devices[k].nvlinks;
        x->nvlinks = n < m ? n : m;
        x->has_nvlinks = f->nvml_devices[i].has_nvlinks && f->nvml_devices[k].has_nvlinks;
    }
}

/* -- devices ------------------------------------------------------------------------------------------------------------ */

static void count_links(struct arena *a, const struct driverlog *l, struct fact_nvml_device *d)
{
    const struct driverlog_call *c = good(l, arena_printf(a, "nvmlDeviceGetNvLinkState %u", d->index));
    int64_t v;
    d->has_nvlinks = c != NULL;
    for (size_t w = 0; number(c, w, 1, &v); w++)
        d->nvlinks += (uint32_t)v;
}

static void compute_capability(struct arena *a, const struct driverlog *l, struct fact_nvml_device *d)
{
    const struct driverlog_call *c = good(l, arena_printf(a, "nvmlDeviceGetCudaComputeCapability %u", d->index));
    int64_t major, minor;
    if (!number(c, 0, 1000, &major) || !number(c, 1, 9, &minor))
        return;
    d->has_cc = true;
    d->cc = (uint32_t)(major * 10 + minor);
}

static void find_slices(struct arena *a, const struct driverlog *l, struct fact_nvml_device *d)
{
    for (uint32_t k = 0; k < GPU_PARTS_MAX; k++) {
        if (!good(l, arena_printf(a, "nvmlDeviceGetMigDeviceHandleByIndex %u %u", d->index, k)))
            continue;
        const struct driverlog_call *name = good(l, arena_printf(a, "nvmlDeviceGetName %u %u", d->index, k));
        const struct driverlog_call *uuid = good(l, arena_printf(a, "nvmlDeviceGetUUID %u %u", d->index, k));
        const struct driverlog_call *memory = good(l, arena_printf(a, "nvmlDeviceGetMemoryInfo %u %u", d->index, k));
        struct fact_mig_device *m = ARENA_PUSH(a, d->mig, d->n_mig);
        int64_t v = 0;
        *m = (struct fact_mig_device){.index = k, .name = name ? name->value : NULL, .uuid = uuid ? uuid->value : NULL};
        if ((m->has_memory_total = number(memory, 0, INT64_MAX, &v)))
            m->memory_total = (uint64_t)v;
        if ((m->has_memory_used = number(memory, 2, INT64_MAX, &v)))
            m->memory_used = (uint64_t)v;
    }
}

/* "PID BYTES PID BYTES …"; -1: the driver does not know how much (inside a container, or WSL). */
static void find_processes(struct arena *a, struct facts *f, const struct driverlog *l, uint32_t device, const char *symbol, bool graphics)
{
    const struct driverlog_call *c = good(l, arena_printf(a, "%s %u", symbol, device));
    int64_t pid, bytes;
    for (size_t w = 0; number(c, w, UINT32_MAX, &pid) && driverlog_number(c, w + 1, &bytes); w += 2) {
        const struct driverlog_call *name = good(l, arena_printf(a, "nvmlSystemGetProcessName pid %u", (uint32_t)pid));
        struct fact_nvml_process *p = ARENA_PUSH(a, f->nvml_processes, f->n_nvml_processes);
        *p = (struct fact_nvml_process){.device = device, .pid = (uint32_t)pid, .graphics = graphics, .has_memory = bytes >= 0,
                                        .memory = bytes >= 0 ? (uint64_t)bytes : 0, .name = name && *name->value ? name->value : NULL};
    }
}

void gpu_nvml_parts(struct arena *a, struct facts *f, const struct driverlog *l)
{
    for (uint32_t i = 0; i < f->n_nvml_devices; i++)
        f->nvml_devices[i].pci = links_plain_pci(a, f->nvml_devices[i].pci);
    for (uint32_t i = 0; i < f->n_nvml_devices; i++) {
        compute_capability(a, l, &f->nvml_devices[i]);
        count_links(a, l, &f->nvml_devices[i]);
        find_slices(a, l, &f->nvml_devices[i]);
        find_processes(a, f, l, i, "nvmlDeviceGetComputeRunningProcesses_v3", false);
        find_processes(a, f, l, i, "nvmlDeviceGetGraphicsRunningProcesses_v3", true);
    }
    for (uint32_t i = 0; i < f->n_nvml_devices; i++)
        for (uint32_t k = i + 1; k < f->n_nvml_devices && f->n_nvml_devices <= GPU_PAIR_DEVICES_MAX; k++)
            nvml_pair(a, f, l, i, k);
}
