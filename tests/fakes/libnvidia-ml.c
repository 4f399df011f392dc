/* SPDX-License-Identifier: Apache-2.0 */
/* libnvidia-ml - test double of the NVIDIA management library: what it says of devices comes from the script (README.md).
 *
 * Names, numbers, structures and results as in the NVML API reference. Devices are in the order of the PCI bus and
 * CUDA_VISIBLE_DEVICES does not hide any. A handle is the address of a device's place in a table. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "double.h"

enum { OK, UNINITIALIZED, INVALID_ARGUMENT, NOT_SUPPORTED, NO_PERMISSION, NOT_FOUND = 6, INSUFFICIENT_SIZE, GPU_IS_LOST = 15 };
enum { MAX_MIG = 8 };
const char double_library[] = "nvml";
const int double_code_lost = GPU_IS_LOST;

struct handle { char unused; };
typedef const struct handle *handle;
static const struct handle gpus[DOUBLE_MAX_DEVICES], migs[DOUBLE_MAX_DEVICES][MAX_MIG];
static unsigned started; /* nvmlInit calls minus nvmlShutdown calls */

struct pci_info { char legacy[16]; unsigned domain, bus, device, device_id, subsystem_id; char id[32]; };
struct memory { uint64_t total, free, used; };
struct memory_v2 { unsigned version; uint64_t total, reserved, free, used; };
struct process { unsigned pid; uint64_t memory; };
struct process_v2 { unsigned pid; uint64_t memory; unsigned gpu_instance, compute_instance; };

static int mig_of(handle h)
{
    const struct handle *first = &migs[0][0];
    return h >= first && h < first + DOUBLE_MAX_DEVICES * MAX_MIG ? (int)(h - first) % MAX_MIG : -1;
}

static int gpu_of(handle h)
{
    const struct handle *first = &migs[0][0];
    if (mig_of(h) >= 0)
        return (int)(h - first) / MAX_MIG;
    return h >= gpus && h < gpus + DOUBLE_MAX_DEVICES ? (int)(h - gpus) : DOUBLE_ANY;
}

/* Count the call; leave when the script makes it fail or nvmlInit is missing. */
#define CALL(gpu)                                      \
    do {                                               \
        int code_ = double_call(__func__, gpu);        \
        if (code_)                                     \
            return code_;                              \
        if (!started)                                  \
            return UNINITIALIZED;                      \
    } while (0)
#define DEVICE(h)                                      \
    do {                                               \
        CALL(gpu_of(h));                               \
        if (gpu_of(h) < 0)                             \
            return INVALID_ARGUMENT;                   \
    } while (0)

static int start(const char *function)
{
    int code = double_call(function, DOUBLE_ANY);
    started += !code;
    return code;
}

API int nvmlInit(void) { return start(__func__); }
API int nvmlInit_v2(void) { return start(__func__); }
API int nvmlInitWithFlags(unsigned flags)
{
    (void)flags;
    return start(__func__);
}

API int nvmlShutdown(void)
{
    CALL(DOUBLE_ANY);
    started--;
    return OK;
}

API const char *nvmlErrorString(int code)
{
    if (double_call(__func__, DOUBLE_ANY))
        return "";
    return code ? "error of the NVML double (" DOUBLE_NOTICE ")" : "success (" DOUBLE_NOTICE ")";
}

static int give_text(char *dst, unsigned size, const char *text)
{
    if (size <= strlen(text))
        return INSUFFICIENT_SIZE;
    double_copy(dst, size, text);
    return OK;
}

API int nvmlSystemGetDriverVersion(char *version, unsigned size)
{
    CALL(DOUBLE_ANY);
    return give_text(version, size, double_text(DOUBLE_ANY, "driver", "550.54.14"));
}

API int nvmlSystemGetNVMLVersion(char *version, unsigned size)
{
    CALL(DOUBLE_ANY);
    char text[80];
    (void)snprintf(text, sizeof text, "12.%s", double_text(DOUBLE_ANY, "driver", "550.54.14"));
    return give_text(version, size, double_text(DOUBLE_ANY, "nvml", text));
}

static int cuda_version(int *version)
{
    unsigned v[2];
    double_pair(DOUBLE_ANY, "cuda", 12, 4, v);
    *version = (int)(v[0] * 1000 + v[1] * 10);
    return OK;
}

