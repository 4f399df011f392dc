/* SPDX-License-Identifier: Apache-2.0 */
/* driver - rules of layer 1 once the kernel's part of the driver runs: GPUs it does not serve, nodes, libraries, versions. Pure. */
#include "rules/driver.h"
#include <string.h>
#include "base/i18n.h"
#include "knowledge/drivers.h"
#include "rules/driver_answer.h"
#include "rules/machine_state.h"

static const char libcuda[] = "libcuda.so.1", libnvml[] = "libnvidia-ml.so.1";

static bool is_up(const struct judge *g)
{
    return machine_state(g->f) == STATE_UP;
}

static bool is_linux_driver(const struct judge *g)
{
    return is_up(g) && !machine_is_wsl2(g->f);
}

/* CUDA itself showed a GPU: what the files make look like an obstacle is none. */
static bool is_suspect(const struct judge *g)
{
    return is_linux_driver(g) && !answer_serves(g->f);
}

static uint32_t branch(const char *version)
{
    uint32_t b = 0;
    return version && ver_major(version, &b) ? b : 0;
}

static const char *or_unknown(const char *s)
{
    return s ? s : _("of unknown version");
}

/* -- GPUs that this driver does not serve ------------------------------------------------------------------------------ */

static bool is_dropped(const struct facts *f, const struct fact_gpu *g)
{
    uint32_t last = g->has_cc && !g->virtual ? driver_last_branch(g->cc) : 0;
    return last && branch(f->driver.kmod_version) > last;
}

static bool is_below_open(const struct facts *f, const struct fact_gpu *g)
{
    return f->driver.kmod == FACT_KMOD_KIND_NVIDIA_OPEN && g->has_cc && !g->virtual && g->cc < driver_open_module_min_cc() && !is_dropped(f, g);
}

/* The first branch is when a toolkit knew the architecture; a GPU that the driver holds is served whatever the table says. */
static bool is_newer_than_driver(const struct facts *f, const struct fact_gpu *g)
{
    uint32_t have = branch(f->driver.kmod_version), first = g->has_cc && !g->virtual && !g->driver ? driver_first_branch(g->cc) : 0;
    return have && first > have;
}

static void each_unserved(struct judge *g, enum cause_id id, bool (*hit)(const struct facts *, const struct fact_gpu *), uint32_t (*want)(uint32_t cc))
{
    const struct facts *f = g->f;
    size_t hits = 0;
    if (!is_linux_driver(g) || (answer_serves(f) && f->cuda.count >= machine_gpus(f)))
        return;
    for (size_t i = 0; i < f->n_gpus; i++)
        hits += hit(f, &f->gpus[i]);
    for (size_t i = 0; i < f->n_gpus; i++) {
        const struct fact_gpu *gpu = &f->gpus[i];
        if (!hit(f, gpu))
            continue;
        struct finding *x = judge_find(g, id, machine_gpu_name(gpu));
        if (hits < machine_gpus(f)) {
            x->severity = SEV_DEGRADED;
            x->prevents = PREVENTS_NOTHING;
        }
        judge_bind(g, x, "have", "%s", f->driver.kmod_version);
        judge_bind(g, x, "arch", "%s", gpu->arch);
        judge_bind(g, x, "cc", "%u.%u", gpu->cc / 10, gpu->cc % 10);
        judge_bind(g, x, "branch", "%u", want ? want(gpu->cc) : 0);
        judge_evidence(g, x, "gpus.cc", gpu->source, _("%s at %s: %s, compute capability %u.%u"), machine_gpu_name(gpu), gpu->pci, gpu->arch, gpu->cc / 10, gpu->cc % 10);
        judge_evidence(g, x, "driver.kmod_version", f->driver.source, "%s", f->driver.kmod_version);
    }
}

void rule_driver_dropped_gpu(struct judge *g)
{
    each_unserved(g, CAUSE_DRIVER_DROPPED_GPU, is_dropped, driver_last_branch);
}

void rule_driver_open_module(struct judge *g)
{
    each_unserved(g, CAUSE_DRIVER_OPEN_MODULE_UNSUPPORTED_GPU, is_below_open, NULL);
}

