/* SPDX-License-Identifier: Apache-2.0 */
/* calls_nvml - the functions of libnvidia-ml.so.1 that are asked. Source of prototypes and numbers: nvml.h of the CUDA toolkit. */
#include <stdio.h>
#include "base/util.h"
#include "gpu/calls.h"

enum { INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3, NO_PERMISSION = 4, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7 };

static int nothing(gpu_fn *fn, struct gpu_at *at, int number, struct gpu_out *out)
{
    (void)at;
    (void)number;
    (void)out;
    return ((int (*)(void))fn)();
}

static int lib_text(gpu_fn *fn, struct gpu_at *at, int number, struct gpu_out *out)
{
    (void)at;
    (void)number;
    char s[128] = "";
    int rc = ((int (*)(char *, unsigned))fn)(s, (unsigned)sizeof s);
    gpu_put_text(out, s, sizeof s);
    return rc;
}

static int lib_number(gpu_fn *fn, struct gpu_at *at, int number, struct gpu_out *out)
{
    (void)at;
    (void)number;
    unsigned v = 0;
    int rc = ((int (*)(unsigned *))fn)(&v);
    gpu_put_u64(out, v);
    return rc;
}

static int handle(gpu_fn *fn, struct gpu_at *at, int number, struct gpu_out *out)
{
    (void)number;
    (void)out;
    at->dev = NULL;
    return ((int (*)(unsigned, void **))fn)((unsigned)at->i, &at->dev);
}

static int text(gpu_fn *fn, struct gpu_at *at, int number, struct gpu_out *out)
{
    (void)number;
    char s[128] = "";
    int rc = ((int (*)(void *, char *, unsigned))fn)(at->dev, s, (unsigned)sizeof s);
    gpu_put_text(out, s, sizeof s);
    return rc;
}

static int number_of(gpu_fn *fn, struct gpu_at *at, int number, struct gpu_out *out)
{
    (void)number;
    unsigned v = 0;
    int rc = ((int (*)(void *, unsigned *))fn)(at->dev, &v);
    gpu_put_u64(out, v);
    return rc;
}

/* nvmlMemory_t */
static int memory(gpu_fn *fn, struct gpu_at *at, int number, struct gpu_out *out)
{
    (void)number;
    struct { unsigned long long total, free, used; } m = {0};
    int rc = ((int (*)(void *, void *))fn)(at->dev, &m);
    gpu_put_u64(out, m.total);
    gpu_put_u64(out, m.free);
    gpu_put_u64(out, m.used);
    return rc;
}

/* nvmlMemory_v2_t: the driver's own share is counted apart */
static int memory_v2(gpu_fn *fn, struct gpu_at *at, int number, struct gpu_out *out)
{
    (void)number;
    struct { unsigned version; unsigned long long total, reserved, free, used; } m = {.version = (unsigned)(sizeof m | 2u << 24)};
    int rc = ((int (*)(void *, void *))fn)(at->dev, &m);
    gpu_put_u64(out, m.total);
    gpu_put_u64(out, m.free);
    gpu_put_u64(out, m.used);
    gpu_put_u64(out, m.reserved);
    return rc;
}

struct pci_info { char bus_id_legacy[16]; unsigned domain, bus, device, pci_device_id, pci_subsystem_id; char bus_id[32]; }; /* nvmlPciInfo_t */

static int pci(gpu_fn *fn, struct gpu_at *at, int number, struct gpu_out *out)
{
    (void)number;
    struct pci_info p = {0};
    int rc = ((int (*)(void *, void *))fn)(at->dev, &p);
    gpu_put_text(out, p.bus_id, sizeof p.bus_id);
    return rc;
}

/* f(device, which, &number) */
static int number_which(gpu_fn *fn, struct gpu_at *at, int number, struct gpu_out *out)
{
    unsigned v = 0;
    int rc = ((int (*)(void *, unsigned, unsigned *))fn)(at->dev, (unsigned)number, &v);
    gpu_put_u64(out, v);
    return rc;
}

