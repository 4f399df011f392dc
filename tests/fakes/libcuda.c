/* SPDX-License-Identifier: Apache-2.0 */
/* libcuda - test double of the CUDA driver library: devices are listed and described, nothing is computed.
 *
 * Names, numbers and results as in the CUDA Driver API reference and cuda.h; what the script (README.md) does not state has the
 * value of one common card. Functions that would need a context answer CUDA_ERROR_NOT_SUPPORTED (cuda-names.c). */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "double.h"
#include "visible.h"

enum { OK, INVALID_VALUE, OUT_OF_MEMORY, NOT_INITIALIZED, NO_DEVICE = 100, INVALID_DEVICE = 101, NOT_FOUND = 500, NOT_SUPPORTED = 801 };
const char double_library[] = "cuda";
const int double_code_lost = 999; /* CUDA_ERROR_UNKNOWN, as after a device fell off the bus */
static struct { bool ready; struct visible visible; } state;

/* Count the call; leave when the script makes it fail. */
#define CALL(gpu)                                      \
    do {                                               \
        int code_ = double_call(__func__, gpu);        \
        if (code_)                                     \
            return code_;                              \
    } while (0)
/* The same for a function on a device handle, which is a position in the visible list. */
#define DEVICE(handle)                                                          \
    do {                                                                        \
        CALL(physical(handle));                                                 \
        if (!state.ready)                                                       \
            return NOT_INITIALIZED;                                             \
        if (physical(handle) < 0)                                               \
            return INVALID_DEVICE;                                              \
    } while (0)

static int physical(int handle) { return handle >= 0 && (unsigned)handle < state.visible.n ? state.visible.device[handle].gpu : DOUBLE_ANY; }
static int mig(int handle) { return state.visible.device[handle].mig; }

API int cuInit(unsigned flags)
{
    CALL(DOUBLE_ANY);
    if (flags)
        return INVALID_VALUE;
    visible_devices(getenv("CUDA_VISIBLE_DEVICES"), getenv("CUDA_DEVICE_ORDER"), &state.visible);
    state.ready = state.visible.n > 0;
    return state.ready ? OK : NO_DEVICE;
}

API int cuDriverGetVersion(int *version)
{
    CALL(DOUBLE_ANY);
    unsigned v[2];
    double_pair(DOUBLE_ANY, "cuda", 12, 4, v);
    *version = (int)(v[0] * 1000 + v[1] * 10);
    return OK;
}

API int cuDeviceGetCount(int *count)
{
    CALL(DOUBLE_ANY);
    if (!state.ready)
        return NOT_INITIALIZED;
    *count = (int)state.visible.n;
    return OK;
}

API int cuDeviceGet(int *device, int ordinal)
{
    DEVICE(ordinal);
    *device = ordinal;
    return OK;
}

API int cuDeviceGetName(char *name, int len, int dev)
{
    DEVICE(dev);
    char text[128];
    double_copy(text, sizeof text, double_text(physical(dev), "name", "Driver Double (no hardware)"));
    if (mig(dev) >= 0)
        double_copy(text + strlen(text), sizeof text - strlen(text), " MIG 1g.5gb");
    double_copy(name, len > 0 ? (size_t)len : 0, text);
    return OK;
}

/* 16 bytes from the digits of GPU-xxxxxxxx-xxxx-… */
static void uuid_bytes(const char *text, unsigned char ret[16])
{
    const char *digits = "0123456789abcdef";
    unsigned n = 0;
    memset(ret, 0, 16);
    for (const char *s = text + 4, *d; *s && n < 32; s++)
        if ((d = strchr(digits, *s | 0x20)) != NULL) {
            ret[n / 2] = (unsigned char)(ret[n / 2] << 4 | (d - digits));
            n++;
        }
}

API int cuDeviceGetUuid(void *uuid, int dev)
{
    DEVICE(dev);
    char text[64];
    uuid_bytes(double_uuid(physical(dev), text), uuid);
    return OK;
}

API int cuDeviceGetUuid_v2(void *uuid, int dev)
{
    DEVICE(dev);
    char text[64];
    int m = mig(dev);
    uuid_bytes(m >= 0 ? double_mig_uuid(physical(dev), (unsigned)m, text) : double_uuid(physical(dev), text), uuid);
    return OK;
}