void rule_driver_older_than_gpu(struct judge *g)
{
    each_unserved(g, CAUSE_DRIVER_OLDER_THAN_GPU, is_newer_than_driver, driver_first_branch);
}

/* -- device nodes ------------------------------------------------------------------------------------------------------ */

static const struct fact_node *node(const struct facts *f, const char *path)
{
    for (size_t i = 0; i < f->driver.n_nodes; i++)
        if (str_eq(f->driver.nodes[i].path, path) && f->driver.nodes[i].is_device)
            return &f->driver.nodes[i];
    return NULL;
}

static bool is_gpu_node(const struct fact_node *n)
{
    return n->is_device && str_starts(n->path, "/dev/nvidia") && n->path[11] >= '0' && n->path[11] <= '9';
}

/* Outside containers nvidia-modprobe, setuid root, makes missing nodes when a program starts to use CUDA. */
static bool made_on_demand(struct judge *g, const char *path)
{
    if (machine_in_container(g->f) || g->f->driver.modprobe_helper == TRI_NO)
        return false;
    if (g->f->driver.modprobe_helper == TRI_UNKNOWN)
        judge_unknown(g, 1, _("%s is not there; whether CUDA makes it for the superuser was not tried"), path);
    return true;
}

static void node_missing(struct judge *g, enum cause_id id, const char *path)
{
    struct finding *x = judge_find(g, id, path);
    judge_evidence(g, x, "driver.nodes", path, _("not there, or no device"));
    judge_evidence(g, x, "driver.modprobe_helper", "/usr/bin/nvidia-modprobe", g->f->driver.modprobe_helper == TRI_YES ? _("is there") : _("not there, or not setuid root"));
}

void rule_driver_nodes(struct judge *g)
{
    const char *missing = !node(g->f, "/dev/nvidiactl") ? "/dev/nvidiactl" : machine_gpu_nodes(g->f, TRI_UNKNOWN) == 0 ? "/dev/nvidia0" : NULL;
    if (is_suspect(g) && !answer_shows_gpu(g->f) && missing && !made_on_demand(g, missing))
        node_missing(g, CAUSE_DEVICE_NODES_MISSING, missing);
}

void rule_driver_uvm(struct judge *g)
{
    static const char uvm[] = "/dev/nvidia-uvm";
    if (is_suspect(g) && node(g->f, "/dev/nvidiactl") && !node(g->f, uvm) && !made_on_demand(g, uvm))
        node_missing(g, CAUSE_UVM_DEVICE_NODE_MISSING, uvm);
}

/* nvidia-modprobe sets the modes that the module's settings want before CUDA opens the nodes. */
static bool is_mended_on_demand(const struct facts *f)
{
    enum { OTHERS_READ_WRITE = 06 };
    const struct fact_driver *d = &f->driver;
    return d->modprobe_helper == TRI_YES && !machine_in_container(f) && d->nodes_managed == TRI_YES && (d->nodes_mode & OTHERS_READ_WRITE) == OTHERS_READ_WRITE;
}

void rule_driver_permission(struct judge *g)
{
    enum { GROUP_READ_WRITE = 060 };
    const struct facts *f = g->f;
    struct finding *x = NULL;
    bool some_gpu_left = machine_gpu_nodes(f, TRI_YES) > 0, needed_by_all = false;
    if (!is_suspect(g) || is_mended_on_demand(f))
        return;
    for (size_t i = 0; i < f->driver.n_nodes; i++) {
        const struct fact_node *n = &f->driver.nodes[i];
        if (!n->is_device || n->usable != TRI_NO)
            continue;
        if (!x) {
            bool by_group = n->group && !str_eq(n->group, "root") && (n->mode & GROUP_READ_WRITE) == GROUP_READ_WRITE;
            x = judge_find(g, CAUSE_DEVICE_NODE_NO_PERMISSION, n->path);
            x->tags |= by_group ? FIX_A : FIX_B;
            judge_bind(g, x, "mode", "%04o", n->mode);
            judge_bind(g, x, "group", "%s", n->group ? n->group : "?");
        }
        needed_by_all |= !is_gpu_node(n);
        judge_evidence(g, x, "driver.nodes", n->path, _("mode %04o, owner %u, group %s"), n->mode, n->uid, n->group ? n->group : "?");
    }
    if (x && some_gpu_left && !needed_by_all) {
        x->severity = SEV_DEGRADED;
        x->prevents = PREVENTS_NOTHING;
    }
}