API int nvmlSystemGetCudaDriverVersion(int *version)
{
    CALL(DOUBLE_ANY);
    return cuda_version(version);
}

API int nvmlSystemGetCudaDriverVersion_v2(int *version)
{
    CALL(DOUBLE_ANY);
    return cuda_version(version);
}

API int nvmlSystemGetProcessName(unsigned pid, char *name, unsigned size)
{
    CALL(DOUBLE_ANY);
    char key[32];
    (void)snprintf(key, sizeof key, "process_name.%u", pid);
    const char *text = double_text(DOUBLE_ANY, key, NULL);
    return text ? give_text(name, size, text) : NOT_FOUND;
}

static unsigned count(void)
{
    unsigned n = 0;
    for (unsigned i = 0; i < double_devices(); i++)
        n += double_number((int)i, "nvml_sees", 1) != 0;
    return n;
}

API int nvmlDeviceGetCount_v2(unsigned *n)
{
    CALL(DOUBLE_ANY);
    *n = count();
    return OK;
}

API int nvmlDeviceGetCount(unsigned *n) { return nvmlDeviceGetCount_v2(n); }

/* Physical number of the index-th device that NVML sees. */
static int seen(unsigned index)
{
    for (unsigned i = 0; i < double_devices(); i++)
        if (double_number((int)i, "nvml_sees", 1) && index-- == 0)
            return (int)i;
    return DOUBLE_ANY;
}

API int nvmlDeviceGetHandleByIndex_v2(unsigned index, handle *ret)
{
    CALL(seen(index));
    if (index >= count())
        return INVALID_ARGUMENT;
    *ret = &gpus[seen(index)];
    return OK;
}

API int nvmlDeviceGetHandleByIndex(unsigned index, handle *ret) { return nvmlDeviceGetHandleByIndex_v2(index, ret); }

API int nvmlDeviceGetHandleByUUID(const char *uuid, handle *ret)
{
    CALL(DOUBLE_ANY);
    char text[64];
    for (unsigned i = 0; i < count(); i++) {
        int gpu = seen(i);
        *ret = &gpus[gpu];
        if (!strcmp(double_uuid(gpu, text), uuid))
            return OK;
        for (unsigned m = 0; m < double_migs(gpu) && m < MAX_MIG; m++) {
            *ret = &migs[gpu][m];
            if (!strcmp(double_mig_uuid(gpu, m, text), uuid))
                return OK;
        }
    }
    return NOT_FOUND;
}

static void bus_id(int gpu, const char *format, char *ret, size_t size)
{
    unsigned p[4];
    double_pci(gpu, p);
    (void)snprintf(ret, size, format[0] == 'l' ? "%04X:%02X:%02X.%X" : "%08X:%02X:%02X.%X", p[0], p[1], p[2], p[3]);
}

API int nvmlDeviceGetHandleByPciBusId_v2(const char *id, handle *ret)
{
    CALL(DOUBLE_ANY);
    char text[32];
    for (unsigned i = 0; i < count(); i++) {
        *ret = &gpus[seen(i)];
        bus_id(seen(i), "long", text, sizeof text);
        if (!strcasecmp(text, id) || !strcasecmp(text + 4, id) || !strcasecmp(text + 9, id))
            return OK;
    }
    return NOT_FOUND;
}

API int nvmlDeviceGetHandleByPciBusId(const char *id, handle *ret) { return nvmlDeviceGetHandleByPciBusId_v2(id, ret); }

API int nvmlDeviceGetIndex(handle h, unsigned *index)
{
    DEVICE(h);
    for (*index = 0; seen(*index) != gpu_of(h); ++*index)
        if (*index > DOUBLE_MAX_DEVICES)
            return NOT_FOUND;
    return OK;
}

API int nvmlDeviceGetMinorNumber(handle h, unsigned *minor)
{
    DEVICE(h);
    *minor = (unsigned)double_number(gpu_of(h), "minor", (uint64_t)gpu_of(h));
    return OK;
}

API int nvmlDeviceGetName(handle h, char *name, unsigned size)
{
    DEVICE(h);
    char text[128];
    double_copy(text, sizeof text, double_text(gpu_of(h), "name", "Driver Double (no hardware)"));
    if (mig_of(h) >= 0)
        double_copy(text + strlen(text), sizeof text - strlen(text), " MIG 1g.5gb");
    return give_text(name, size, text);
}