/* f(device, &first, &second) */
static int two_numbers(gpu_fn *fn, struct gpu_at *at, int number, struct gpu_out *out)
{
    (void)number;
    unsigned v[2] = {0};
    int rc = ((int (*)(void *, unsigned *, unsigned *))fn)(at->dev, &v[0], &v[1]);
    gpu_put_u64(out, v[0]);
    gpu_put_u64(out, v[1]);
    return rc;
}

/* nvmlUtilization_t */
static int utilization(gpu_fn *fn, struct gpu_at *at, int number, struct gpu_out *out)
{
    (void)number;
    unsigned v[2] = {0};
    int rc = ((int (*)(void *, unsigned *))fn)(at->dev, v);
    gpu_put_u64(out, v[0]);
    gpu_put_u64(out, v[1]);
    return rc;
}

static int bits(gpu_fn *fn, struct gpu_at *at, int number, struct gpu_out *out)
{
    (void)number;
    unsigned long long v = 0;
    int rc = ((int (*)(void *, unsigned long long *))fn)(at->dev, &v);
    gpu_put_u64(out, v);
    return rc;
}

/* nvmlDeviceGetTotalEccErrors: uncorrected ones since the driver was loaded */
static int ecc_errors(gpu_fn *fn, struct gpu_at *at, int number, struct gpu_out *out)
{
    enum { UNCORRECTED = 1, VOLATILE = 0 };
    (void)number;
    unsigned long long v = 0;
    int rc = ((int (*)(void *, int, int, unsigned long long *))fn)(at->dev, UNCORRECTED, VOLATILE, &v);
    gpu_put_u64(out, v);
    return rc;
}

/* nvmlDeviceGetRemappedRows: rows for corrected and uncorrected errors, a reset is due, no spare row is left */
static int remapped_rows(gpu_fn *fn, struct gpu_at *at, int number, struct gpu_out *out)
{
    (void)number;
    unsigned v[4] = {0};
    int rc = ((int (*)(void *, unsigned *, unsigned *, unsigned *, unsigned *))fn)(at->dev, &v[0], &v[1], &v[2], &v[3]);
    for (size_t i = 0; i < TG_COUNT(v); i++)
        gpu_put_u64(out, v[i]);
    return rc;
}

enum { LINKS_MAX = 18 };

/* The state of each link that the GPU has; the first number that it does not know ends the list. */
static int link_states(gpu_fn *fn, struct gpu_at *at, int number, struct gpu_out *out)
{
    (void)number;
    for (unsigned link = 0; link < LINKS_MAX; link++) {
        unsigned active = 0;
        int rc = ((int (*)(void *, unsigned, unsigned *))fn)(at->dev, link, &active);
        if (rc != 0)
            return link == 0 ? rc == INVALID_ARGUMENT ? NOT_SUPPORTED : rc : 0;
        gpu_put_u64(out, active);
    }
    return 0;
}

/* What each link leads to; "-" where there is nothing. */
static int link_ends(gpu_fn *fn, struct gpu_at *at, int number, struct gpu_out *out)
{
    (void)number;
    for (unsigned link = 0; link < LINKS_MAX; link++) {
        struct pci_info p = {0};
        int rc = ((int (*)(void *, unsigned, void *))fn)(at->dev, link, &p);
        if (link == 0 && rc == NOT_SUPPORTED)
            return rc;
        if (rc != 0)
            snprintf(p.bus_id, sizeof p.bus_id, "-");
        p.bus_id[sizeof p.bus_id - 1] = '\0';
        gpu_put_text(out, p.bus_id, sizeof p.bus_id);
    }
    return 0;
}