/* -- libraries --------------------------------------------------------------------------------------------------------- */

static bool has_copy(const struct facts *f, const char *soname)
{
    for (size_t i = 0; i < f->driver.n_libs; i++)
        if (str_eq(f->driver.libs[i].soname, soname) && f->driver.libs[i].origin != FACT_DRIVER_LIB_ORIGIN_STUB)
            return true;
    return false;
}

static const struct fact_driver_lib *winner_of(const struct facts *f, const char *soname, enum fact_driver_lib_origin origin)
{
    const struct fact_driver_lib *l = machine_lib_on_path(f, soname);
    return l && l->origin == origin ? l : NULL;
}

static bool lacks_libcuda(const struct judge *g)
{
    return is_up(g) && g->f->driver.libs_searched && !has_copy(g->f, libcuda) && !machine_lib_on_path(g->f, libcuda);
}

/* "compute,utility" has it, and so has "all". */
static bool asks_for_compute(const char *capabilities)
{
    for (const char *p = capabilities; *p; p += strcspn(p, ","), p += *p == ',') {
        size_t n = strcspn(p, ",");
        if ((n == 3 && strncmp(p, "all", n) == 0) || (n == 7 && strncmp(p, "compute", n) == 0))
            return true;
    }
    return false;
}

static bool left_compute_out(const struct facts *f)
{
    const char *v = f->gpu_env.nvidia_driver_capabilities;
    return machine_in_container(f) && v && *v && !asks_for_compute(v);
}

void rule_driver_capabilities(struct judge *g)
{
    const char *v = g->f->gpu_env.nvidia_driver_capabilities;
    if (!lacks_libcuda(g) || !left_compute_out(g->f))
        return;
    struct finding *x = judge_find(g, CAUSE_CONTAINER_WITHOUT_COMPUTE, "NVIDIA_DRIVER_CAPABILITIES");
    judge_bind(g, x, "capabilities", "%s", v);
    judge_evidence(g, x, "gpu_env.nvidia_driver_capabilities", NULL, "%s", v);
    judge_evidence(g, x, "driver.libs", NULL, _("no copy of %s in any folder of the system, of the driver or of the container"), libcuda);
}

/* A copy that the loader does not reach or that is damaged is layer 4's business. */
void rule_driver_libcuda(struct judge *g)
{
    const struct facts *f = g->f;
    if (!lacks_libcuda(g) || left_compute_out(f))
        return;
    struct finding *x = judge_find(g, CAUSE_LIBCUDA_MISSING, libcuda);
    x->tags |= str_eq(f->machine.distro_id, "debian") ? FIX_B : FIX_A;
    judge_bind(g, x, "have", "%s", f->driver.kmod_version ? f->driver.kmod_version : "");
    judge_bind(g, x, "branch", "%u", branch(f->driver.kmod_version));
    judge_evidence(g, x, "driver.libs", NULL, _("no copy in any folder of the system, of the driver or of the container"));
    if (f->driver.kmod_version)
        judge_evidence(g, x, "driver.kmod_version", f->driver.source, _("kernel module %s is loaded"), f->driver.kmod_version);
}

void rule_driver_stub(struct judge *g)
{
    const struct fact_driver_lib *stub = winner_of(g->f, libcuda, FACT_DRIVER_LIB_ORIGIN_STUB);
    bool answered = answer_cuda_code(g->f) == CUDA_STUB;
    if (answered && !stub)
        stub = machine_lib_on_path(g->f, libcuda);
    if ((!is_up(g) && !answered) || !stub)
        return;
    const struct fact_driver_lib *real = machine_lib_real(g->f, libcuda);
    struct finding *x = judge_find(g, CAUSE_LIBCUDA_STUB_LOADED, libcuda);
    bool linked = !strstr(stub->path, "/stubs/"); /* a link or a copy elsewhere */
    x->tags |= (linked ? FIX_C : FIX_A) | (real && real != stub ? 0u : FIX_B);
    judge_bind(g, x, "path", "%s", stub->path);
    judge_evidence(g, x, "driver.libcuda", stub->path, _("wins the loader's search; it is the toolkit's stub"));
    if (answered)
        judge_evidence(g, x, "cuda.init_code", stub->path, "%s", answer_code_text(g->a, "cuInit", CUDA_STUB, false));
    if (real && real != stub)
        judge_evidence(g, x, "driver.libs", real->path, _("the driver's own, %s"), or_unknown(real->version));
}