API int nvmlDeviceGetUUID(handle h, char *uuid, unsigned size)
{
    DEVICE(h);
    char text[64];
    int m = mig_of(h);
    return give_text(uuid, size, m >= 0 ? double_mig_uuid(gpu_of(h), (unsigned)m, text) : double_uuid(gpu_of(h), text));
}

API int nvmlDeviceGetPciInfo_v3(handle h, struct pci_info *ret)
{
    DEVICE(h);
    unsigned p[4];
    memset(ret, 0, sizeof *ret);
    double_pci(gpu_of(h), p);
    ret->domain = p[0], ret->bus = p[1], ret->device = p[2];
    ret->device_id = (unsigned)double_number(gpu_of(h), "pci_device", 0x2684) << 16 | 0x10de;
    ret->subsystem_id = (unsigned)double_number(gpu_of(h), "pci_subsystem", 0);
    bus_id(gpu_of(h), "legacy", ret->legacy, sizeof ret->legacy);
    bus_id(gpu_of(h), "bus", ret->id, sizeof ret->id);
    return OK;
}

static void memory_of(handle h, struct memory *m, uint64_t *reserved)
{
    int gpu = gpu_of(h);
    bool mig = mig_of(h) >= 0;
    m->total = double_number(gpu, mig ? "mig_memory" : "nvml_memory", mig ? 4864ULL << 20 : double_number(gpu, "memory", 24217ULL << 20));
    *reserved = double_number(gpu, "memory_reserved", 347ULL << 20);
    m->free = double_number(gpu, "memory_free", m->total > *reserved ? m->total - *reserved : 0);
    m->used = m->total - m->free;
}

API int nvmlDeviceGetMemoryInfo(handle h, struct memory *ret)
{
    DEVICE(h);
    uint64_t reserved;
    memory_of(h, ret, &reserved);
    return OK;
}

API int nvmlDeviceGetMemoryInfo_v2(handle h, struct memory_v2 *ret)
{
    DEVICE(h);
    struct memory m;
    if (ret->version != (sizeof *ret | 2U << 24))
        return 25; /* NVML_ERROR_ARGUMENT_VERSION_MISMATCH */
    memory_of(h, &m, &ret->reserved);
    ret->total = m.total, ret->free = m.free;
    ret->used = m.used > ret->reserved ? m.used - ret->reserved : 0;
    return OK;
}

API int nvmlDeviceGetCudaComputeCapability(handle h, int *major, int *minor)
{
    DEVICE(h);
    unsigned v[2];
    double_pair(gpu_of(h), "compute", 8, 9, v);
    *major = (int)v[0], *minor = (int)v[1];
    return OK;
}

API int nvmlDeviceGetMigMode(handle h, unsigned *current, unsigned *pending)
{
    DEVICE(h);
    if (!double_text(gpu_of(h), "mig", NULL))
        return NOT_SUPPORTED;
    *current = double_mig_on(gpu_of(h));
    *pending = (unsigned)double_number(gpu_of(h), "mig_pending", *current);
    return OK;
}

API int nvmlDeviceGetMaxMigDeviceCount(handle h, unsigned *n)
{
    DEVICE(h);
    *n = double_text(gpu_of(h), "mig", NULL) ? 7 : 0;
    return OK;
}

API int nvmlDeviceGetMigDeviceHandleByIndex(handle h, unsigned index, handle *ret)
{
    DEVICE(h);
    if (index >= double_migs(gpu_of(h)) || index >= MAX_MIG)
        return NOT_FOUND;
    *ret = &migs[gpu_of(h)][index];
    return OK;
}

API int nvmlDeviceIsMigDeviceHandle(handle h, unsigned *is)
{
    DEVICE(h);
    *is = mig_of(h) >= 0;
    return OK;
}

API int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(handle h, handle *ret)
{
    DEVICE(h);
    *ret = &gpus[gpu_of(h)];
    return mig_of(h) >= 0 ? OK : INVALID_ARGUMENT;
}

static int instance(handle h, unsigned *id)
{
    *id = (unsigned)mig_of(h) + 1;
    return mig_of(h) >= 0 ? OK : NOT_SUPPORTED;
}

API int nvmlDeviceGetGpuInstanceId(handle h, unsigned *id)
{
    DEVICE(h);
    return instance(h, id);
}

API int nvmlDeviceGetComputeInstanceId(handle h, unsigned *id)
{
    DEVICE(h);
    int code = instance(h, id);
    *id = 0;
    return code;
}