/* nvmlProcessInfo_t of the functions with _v2 and _v3. Answer: "PID BYTES PID BYTES …", as many as fit. */
struct process { unsigned pid; unsigned long long bytes; unsigned gpu_instance, compute_instance; };
static void put_process(struct gpu_at *at, struct gpu_out *out, unsigned pid, unsigned long long bytes)
{
    enum { PAIR_MAX = 10 + 20 + 2 };
    if (out->len + PAIR_MAX >= sizeof out->text)
        return;
    gpu_put_u64(out, pid);
    gpu_put_i64(out, (int64_t)bytes); /* all bits set: not known */
    for (size_t i = 0; i < at->pids->n; i++)
        if (at->pids->pid[i] == pid)
            return;
    if (at->pids->n < GPU_PIDS_MAX)
        at->pids->pid[at->pids->n++] = pid;
}

static int processes(gpu_fn *fn, struct gpu_at *at, int number, struct gpu_out *out)
{
    (void)number;
    struct process list[GPU_PIDS_MAX] = {{0}};
    unsigned n = GPU_PIDS_MAX;
    int rc = ((int (*)(void *, unsigned *, void *))fn)(at->dev, &n, list);
    for (unsigned i = 0; rc == 0 && i < n && i < GPU_PIDS_MAX; i++)
        put_process(at, out, list[i].pid, list[i].bytes);
    return rc == INSUFFICIENT_SIZE ? 0 : rc;
}

/* A process that ended since, or that another user owns, has no name for us; that is no failure of the driver. */
static int process_name(gpu_fn *fn, struct gpu_at *at, int number, struct gpu_out *out)
{
    (void)number;
    char s[256] = "";
    int rc = ((int (*)(unsigned, char *, unsigned))fn)(at->pid, s, (unsigned)sizeof s);
    gpu_put_text(out, s, sizeof s);
    return rc == NOT_FOUND || rc == NO_PERMISSION ? NOT_SUPPORTED : rc;
}

/* A number without a slice is no failure: it has no handle. */
static int slice(gpu_fn *fn, struct gpu_at *at, int number, struct gpu_out *out)
{
    (void)number;
    (void)out;
    int rc = ((int (*)(void *, unsigned, void **))fn)(at->dev, (unsigned)at->k, &at->sub);
    if (rc == 0 && at->sub)
        return 0;
    at->sub = NULL;
    return rc == NOT_FOUND || rc == INVALID_ARGUMENT ? NOT_SUPPORTED : rc;
}

static int slice_text(gpu_fn *fn, struct gpu_at *at, int number, struct gpu_out *out)
{
    struct gpu_at part = {.dev = at->sub};
    return text(fn, &part, number, out);
}

static int slice_memory(gpu_fn *fn, struct gpu_at *at, int number, struct gpu_out *out)
{
    struct gpu_at part = {.dev = at->sub};
    return memory(fn, &part, number, out);
}

/* f(device, device, &number) */
static int pair_number(gpu_fn *fn, struct gpu_at *at, int number, struct gpu_out *out)
{
    (void)number;
    unsigned v = 0;
    int rc = ((int (*)(void *, void *, unsigned *))fn)(at->dev, at->other, &v);
    gpu_put_u64(out, v);
    return rc;
}

/* f(device, device, which, &number) */
static int pair_which(gpu_fn *fn, struct gpu_at *at, int number, struct gpu_out *out)
{
    unsigned v = 0;
    int rc = ((int (*)(void *, void *, int, unsigned *))fn)(at->dev, at->other, number, &v);
    gpu_put_u64(out, v);
    return rc;
}

/* Numbers of nvml.h that calls are made with. */
enum { SENSOR_GPU = 0, THRESHOLD_SLOWDOWN = 1, CLOCK_SM = 1, CLOCK_MEMORY = 2, P2P_READ = 0, P2P_WRITE = 1, P2P_NVLINK = 2 };