void rule_driver_wsl_linux(struct judge *g)
{
    struct finding *x = NULL;
    bool wins = false;
    const char *packages = NULL;
    if (!machine_is_wsl2(g->f))
        return;
    for (size_t i = 0; i < g->f->driver.n_libs; i++) {
        const struct fact_driver_lib *l = &g->f->driver.libs[i];
        if (l->origin != FACT_DRIVER_LIB_ORIGIN_LINUX_PACKAGE_IN_WSL)
            continue;
        x = x ? x : judge_find(g, CAUSE_WSL_LINUX_DRIVER_INSTALLED, l->path);
        wins |= l->on_path;
        if (l->package && (!packages || !strstr(packages, l->package)))
            packages = packages ? arena_printf(g->a, "%s %s", packages, l->package) : l->package;
        judge_evidence(g, x, "driver.libs", l->path, l->on_path ? _("Linux driver %s; wins over Windows' library") : _("Linux driver %s"), or_unknown(l->version));
    }
    if (!x)
        return;
    judge_bind(g, x, "packages", "%s", packages ? packages : "nvidia-driver-*");
    x->tags |= packages ? FIX_A : FIX_B;
    if (!wins) {
        x->severity = SEV_DEGRADED;
        x->prevents = PREVENTS_NOTHING;
    }
}

static bool asks_nvml(const struct facts *f)
{
    for (size_t i = 0; i < f->tensorflow.n_needs; i++)
        if (f->tensorflow.needs[i].role == FACT_LIB_ROLE_NVML)
            return true;
    for (size_t i = 0; i < f->n_libraries; i++)
        if (f->libraries[i].role == FACT_LIB_ROLE_NVML)
            return true;
    return false;
}

void rule_driver_nvml(struct judge *g)
{
    const struct facts *f = g->f;
    if (!is_up(g) || !f->driver.libs_searched || !asks_nvml(f) || has_copy(f, libnvml) || machine_lib_on_path(f, libnvml) || !has_copy(f, libcuda))
        return;
    struct finding *x = judge_find(g, CAUSE_NVML_MISSING, libnvml);
    x->tags |= str_eq(f->machine.distro_id, "debian") ? FIX_B : FIX_A;
    judge_bind(g, x, "branch", "%u", branch(f->driver.version));
    judge_evidence(g, x, "driver.libs", NULL, _("no copy in any folder of the system, of the driver or of the container"));
}

/* -- versions ---------------------------------------------------------------------------------------------------------- */

static const struct fact_driver_lib *compat_libcuda(const struct facts *f)
{
    return winner_of(f, libcuda, FACT_DRIVER_LIB_ORIGIN_COMPAT);
}

static bool differs(const struct facts *f, const char *version)
{
    return version && f->driver.kmod_version && ver_cmp(version, f->driver.kmod_version) != 0;
}

/* A forward-compatibility library is meant to be newer than the kernel module; an older one does not work either. */
static bool is_mismatch(const struct facts *f)
{
    const struct fact_driver_lib *compat = compat_libcuda(f);
    if (compat)
        return compat->version && branch(compat->version) < branch(f->driver.kmod_version);
    return differs(f, f->driver.libcuda_version);
}