API int cuDeviceTotalMem_v2(size_t *bytes, int dev)
{
    DEVICE(dev);
    *bytes = double_number(physical(dev), mig(dev) >= 0 ? "mig_memory" : "memory", mig(dev) >= 0 ? 4864ULL << 20 : 24217ULL << 20);
    return OK;
}

API int cuDeviceGetPCIBusId(char *id, int len, int dev)
{
    DEVICE(dev);
    unsigned p[4];
    char text[32];
    double_pci(physical(dev), p);
    (void)snprintf(text, sizeof text, "%04X:%02X:%02X.%X", p[0], p[1], p[2], p[3]);
    if (len <= (int)strlen(text))
        return INVALID_VALUE;
    double_copy(id, (size_t)len, text);
    return OK;
}

API int cuDeviceGetByPCIBusId(int *dev, const char *id)
{
    CALL(DOUBLE_ANY);
    if (!state.ready)
        return NOT_INITIALIZED;
    for (int i = 0; i < (int)state.visible.n; i++) {
        unsigned p[4];
        char text[32];
        double_pci(physical(i), p);
        (void)snprintf(text, sizeof text, "%04X:%02X:%02X.%X", p[0], p[1], p[2], p[3]);
        if (!strcasecmp(text, id) || !strcasecmp(text + 5, id)) {
            *dev = i;
            return OK;
        }
    }
    return INVALID_DEVICE;
}

API int cuDeviceComputeCapability(int *major, int *minor, int dev)
{
    DEVICE(dev);
    unsigned v[2];
    double_pair(physical(dev), "compute", 8, 9, v);
    *major = (int)v[0], *minor = (int)v[1];
    return OK;
}

/* Numbers of CUdevice_attribute; key: name in the script, NULL: always `value`. Others are 0. */
static const struct attribute { int number; const char *key; uint64_t value; uint64_t scale; } attributes[] = {
    {1, NULL, 1024, 1}, {2, NULL, 1024, 1}, {3, NULL, 1024, 1}, {4, NULL, 64, 1}, {5, NULL, 0x7fffffff, 1}, {6, NULL, 65535, 1},
    {7, NULL, 65535, 1}, {8, NULL, 49152, 1}, {9, NULL, 65536, 1}, {10, NULL, 32, 1}, {11, NULL, 0x7fffffff, 1}, {12, NULL, 65536, 1},
    {13, "clock_mhz", 2520, 1000}, {14, NULL, 512, 1}, {15, NULL, 1, 1}, {16, "multiprocessors", 128, 1}, {17, "display", 0, 1},
    {18, "integrated", 0, 1}, {19, NULL, 1, 1}, {20, "compute_mode", 0, 1}, {30, NULL, 512, 1}, {31, NULL, 1, 1}, {32, "ecc", 0, 1},
    {36, "memory_clock_mhz", 10501, 1000}, {37, "memory_bus_bits", 384, 1}, {38, NULL, 75497472, 1}, {39, NULL, 1536, 1}, {40, NULL, 2, 1},
    {41, NULL, 1, 1}, {51, NULL, 32, 1}, {78, NULL, 1, 1}, {79, NULL, 1, 1}, {80, NULL, 1, 1}, {81, NULL, 102400, 1}, {82, NULL, 65536, 1},
    {83, NULL, 1, 1}, {84, "multi_gpu_board", 0, 1}, {87, NULL, 64, 1}, {88, "pageable_memory_access", 0, 1}, {89, NULL, 1, 1}, {90, NULL, 1, 1},
    {91, NULL, 1, 1}, {95, NULL, 1, 1}, {96, NULL, 1, 1}, {97, NULL, 101376, 1}, {99, NULL, 1, 1}, {102, NULL, 1, 1}, {103, NULL, 1, 1},
    {106, NULL, 24, 1}, {111, NULL, 1024, 1}, {115, "memory_pools", 1, 1}, {116, NULL, 1, 1}, {133, "mps", 0, 1},
};

API int cuDeviceGetAttribute(int *value, int number, int dev)
{
    DEVICE(dev);
    unsigned v[4];
    int gpu = physical(dev);
    *value = 0;
    if (number == 33 || number == 34 || number == 50) {
        double_pci(gpu, v);
        *value = (int)(number == 33 ? v[1] : number == 34 ? v[2] : v[0]);
    }
    if (number == 75 || number == 76) {
        double_pair(gpu, "compute", 8, 9, v);
        *value = (int)v[number - 75];
    }
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        const struct attribute *a = &attributes[i];
        if (a->number == number)
            *value = (int)(a->key ? double_number(gpu, a->key, a->value) * a->scale : a->value);
    }
    return OK;
}