static const struct gpu_call calls[] = {
    {GPU_PER_LIB, GPU_INIT, "nvmlInit_v2", NULL, 0, nothing},
    {GPU_PER_LIB, GPU_PLAIN, "nvmlSystemGetDriverVersion", NULL, 0, lib_text},
    {GPU_PER_LIB, GPU_PLAIN, "nvmlSystemGetNVMLVersion", NULL, 0, lib_text},
    {GPU_PER_LIB, GPU_PLAIN, "nvmlSystemGetCudaDriverVersion_v2", NULL, 0, lib_number},
    {GPU_PER_LIB, GPU_COUNT, "nvmlDeviceGetCount_v2", NULL, 0, lib_number},
    {GPU_PER_DEVICE, GPU_HANDLE, "nvmlDeviceGetHandleByIndex_v2", NULL, 0, handle},
    {GPU_PER_DEVICE, GPU_PLAIN, "nvmlDeviceGetName", NULL, 0, text},
    {GPU_PER_DEVICE, GPU_PLAIN, "nvmlDeviceGetUUID", NULL, 0, text},
    {GPU_PER_DEVICE, GPU_PLAIN, "nvmlDeviceGetPciInfo_v3", NULL, 0, pci},
    {GPU_PER_DEVICE, GPU_PLAIN, "nvmlDeviceGetMemoryInfo", NULL, 0, memory},
    {GPU_PER_DEVICE, GPU_PLAIN, "nvmlDeviceGetComputeMode", NULL, 0, number_of},
    {GPU_PER_DEVICE, GPU_PLAIN, "nvmlDeviceGetPersistenceMode", NULL, 0, number_of},
    {GPU_PER_DEVICE, GPU_PLAIN, "nvmlDeviceGetMemoryInfo_v2", NULL, 0, memory_v2},
    {GPU_PER_DEVICE, GPU_PLAIN, "nvmlDeviceGetCudaComputeCapability", NULL, 0, two_numbers},
    {GPU_PER_DEVICE, GPU_SPLIT, "nvmlDeviceGetMigMode", NULL, 0, two_numbers},
    {GPU_PER_DEVICE, GPU_PLAIN, "nvmlDeviceGetMaxMigDeviceCount", NULL, 0, number_of},
    {GPU_PER_DEVICE, GPU_PLAIN, "nvmlDeviceGetEccMode", NULL, 0, two_numbers},
    {GPU_PER_DEVICE, GPU_PLAIN, "nvmlDeviceGetTotalEccErrors", NULL, 0, ecc_errors},
    {GPU_PER_DEVICE, GPU_PLAIN, "nvmlDeviceGetRemappedRows", NULL, 0, remapped_rows},
    {GPU_PER_DEVICE, GPU_PLAIN, "nvmlDeviceGetCurrPcieLinkGeneration", NULL, 0, number_of},
    {GPU_PER_DEVICE, GPU_PLAIN, "nvmlDeviceGetMaxPcieLinkGeneration", NULL, 0, number_of},
    {GPU_PER_DEVICE, GPU_PLAIN, "nvmlDeviceGetCurrPcieLinkWidth", NULL, 0, number_of},
    {GPU_PER_DEVICE, GPU_PLAIN, "nvmlDeviceGetMaxPcieLinkWidth", NULL, 0, number_of},
    {GPU_PER_DEVICE, GPU_PLAIN, "nvmlDeviceGetPerformanceState", NULL, 0, number_of},
    {GPU_PER_DEVICE, GPU_PLAIN, "nvmlDeviceGetCurrentClocksThrottleReasons", NULL, 0, bits},
    {GPU_PER_DEVICE, GPU_PLAIN, "nvmlDeviceGetTemperature", "GPU", SENSOR_GPU, number_which},
    {GPU_PER_DEVICE, GPU_PLAIN, "nvmlDeviceGetTemperatureThreshold", "SLOWDOWN", THRESHOLD_SLOWDOWN, number_which},
    {GPU_PER_DEVICE, GPU_PLAIN, "nvmlDeviceGetPowerUsage", NULL, 0, number_of},
    {GPU_PER_DEVICE, GPU_PLAIN, "nvmlDeviceGetEnforcedPowerLimit", NULL, 0, number_of},
    {GPU_PER_DEVICE, GPU_PLAIN, "nvmlDeviceGetClockInfo", "SM", CLOCK_SM, number_which},
    {GPU_PER_DEVICE, GPU_PLAIN, "nvmlDeviceGetMaxClockInfo", "SM", CLOCK_SM, number_which},
    {GPU_PER_DEVICE, GPU_PLAIN, "nvmlDeviceGetClockInfo", "MEM", CLOCK_MEMORY, number_which},
    {GPU_PER_DEVICE, GPU_PLAIN, "nvmlDeviceGetMaxClockInfo", "MEM", CLOCK_MEMORY, number_which},
    {GPU_PER_DEVICE, GPU_PLAIN, "nvmlDeviceGetUtilizationRates", NULL, 0, utilization},
    {GPU_PER_DEVICE, GPU_PLAIN, "nvmlDeviceGetDisplayActive", NULL, 0, number_of},
    {GPU_PER_DEVICE, GPU_PLAIN, "nvmlDeviceGetNumaNodeId", NULL, 0, number_of},
    {GPU_PER_DEVICE, GPU_PLAIN, "nvmlDeviceGetNvLinkState", NULL, 0, link_states},
    {GPU_PER_DEVICE, GPU_PLAIN, "nvmlDeviceGetNvLinkRemotePciInfo_v2", NULL, 0, link_ends},
    {GPU_PER_DEVICE, GPU_PLAIN, "nvmlDeviceGetComputeRunningProcesses_v3", NULL, 0, processes},
    {GPU_PER_DEVICE, GPU_PLAIN, "nvmlDeviceGetGraphicsRunningProcesses_v3", NULL, 0, processes},
    {GPU_PER_PART, GPU_HANDLE, "nvmlDeviceGetMigDeviceHandleByIndex", NULL, 0, slice},
    {GPU_PER_PART, GPU_PLAIN, "nvmlDeviceGetName", NULL, 0, slice_text},
    {GPU_PER_PART, GPU_PLAIN, "nvmlDeviceGetUUID", NULL, 0, slice_text},
    {GPU_PER_PART, GPU_PLAIN, "nvmlDeviceGetMemoryInfo", NULL, 0, slice_memory},
    {GPU_PER_TWO, GPU_PLAIN, "nvmlDeviceGetTopologyCommonAncestor", NULL, 0, pair_number},
    {GPU_PER_TWO, GPU_PLAIN, "nvmlDeviceGetP2PStatus", "READ", P2P_READ, pair_which},
    {GPU_PER_TWO, GPU_PLAIN, "nvmlDeviceGetP2PStatus", "WRITE", P2P_WRITE, pair_which},
    {GPU_PER_TWO, GPU_PLAIN, "nvmlDeviceGetP2PStatus", "NVLINK", P2P_NVLINK, pair_which},
    {GPU_PER_PROCESS, GPU_PLAIN, "nvmlSystemGetProcessName", NULL, 0, process_name},
    {GPU_AT_END, GPU_PLAIN, "nvmlShutdown", NULL, 0, nothing},
};