void rule_driver_mismatch(struct judge *g)
{
    const struct facts *f = g->f;
    bool cuda_says = answer_cuda_code(f) == CUDA_MISMATCH, nvml_says = f->nvml.has_init_code && f->nvml.init_code == NVML_MISMATCH;
    bool cuda = cuda_says || (is_mismatch(f) && is_suspect(g));
    bool nvml = nvml_says || (differs(f, f->driver.nvml_version) && is_linux_driver(g) && !f->nvml.has_count);
    if (!cuda && !nvml)
        return;
    const char *have = cuda ? f->driver.libcuda_version : f->driver.nvml_version, *path = cuda ? f->driver.libcuda : f->driver.nvml;
    struct finding *x = judge_find(g, CAUSE_DRIVER_USERSPACE_KERNEL_MISMATCH, cuda ? libcuda : libnvml);
    bool pending = str_eq(f->driver.kmod_file_version, have);
    x->tags |= cuda && compat_libcuda(f) ? FIX_C : pending ? FIX_A : FIX_B;
    judge_bind(g, x, "have", "%s", or_unknown(have));
    judge_bind(g, x, "kernel_branch", "%u", branch(f->driver.kmod_file_version ? f->driver.kmod_file_version : f->driver.kmod_version));
    const char *kmod = f->driver.kmod_version;
    if (have && kmod)
        judge_bind(g, x, "versions", _("%s and %s"), have, kmod);
    else
        judge_bind(g, x, "versions", "%s", have ? have : kmod ? kmod : _("which ones is not known"));
    judge_bind(g, x, "dir", "%s", path ? path_dir(g->a, path) : "");
    if (kmod)
        judge_evidence(g, x, "driver.kmod_version", f->driver.source, _("kernel module %s is loaded"), kmod);
    if (have)
        judge_evidence(g, x, cuda ? "driver.libcuda_version" : "driver.nvml_version", path, _("library of driver %s"), have);
    if (cuda_says)
        judge_evidence(g, x, "cuda.init_code", path, "%s", answer_code_text(g->a, "cuInit", CUDA_MISMATCH, false));
    if (nvml_says)
        judge_evidence(g, x, "nvml.init_code", f->driver.nvml, "%s", answer_code_text(g->a, "nvmlInit_v2", NVML_MISMATCH, true));
    if (f->driver.kmod_file_version)
        judge_evidence(g, x, "driver.kmod_file_version", f->driver.kmod_file, _("module %s would be loaded at the next start"), f->driver.kmod_file_version);
    if (!cuda && (!asks_nvml(f) || (answer_serves(f) && !answer_needs_nvml(f)))) {
        x->severity = SEV_DEGRADED;
        x->prevents = PREVENTS_NOTHING;
    }
}

void rule_driver_compat(struct judge *g)
{
    const struct facts *f = g->f;
    const struct fact_driver_lib *compat = compat_libcuda(f);
    const struct fact_gpu *bad = NULL;
    bool says = answer_cuda_code(f) == CUDA_NO_COMPAT;
    bool newer = compat && compat->version && f->driver.kmod_version && branch(compat->version) > branch(f->driver.kmod_version);
    if (!says && (!is_suspect(g) || !newer))
        return;
    for (size_t i = 0; i < f->n_gpus && !bad; i++)
        if (!f->gpus[i].virtual && (says || driver_lacks_forward_compat(f->gpus[i].name)))
            bad = &f->gpus[i];
    if (!bad && !says)
        return;
    compat = compat ? compat : machine_lib_on_path(f, libcuda);
    const char *path = compat ? compat->path : f->driver.libcuda;
    struct finding *x = judge_find(g, CAUSE_FORWARD_COMPAT_UNSUPPORTED_GPU, libcuda);
    judge_bind(g, x, "gpu", "%s", machine_gpu_name(bad));
    judge_bind(g, x, "have", "%s", or_unknown(f->driver.kmod_version));
    judge_bind(g, x, "compat", "%s", or_unknown(compat ? compat->version : NULL));
    judge_bind(g, x, "dir", "%s", path ? path_dir(g->a, path) : "");
    judge_evidence(g, x, "driver.libcuda", path, _("forward-compatibility library of driver %s"), or_unknown(compat ? compat->version : NULL));
    judge_evidence(g, x, "driver.kmod_version", f->driver.source, _("kernel module %s is loaded"), or_unknown(f->driver.kmod_version));
    if (bad)
        judge_evidence(g, x, "gpus.name", bad->source, "%s", machine_gpu_name(bad));
    if (says)
        judge_evidence(g, x, "cuda.init_code", path, "%s", answer_code_text(g->a, "cuInit", CUDA_NO_COMPAT, false));
}