/* Where the script has the key, `*ret` is its number; else `other`, or not supported when that is negative. */
static int give_number(handle h, const char *key, long other, unsigned *ret)
{
    if (!double_text(gpu_of(h), key, NULL) && other < 0)
        return NOT_SUPPORTED;
    *ret = (unsigned)double_number(gpu_of(h), key, (uint64_t)other);
    return OK;
}

/* Functions of the form f(device, unsigned *). */
#define NUMBER(function, key, other)                \
    API int function(handle h, unsigned *ret)       \
    {                                               \
        DEVICE(h);                                  \
        return give_number(h, key, other, ret);     \
    }
NUMBER(nvmlDeviceGetComputeMode, "compute_mode", 0)
NUMBER(nvmlDeviceGetPersistenceMode, "persistence", 0)
NUMBER(nvmlDeviceGetCurrPcieLinkGeneration, "pcie_gen", 4)
NUMBER(nvmlDeviceGetCurrPcieLinkWidth, "pcie_width", 16)
NUMBER(nvmlDeviceGetMaxPcieLinkGeneration, "pcie_gen_max", 4)
NUMBER(nvmlDeviceGetMaxPcieLinkWidth, "pcie_width_max", 16)
NUMBER(nvmlDeviceGetGpuMaxPcieLinkGeneration, "pcie_gen_gpu", 4)
NUMBER(nvmlDeviceGetPcieLinkMaxSpeed, "pcie_speed", 16000)
NUMBER(nvmlDeviceGetNumGpuCores, "cores", 16384)
NUMBER(nvmlDeviceGetMemoryBusWidth, "memory_bus_bits", 384)
NUMBER(nvmlDeviceGetDisplayActive, "display", 0)
NUMBER(nvmlDeviceGetDisplayMode, "display", 0)
NUMBER(nvmlDeviceGetNumaNodeId, "gpu_numa", -1)
NUMBER(nvmlDeviceGetPowerUsage, "power_mw", 30000)
NUMBER(nvmlDeviceGetEnforcedPowerLimit, "power_limit_mw", 450000)
NUMBER(nvmlDeviceGetPowerManagementLimit, "power_limit_mw", 450000)
NUMBER(nvmlDeviceGetPowerManagementDefaultLimit, "power_default_mw", 450000)
NUMBER(nvmlDeviceGetMultiGpuBoard, "multi_gpu_board", 0)
NUMBER(nvmlDeviceGetArchitecture, "architecture", 8)
NUMBER(nvmlDeviceGetBrand, "brand", 5)
NUMBER(nvmlDeviceGetPerformanceState, "performance_state", 8)
NUMBER(nvmlDeviceGetFanSpeed, "fan", 30)

/* Functions of the form f(device, unsigned which, unsigned *). */
#define NUMBER_OF(function, key, other)                         \
    API int function(handle h, unsigned which, unsigned *ret)   \
    {                                                           \
        char text[64];                                          \
        DEVICE(h);                                              \
        (void)snprintf(text, sizeof text, "%s.%u", key, which); \
        return give_number(h, text, other, ret);                \
    }
NUMBER_OF(nvmlDeviceGetTemperature, "temperature", 40)
NUMBER_OF(nvmlDeviceGetTemperatureThreshold, "temperature_threshold", 90)
NUMBER_OF(nvmlDeviceGetClockInfo, "clock", 210)
NUMBER_OF(nvmlDeviceGetMaxClockInfo, "clock_max", 3105)
NUMBER_OF(nvmlDeviceGetNvLinkVersion, "nvlink_version", -1)

API int nvmlDeviceGetEccMode(handle h, unsigned *current, unsigned *pending)
{
    DEVICE(h);
    int code = give_number(h, "ecc", -1, current);
    *pending = code ? 0 : *current;
    return code;
}

API int nvmlDeviceGetTotalEccErrors(handle h, int type, int counter, uint64_t *ret)
{
    DEVICE(h);
    (void)counter;
    if (!double_text(gpu_of(h), "ecc", NULL))
        return NOT_SUPPORTED;
    *ret = double_number(gpu_of(h), type ? "ecc_uncorrected" : "ecc_corrected", 0);
    return OK;
}