static const struct gpu_take api[] = {
    {"nvmlSystemGetDriverVersion", 0, GPU_TEXT(nvml_api, driver_version)},
    {"nvmlSystemGetNVMLVersion", 0, GPU_TEXT(nvml_api, nvml_version)},
    {"nvmlSystemGetCudaDriverVersion_v2", 0, GPU_U32(nvml_api, cuda_version)},
    {"nvmlDeviceGetCount_v2", 0, GPU_U32(nvml_api, count)},
};

static const struct gpu_take device[] = {
    {"nvmlDeviceGetName", 0, GPU_TEXT(nvml_device, name)},
    {"nvmlDeviceGetUUID", 0, GPU_TEXT(nvml_device, uuid)},
    {"nvmlDeviceGetPciInfo_v3", 0, GPU_TEXT(nvml_device, pci)},
    {"nvmlDeviceGetMemoryInfo", 0, GPU_U64(nvml_device, memory_total)},
    {"nvmlDeviceGetMemoryInfo", 1, GPU_U64(nvml_device, memory_free)},
    {"nvmlDeviceGetMemoryInfo", 2, GPU_U64(nvml_device, memory_used)},
    {"nvmlDeviceGetComputeMode", 0, GPU_MODE(nvml_device, compute_mode)},
    {"nvmlDeviceGetPersistenceMode", 0, GPU_TRI(nvml_device, persistence)},
    {"nvmlDeviceGetMemoryInfo_v2", 3, GPU_U64(nvml_device, memory_reserved)},
    {"nvmlDeviceGetMigMode", 0, GPU_TRI(nvml_device, mig_mode)},
    {"nvmlDeviceGetMigMode", 1, GPU_TRI(nvml_device, mig_pending)},
    {"nvmlDeviceGetMaxMigDeviceCount", 0, GPU_U32(nvml_device, mig_max)},
    {"nvmlDeviceGetEccMode", 0, GPU_TRI(nvml_device, ecc)},
    {"nvmlDeviceGetTotalEccErrors", 0, GPU_U64(nvml_device, ecc_uncorrected)},
    {"nvmlDeviceGetRemappedRows", 2, GPU_TRI(nvml_device, remap_pending)},
    {"nvmlDeviceGetRemappedRows", 3, GPU_TRI(nvml_device, remap_failed)},
    {"nvmlDeviceGetCurrPcieLinkGeneration", 0, GPU_U32(nvml_device, pcie_gen)},
    {"nvmlDeviceGetMaxPcieLinkGeneration", 0, GPU_U32(nvml_device, pcie_gen_max)},
    {"nvmlDeviceGetCurrPcieLinkWidth", 0, GPU_U32(nvml_device, pcie_width)},
    {"nvmlDeviceGetMaxPcieLinkWidth", 0, GPU_U32(nvml_device, pcie_width_max)},
    {"nvmlDeviceGetPerformanceState", 0, GPU_U32(nvml_device, performance_state)},
    {"nvmlDeviceGetCurrentClocksThrottleReasons", 0, GPU_U64(nvml_device, throttle_reasons)},
    {"nvmlDeviceGetTemperature GPU", 0, GPU_U32(nvml_device, temperature)},
    {"nvmlDeviceGetTemperatureThreshold SLOWDOWN", 0, GPU_U32(nvml_device, temperature_slowdown)},
    {"nvmlDeviceGetPowerUsage", 0, GPU_U32(nvml_device, power_mw)},
    {"nvmlDeviceGetEnforcedPowerLimit", 0, GPU_U32(nvml_device, power_limit_mw)},
    {"nvmlDeviceGetClockInfo SM", 0, GPU_U32(nvml_device, sm_clock_mhz)},
    {"nvmlDeviceGetMaxClockInfo SM", 0, GPU_U32(nvml_device, sm_clock_max_mhz)},
    {"nvmlDeviceGetClockInfo MEM", 0, GPU_U32(nvml_device, memory_clock_mhz)},
    {"nvmlDeviceGetMaxClockInfo MEM", 0, GPU_U32(nvml_device, memory_clock_max_mhz)},
    {"nvmlDeviceGetUtilizationRates", 0, GPU_U32(nvml_device, utilization)},
    {"nvmlDeviceGetDisplayActive", 0, GPU_TRI(nvml_device, display_active)},
    {"nvmlDeviceGetNumaNodeId", 0, GPU_U32(nvml_device, numa_node)},
};

const struct gpu_table gpu_nvml = {
    .calls = calls, .n_calls = TG_COUNT(calls), .api = api, .n_api = TG_COUNT(api), .device = device, .n_device = TG_COUNT(device),
    .not_supported = NOT_SUPPORTED,
};
