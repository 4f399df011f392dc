/* SPDX-License-Identifier: Apache-2.0 */
/* calls_cuda - the functions of libcuda.so.1 that are asked. Source of prototypes and numbers: cuda.h of the CUDA toolkit. */
#include "base/util.h"
#include "gpu/calls.h"

enum { ATTR_CLOCK_RATE = 13, ATTR_MULTIPROCESSOR_COUNT = 16, ATTR_INTEGRATED = 18, ATTR_COMPUTE_MODE = 20, ATTR_MEMORY_CLOCK_RATE = 36,
       ATTR_GLOBAL_MEMORY_BUS_WIDTH = 37, ATTR_CC_MAJOR = 75, ATTR_CC_MINOR = 76 };
enum { P2P_NATIVE_ATOMIC = 3 };
enum { NOT_SUPPORTED = 801 };

static int device_of(const void *handle)
{
    return (int)(intptr_t)handle;
}

static int init(gpu_fn *fn, struct gpu_at *at, int flags, struct gpu_out *out)
{
    (void)at;
    (void)out;
    return ((int (*)(unsigned))fn)((unsigned)flags);
}

static int one_int(gpu_fn *fn, struct gpu_at *at, int number, struct gpu_out *out)
{
    (void)at;
    (void)number;
    int v = 0, rc = ((int (*)(int *))fn)(&v);
    gpu_put_i64(out, v);
    return rc;
}

static int handle(gpu_fn *fn, struct gpu_at *at, int number, struct gpu_out *out)
{
    (void)number;
    int dev = 0, rc = ((int (*)(int *, int))fn)(&dev, at->i);
    at->dev = (void *)(intptr_t)dev;
    gpu_put_i64(out, dev);
    return rc;
}

static int text(gpu_fn *fn, struct gpu_at *at, int number, struct gpu_out *out)
{
    (void)number;
    char s[256] = "";
    int rc = ((int (*)(char *, int, int))fn)(s, (int)sizeof s, device_of(at->dev));
    gpu_put_text(out, s, sizeof s);
    return rc;
}

static int uuid(gpu_fn *fn, struct gpu_at *at, int number, struct gpu_out *out)
{
    (void)number;
    unsigned char bytes[16] = {0};
    int rc = ((int (*)(unsigned char *, int))fn)(bytes, device_of(at->dev));
    gpu_put_uuid(out, "", bytes);
    return rc;
}

static int size(gpu_fn *fn, struct gpu_at *at, int number, struct gpu_out *out)
{
    (void)number;
    size_t bytes = 0;
    int rc = ((int (*)(size_t *, int))fn)(&bytes, device_of(at->dev));
    gpu_put_u64(out, bytes);
    return rc;
}

static int attribute(gpu_fn *fn, struct gpu_at *at, int number, struct gpu_out *out)
{
    int v = 0, rc = ((int (*)(int *, int, int))fn)(&v, number, device_of(at->dev));
    gpu_put_i64(out, v);
    return rc;
}

static int peer(gpu_fn *fn, struct gpu_at *at, int number, struct gpu_out *out)
{
    (void)number;
    int v = 0, rc = ((int (*)(int *, int, int))fn)(&v, device_of(at->dev), device_of(at->other));
    gpu_put_i64(out, v);
    return rc;
}

static int peer_attribute(gpu_fn *fn, struct gpu_at *at, int number, struct gpu_out *out)
{
    int v = 0, rc = ((int (*)(int *, int, int, int))fn)(&v, number, device_of(at->dev), device_of(at->other));
    gpu_put_i64(out, v);
    return rc;
}

#define ATTRIBUTE(n) {GPU_PER_DEVICE, GPU_PLAIN, "cuDeviceGetAttribute", #n, ATTR_##n, attribute}

/* The version comes first: it is known even where cuInit hangs. */
static const struct gpu_call calls[] = {
    {GPU_PER_LIB, GPU_PLAIN, "cuDriverGetVersion", NULL, 0, one_int},
    {GPU_PER_LIB, GPU_INIT, "cuInit", NULL, 0, init},
    {GPU_PER_LIB, GPU_COUNT, "cuDeviceGetCount", NULL, 0, one_int},
    {GPU_PER_DEVICE, GPU_HANDLE, "cuDeviceGet", NULL, 0, handle},
    {GPU_PER_DEVICE, GPU_PLAIN, "cuDeviceGetName", NULL, 0, text},
    ATTRIBUTE(CC_MAJOR),
    ATTRIBUTE(CC_MINOR),
    ATTRIBUTE(MULTIPROCESSOR_COUNT),
    ATTRIBUTE(COMPUTE_MODE),
    {GPU_PER_DEVICE, GPU_PLAIN, "cuDeviceGetPCIBusId", NULL, 0, text},
    {GPU_PER_DEVICE, GPU_PLAIN, "cuDeviceTotalMem_v2", NULL, 0, size},
    {GPU_PER_DEVICE, GPU_PLAIN, "cuDeviceGetUuid_v2", NULL, 0, uuid}, /* of a MIG slice: the slice's */
    {GPU_PER_DEVICE, GPU_PLAIN, "cuDeviceGetUuid", NULL, 0, uuid},
    ATTRIBUTE(INTEGRATED),
    ATTRIBUTE(CLOCK_RATE),
    ATTRIBUTE(MEMORY_CLOCK_RATE),
    ATTRIBUTE(GLOBAL_MEMORY_BUS_WIDTH),
    {GPU_PER_PAIR, GPU_PLAIN, "cuDeviceCanAccessPeer", NULL, 0, peer},
    {GPU_PER_PAIR, GPU_PLAIN, "cuDeviceGetP2PAttribute", "NATIVE_ATOMIC_SUPPORTED", P2P_NATIVE_ATOMIC, peer_attribute},
};

static const struct gpu_take api[] = {
    {"cuDriverGetVersion", 0, GPU_U32(cuda_api, driver_api)},
    {"cuDeviceGetCount", 0, GPU_U32(cuda_api, count)},
};

static const struct gpu_take device[] = {
    {"cuDeviceGetName", 0, GPU_TEXT(cuda_device, name)},
    {"cuDeviceGetUuid_v2", 0, GPU_TEXT(cuda_device, uuid)},
    {"cuDeviceGetUuid", 0, GPU_TEXT(cuda_device, uuid)},
    {"cuDeviceGetPCIBusId", 0, GPU_TEXT(cuda_device, pci)},
    {"cuDeviceTotalMem_v2", 0, GPU_U64(cuda_device, memory)},
    {"cuDeviceGetAttribute MULTIPROCESSOR_COUNT", 0, GPU_U32(cuda_device, multiprocessors)},
    {"cuDeviceGetAttribute COMPUTE_MODE", 0, GPU_MODE(cuda_device, compute_mode)},
    {"cuDeviceGetAttribute INTEGRATED", 0, GPU_TRI(cuda_device, integrated)},
    {"cuDeviceGetAttribute CLOCK_RATE", 0, GPU_U32(cuda_device, clock_khz)},
    {"cuDeviceGetAttribute MEMORY_CLOCK_RATE", 0, GPU_U32(cuda_device, memory_clock_khz)},
    {"cuDeviceGetAttribute GLOBAL_MEMORY_BUS_WIDTH", 0, GPU_U32(cuda_device, bus_width)},
};

const struct gpu_table gpu_cuda = {
    .calls = calls, .n_calls = TG_COUNT(calls), .api = api, .n_api = TG_COUNT(api), .device = device, .n_device = TG_COUNT(device),
    .not_supported = NOT_SUPPORTED,
};