/* p2p: 0: no; nvlink: 1 where a link leads to that device. */
API int cuDeviceCanAccessPeer(int *can, int dev, int peer)
{
    DEVICE(dev);
    if (physical(peer) < 0)
        return INVALID_DEVICE;
    char key[32];
    (void)snprintf(key, sizeof key, "p2p.%d", physical(peer));
    *can = dev != peer && double_number(physical(dev), key, double_number(physical(dev), "p2p", 0)) != 0;
    return OK;
}

API int cuDeviceGetP2PAttribute(int *value, int attribute, int src, int dst)
{
    DEVICE(src);
    if (physical(dst) < 0 || src == dst)
        return INVALID_DEVICE;
    char key[32];
    (void)snprintf(key, sizeof key, "p2p.%d", physical(dst));
    bool can = double_number(physical(src), key, double_number(physical(src), "p2p", 0)) != 0;
    *value = attribute == 2 && can; /* 1 performance rank, 2 access, 3 native atomics, 4 arrays */
    return OK;
}

static const struct { int code; const char *name; } errors[] = {
    {0, "CUDA_SUCCESS"}, {1, "CUDA_ERROR_INVALID_VALUE"}, {2, "CUDA_ERROR_OUT_OF_MEMORY"}, {3, "CUDA_ERROR_NOT_INITIALIZED"},
    {34, "CUDA_ERROR_STUB_LIBRARY"}, {36, "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER"}, {46, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
    {100, "CUDA_ERROR_NO_DEVICE"}, {101, "CUDA_ERROR_INVALID_DEVICE"}, {102, "CUDA_ERROR_DEVICE_NOT_LICENSED"},
    {304, "CUDA_ERROR_OPERATING_SYSTEM"}, {500, "CUDA_ERROR_NOT_FOUND"}, {801, "CUDA_ERROR_NOT_SUPPORTED"},
    {802, "CUDA_ERROR_SYSTEM_NOT_READY"}, {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"}, {804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"},
    {999, "CUDA_ERROR_UNKNOWN"},
};

API int cuGetErrorName(int error, const char **name)
{
    CALL(DOUBLE_ANY);
    *name = NULL;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == error)
            *name = errors[i].name;
    return *name ? OK : INVALID_VALUE;
}

API int cuGetErrorString(int error, const char **text)
{
    int code = double_call(__func__, DOUBLE_ANY);
    if (code)
        return code;
    *text = error ? "error of the driver double (" DOUBLE_NOTICE ")" : "no error (" DOUBLE_NOTICE ")";
    return OK;
}

static void *own_symbol(const char *name)
{
    Dl_info self;
    void *handle = dladdr(double_library, &self) ? dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD) : NULL;
    void *p = handle ? dlsym(handle, name) : NULL;
    if (handle)
        (void)dlclose(handle);
    return p;
}

/* Names come without their version suffix; the newest that the double has is given. */
static int proc_address(const char *symbol, void **fn, unsigned *status)
{
    char name[128];
    *fn = NULL;
    for (int v = 3; !*fn && v > 0; v--) {
        if (v > 1)
            (void)snprintf(name, sizeof name, "%s_v%d", symbol, v);
        else
            (void)snprintf(name, sizeof name, "%s", symbol);
        *fn = own_symbol(name);
    }
    if (status)
        *status = *fn ? 0 : 1;
    return *fn ? OK : NOT_FOUND;
}

API int cuGetProcAddress(const char *symbol, void **fn, int version, uint64_t flags)
{
    (void)version, (void)flags;
    CALL(DOUBLE_ANY);
    return proc_address(symbol, fn, NULL);
}

API int cuGetProcAddress_v2(const char *symbol, void **fn, int version, uint64_t flags, unsigned *status)
{
    (void)version, (void)flags;
    CALL(DOUBLE_ANY);
    return proc_address(symbol, fn, status);
}

API int cuDevicePrimaryCtxGetState(int dev, unsigned *flags, int *active)
{
    DEVICE(dev);
    *flags = 0, *active = 0;
    return OK;
}