API int nvmlDeviceGetRemappedRows(handle h, unsigned *corrected, unsigned *uncorrected, unsigned *pending, unsigned *failed)
{
    DEVICE(h);
    if (!double_text(gpu_of(h), "remap", NULL))
        return NOT_SUPPORTED;
    unsigned *ret[] = {corrected, uncorrected, pending, failed};
    for (unsigned i = 0; i < 4; i++) {
        char word[32] = "0";
        (void)double_word(gpu_of(h), "remap", i, word, sizeof word);
        *ret[i] = (unsigned)double_digits(word, NULL);
    }
    return OK;
}

API int nvmlDeviceGetUtilizationRates(handle h, unsigned ret[2])
{
    DEVICE(h);
    ret[0] = (unsigned)double_number(gpu_of(h), "utilization", 0);
    ret[1] = (unsigned)double_number(gpu_of(h), "memory_utilization", 0);
    return OK;
}

static int throttle(handle h, uint64_t *reasons)
{
    *reasons = double_number(gpu_of(h), "throttle", 1); /* 1: idle */
    return OK;
}

API int nvmlDeviceGetCurrentClocksThrottleReasons(handle h, uint64_t *reasons)
{
    DEVICE(h);
    return throttle(h, reasons);
}

API int nvmlDeviceGetCurrentClocksEventReasons(handle h, uint64_t *reasons)
{
    DEVICE(h);
    return throttle(h, reasons);
}

/* nvlink: the other end of each link: a device's number, a PCI address, or `off`. */
static bool link_text(handle h, unsigned link, char ret[32])
{
    return double_word(gpu_of(h), "nvlink", link, ret, 32);
}

API int nvmlDeviceGetNvLinkState(handle h, unsigned link, unsigned *active)
{
    DEVICE(h);
    char text[32];
    if (!double_text(gpu_of(h), "nvlink", NULL))
        return NOT_SUPPORTED;
    if (!link_text(h, link, text))
        return INVALID_ARGUMENT;
    *active = strcmp(text, "off") != 0;
    return OK;
}

static int remote(handle h, unsigned link, struct pci_info *ret)
{
    char text[32];
    if (!double_text(gpu_of(h), "nvlink", NULL))
        return NOT_SUPPORTED;
    if (!link_text(h, link, text) || !strcmp(text, "off"))
        return INVALID_ARGUMENT;
    memset(ret, 0, sizeof *ret);
    if (strchr(text, ':')) {
        double_copy(ret->id, sizeof ret->id, text);
        return OK;
    }
    unsigned p[4];
    int gpu = (int)double_digits(text, NULL);
    double_pci(gpu, p);
    ret->domain = p[0], ret->bus = p[1], ret->device = p[2];
    bus_id(gpu, "legacy", ret->legacy, sizeof ret->legacy);
    bus_id(gpu, "bus", ret->id, sizeof ret->id);
    return OK;
}

API int nvmlDeviceGetNvLinkRemotePciInfo_v2(handle h, unsigned link, struct pci_info *ret)
{
    DEVICE(h);
    return remote(h, link, ret);
}

API int nvmlDeviceGetNvLinkRemotePciInfo(handle h, unsigned link, struct pci_info *ret)
{
    DEVICE(h);
    return remote(h, link, ret);
}

API int nvmlDeviceGetNvLinkRemoteDeviceType(handle h, unsigned link, unsigned *type)
{
    DEVICE(h);
    (void)link;
    return give_number(h, "nvlink_remote_type", 0, type);
}

API int nvmlDeviceGetNvLinkCapability(handle h, unsigned link, unsigned capability, unsigned *ret)
{
    DEVICE(h);
    char text[32];
    if (!link_text(h, link, text))
        return NOT_SUPPORTED;
    *ret = capability == 0; /* 0: P2P supported */
    return OK;
}

/* 0 internal, 10 one switch, 20 several switches, 30 host bridge, 40 NUMA node, 50 between sockets */
API int nvmlDeviceGetTopologyCommonAncestor(handle a, handle b, unsigned *level)
{
    DEVICE(a);
    if (gpu_of(b) < 0)
        return INVALID_ARGUMENT;
    static const struct { const char *name; unsigned level; } levels[] = {
        {"internal", 0}, {"pix", 10}, {"pxb", 20}, {"phb", 30}, {"node", 40}, {"sys", 50},
    };
    char key[32];
    (void)snprintf(key, sizeof key, "topology.%d", gpu_of(b));
    const char *name = double_text(gpu_of(a), key, double_text(gpu_of(a), "topology", "phb"));
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (!strcmp(levels[i].name, name))
            *level = levels[i].level;
    return OK;
}

