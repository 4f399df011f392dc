/* SPDX-License-Identifier: Apache-2.0 */
/* calls_nvml - the functions of libnvidia-ml.so.1 that are asked. Source of prototypes and numbers: nvml.h of the CUDA toolkit. */
#include "base/util.h"
#include "gpu/calls.h"

enum { NOT_SUPPORTED = 3 };

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

/* nvmlPciInfo_t; only the address is taken */
static int pci(gpu_fn *fn, struct gpu_at *at, int number, struct gpu_out *out)
{
    (void)number;
    struct { char bus_id_legacy[16]; unsigned domain, bus, device, pci_device_id, pci_subsystem_id; char bus_id[32]; } p = {0};
    int rc = ((int (*)(void *, void *))fn)(at->dev, &p);
    gpu_put_text(out, p.bus_id, sizeof p.bus_id);
    return rc;
}

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
};

const struct gpu_table gpu_nvml = {
    .calls = calls, .n_calls = TG_COUNT(calls), .api = api, .n_api = TG_COUNT(api), .device = device, .n_device = TG_COUNT(device),
    .not_supported = NOT_SUPPORTED,
};