/* CUDA major of the runtime that wins, else of the one that TensorFlow was built for; 0 unknown. */
static uint32_t cuda_major(const struct facts *f, const char **ret_from)
{
    uint32_t major = 0;
    for (size_t i = 0; i < f->n_libraries; i++)
        if (str_starts(f->libraries[i].soname, "libcudart.so") && f->libraries[i].outcome == FACT_OUTCOME_FOUND && f->libraries[i].has_cuda_major) {
            *ret_from = f->libraries[i].path;
            return f->libraries[i].cuda_major;
        }
    *ret_from = f->tensorflow.build.source;
    return f->tensorflow.build.cuda_version && ver_major(f->tensorflow.build.cuda_version, &major) ? major : 0;
}

static void too_old(struct judge *g, const char *have, const char *need, uint32_t cuda, const char *runtime)
{
    const struct facts *f = g->f;
    struct finding *x = judge_find(g, CAUSE_DRIVER_TOO_OLD, _("NVIDIA driver"));
    const char *max = f->cuda.has_driver_api ? arena_printf(g->a, "%u.%u", f->cuda.driver_api / 1000, f->cuda.driver_api % 1000 / 10) : driver_max_cuda(have);
    x->tags |= str_eq(f->machine.distro_id, "debian") ? FIX_B : FIX_A;
    judge_bind(g, x, "have", "%s", have);
    judge_bind(g, x, "need", "%s", need);
    judge_bind(g, x, "cuda", "%u", cuda);
    judge_bind(g, x, "side", "%s", machine_is_wsl2(f) ? _("Windows driver") : _("driver"));
    judge_bind(g, x, "max", "%s", max ? max : _("below 11.0"));
    judge_evidence(g, x, "driver.version", f->driver.version_source, "%s", have);
    if (f->cuda.has_driver_api)
        judge_evidence(g, x, "cuda.driver_api", f->cuda.ask.path, _("the driver's CUDA version is %s"), max);
    judge_evidence(g, x, "tensorflow.build.cuda_version", runtime, _("CUDA %u needs %s or newer"), cuda, need);
}

void rule_driver_floor(struct judge *g)
{
    const struct fact_driver *d = &g->f->driver;
    const struct fact_driver_lib *compat = compat_libcuda(g->f);
    const char *runtime = NULL;
    uint32_t cuda = cuda_major(g->f, &runtime);
    const struct driver_floor *floor = cuda ? driver_floor(cuda) : NULL;
    int32_t code = answer_cuda_code(g->f);
    bool says = code == CUDA_INSUFFICIENT_DRIVER || code == CUDA_NEWER_DRIVER;
    if ((!is_up(g) && !says) || !floor)
        return;
    const char *need = machine_is_wsl2(g->f) ? floor->windows_min : floor->linux_min;
    const char *have = compat && compat->version && !machine_is_wsl2(g->f) ? compat->version : d->version ? d->version : g->f->nvml.driver_version;
    if (have) {
        if (ver_cmp(have, need) < 0) /* a newer one that refuses all the same is judged by its code */
            too_old(g, have, need, cuda, runtime);
        return;
    }
    size_t n = d->n_windows_versions;
    if (g->f->cuda.has_driver_api || says) { /* the driver's own word: minor versions of one CUDA are compatible */
        if (says || g->f->cuda.driver_api / 1000 < cuda)
            too_old(g, or_unknown(n ? d->windows_versions[n - 1] : NULL), need, cuda, runtime);
        return;
    }
    if (n && ver_cmp(d->windows_versions[n - 1], need) < 0)
        too_old(g, d->windows_versions[n - 1], need, cuda, runtime);
    else if (!n || ver_cmp(d->windows_versions[0], need) < 0)
        judge_unknown(g, 1, _("the driver's version cannot be read from files; CUDA %u needs %s or newer"), cuda, need);
}