/* 0 works, 1 chipset, 2 GPU, 3 I/O hub topology, 4 disabled by the registry, 5 not supported, 6 unknown */
API int nvmlDeviceGetP2PStatus(handle a, handle b, unsigned index, unsigned *status)
{
    DEVICE(a);
    if (gpu_of(b) < 0 || a == b)
        return INVALID_ARGUMENT;
    (void)index;
    char key[32];
    (void)snprintf(key, sizeof key, "p2p.%d", gpu_of(b));
    bool can = double_number(gpu_of(a), key, double_number(gpu_of(a), "p2p", 0)) != 0;
    *status = (unsigned)double_number(gpu_of(a), "p2p_status", can ? 0 : 5);
    return OK;
}

/* A set of one number as a bit mask of `size` words. */
static int give_set(handle h, const char *key, unsigned size, unsigned long *set)
{
    uint64_t n = double_number(gpu_of(h), key, 0), bits = 8 * sizeof *set;
    memset(set, 0, size * sizeof *set);
    if (n / bits >= size)
        return INSUFFICIENT_SIZE;
    set[n / bits] = 1UL << n % bits;
    return OK;
}

API int nvmlDeviceGetMemoryAffinity(handle h, unsigned size, unsigned long *set, unsigned scope)
{
    DEVICE(h);
    (void)scope;
    return give_set(h, "numa", size, set);
}

API int nvmlDeviceGetCpuAffinity(handle h, unsigned size, unsigned long *set)
{
    DEVICE(h);
    return give_set(h, "cpu", size, set);
}

static bool process_at(handle h, const char *key, unsigned i, struct process_v2 *ret)
{
    char text[48];
    if (!double_word(gpu_of(h), key, i, text, sizeof text))
        return false;
    const char *s = text;
    ret->pid = *s == 's' ? (unsigned)getpid() : (unsigned)double_digits(s, NULL); /* self */
    s = strchr(text, ':');
    ret->memory = s ? double_digits(s + 1, NULL) << 20 : UINT64_MAX; /* not available */
    ret->gpu_instance = ret->compute_instance = UINT32_MAX;
    return true;
}

/* processes: PID:MIB, one for each; PID may be `self`. */
static int processes(handle h, const char *key, unsigned *n, void *ret, bool v2)
{
    unsigned have = 0, room = *n;
    struct process_v2 p;
    while (process_at(h, key, have, &p)) {
        if (have < room && v2)
            ((struct process_v2 *)ret)[have] = p;
        else if (have < room)
            ((struct process *)ret)[have] = (struct process){p.pid, p.memory};
        have++;
    }
    *n = have;
    return have > room ? INSUFFICIENT_SIZE : OK;
}

#define PROCESSES(function, key, v2)                              \
    API int function(handle h, unsigned *n, void *ret)            \
    {                                                             \
        DEVICE(h);                                                \
        return processes(h, key, n, ret, v2);                     \
    }
PROCESSES(nvmlDeviceGetComputeRunningProcesses, "processes", false)
PROCESSES(nvmlDeviceGetComputeRunningProcesses_v2, "processes", true)
PROCESSES(nvmlDeviceGetComputeRunningProcesses_v3, "processes", true)
PROCESSES(nvmlDeviceGetGraphicsRunningProcesses, "graphics_processes", false)
PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v2, "graphics_processes", true)
PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v3, "graphics_processes", true)
PROCESSES(nvmlDeviceGetMPSComputeRunningProcesses_v3, "mps_processes", true)

/* Not on the pretended cards. */
#define NOT_PRETENDED(name)         \
    API int name(void)              \
    {                               \
        CALL(DOUBLE_ANY);           \
        return NOT_SUPPORTED;       \
    }
NOT_PRETENDED(nvmlDeviceGetFieldValues)
NOT_PRETENDED(nvmlDeviceGetGpuFabricInfo)
NOT_PRETENDED(nvmlDeviceGetGpuFabricInfoV)
NOT_PRETENDED(nvmlDeviceGetRetiredPagesPendingStatus)
NOT_PRETENDED(nvmlSystemGetConfComputeSettings)
NOT_PRETENDED(nvmlSystemGetConfComputeState)
