/* SPDX-License-Identifier: Apache-2.0 */
/* machine - rules of layer 1 up to a driver that runs: the machine, its GPUs, the kernel module. Pure. */
#include "base/i18n.h"
#include "rules/driver.h"
#include "rules/judge.h"
#include "rules/machine_state.h"

/* The rule's finding when the machine is in its state, else NULL. */
static struct finding *in_state(struct judge *g, enum machine_state want, enum cause_id id, const char *subject)
{
    return machine_state(g->f) == want ? judge_find(g, id, subject) : NULL;
}

static void show_gpus(struct judge *g, struct finding *x)
{
    const struct facts *f = g->f;
    judge_bind(g, x, "gpu", "%s", machine_gpu_name(machine_first_gpu(f)));
    for (size_t i = 0; i < f->n_gpus; i++)
        judge_evidence(g, x, "gpus.driver", f->gpus[i].source, _("%s at %s: kernel driver %s"), machine_gpu_name(&f->gpus[i]), f->gpus[i].pci,
                       f->gpus[i].driver ? f->gpus[i].driver : _("none"));
}

static void show_kernel(struct judge *g, struct finding *x)
{
    judge_bind(g, x, "kernel", "%s", g->f->machine.kernel ? g->f->machine.kernel : "$(uname -r)");
}

/* Variants for the package names of the distributions: A Ubuntu, B Debian. */
static void tag_distro(struct judge *g, struct finding *x)
{
    if (str_eq(g->f->machine.distro_id, "debian"))
        x->tags |= FIX_B;
    else
        x->tags |= FIX_A;
}

static void rule_wsl1(struct judge *g)
{
    struct finding *x = in_state(g, STATE_WSL1, CAUSE_WSL1_NO_GPU, "WSL1");
    if (x)
        judge_evidence(g, x, "machine.kind", "/proc/version", "%s", g->f->machine.kind_evidence);
}

static void rule_wsl_off(struct judge *g)
{
    const struct fact_driver *d = &g->f->driver;
    struct finding *x = in_state(g, STATE_WSL_GPU_OFF, CAUSE_WSL_GPU_DISABLED, d->wsl_gpu_disabled);
    if (!x)
        return;
    x->tags |= str_starts(d->wsl_gpu_disabled, "/etc/wsl.conf") ? FIX_A : FIX_B;
    judge_evidence(g, x, "driver.wsl_gpu_disabled", NULL, "%s", d->wsl_gpu_disabled);
}

static void rule_wsl_kernel(struct judge *g)
{
    const struct fact_driver *d = &g->f->driver;
    struct finding *x = in_state(g, STATE_WSL_OWN_KERNEL, CAUSE_WSL_CUSTOM_KERNEL_NO_DXG, "/dev/dxg");
    if (!x)
        return;
    show_kernel(g, x);
    judge_evidence(g, x, "driver.dxg", "/dev/dxg", _("not there"));
    judge_evidence(g, x, "driver.wsl_kernel_custom", NULL, "%s", d->wsl_kernel_custom);
}

static void rule_wsl_no_dxg(struct judge *g)
{
    struct finding *x = in_state(g, STATE_WSL_NO_DXG, CAUSE_WSL_NO_DXG_DEVICE, "/dev/dxg");
    if (!x)
        return;
    show_kernel(g, x);
    judge_evidence(g, x, "driver.dxg", "/dev/dxg", _("not there"));
    judge_evidence(g, x, "machine.kind", NULL, "WSL2: %s", g->f->machine.kind_evidence);
}

static void rule_wsl_libs(struct judge *g)
{
    const struct fact_driver *d = &g->f->driver;
    struct finding *x = in_state(g, STATE_WSL_NO_LIBS, CAUSE_WSL_DRIVER_LIBS_MISSING, "libcuda.so.1");
    if (!x)
        return;
    judge_evidence(g, x, "driver.wsl_lib", "/usr/lib/wsl/lib", d->wsl_lib == TRI_YES ? _("holds no libcuda.so.1") : _("not there"));
    judge_evidence(g, x, "driver.dxg", "/dev/dxg", _("is there"));
}

static void rule_no_gpu(struct judge *g)
{
    const struct fact_machine *m = &g->f->machine;
    struct finding *x = in_state(g, STATE_NO_GPU, CAUSE_NO_NVIDIA_GPU, _("NVIDIA GPU"));
    if (!x)
        return;
    bool vm = m->kind == FACT_MACHINE_KIND_VM;
    x->tags |= vm ? FIX_A : 0;
    judge_bind(g, x, "machine", "%s", vm ? _("this virtual machine") : _("this machine"));
    judge_evidence(g, x, "gpus", "/sys/bus/pci/devices", _("no display device of vendor 10de"));
    if (vm)
        judge_evidence(g, x, "machine.kind", NULL, _("virtual machine: %s"), m->kind_evidence);
    if (machine_in_container(g->f))
        judge_evidence(g, x, "machine.container", NULL, _("container: %s"), m->container_evidence);
}

static void rule_container(struct judge *g)
{
    const struct fact_machine *m = &g->f->machine;
    struct finding *x = in_state(g, STATE_CONTAINER_NO_GPU, CAUSE_CONTAINER_NO_GPU, fact_container_kind_id(m->container));
    if (!x)
        return;
    bool podman = m->container == FACT_CONTAINER_KIND_PODMAN, kube = m->container == FACT_CONTAINER_KIND_KUBERNETES;
    x->tags |= podman ? FIX_B : kube ? FIX_C : FIX_A;
    judge_bind(g, x, "engine", "%s", fact_container_kind_id(m->container));
    judge_evidence(g, x, "machine.container", NULL, "%s", m->container_evidence);
    if (machine_container_asked_for_none(g->f))
        judge_evidence(g, x, "gpu_env.nvidia_visible_devices", NULL, "NVIDIA_VISIBLE_DEVICES=%s", g->f->gpu_env.nvidia_visible_devices);
    if (machine_is_wsl2(g->f))
        judge_evidence(g, x, "driver.dxg", "/dev/dxg", _("not there"));
    else
        judge_evidence(g, x, "driver.nodes", g->f->driver.n_nodes ? "/dev/nvidia0" : "/dev/nvidiactl", _("not there"));
    if (g->f->driver.kmod_version)
        judge_evidence(g, x, "driver.kmod_version", g->f->driver.source, _("the host's driver %s is loaded"), g->f->driver.kmod_version);
}

static void rule_vfio(struct judge *g)
{
    const struct fact_gpu *gpu = machine_first_gpu(g->f);
    struct finding *x = in_state(g, STATE_VFIO, CAUSE_GPU_HELD_BY_VFIO, gpu ? gpu->pci : NULL);
    if (x)
        show_gpus(g, x);
}

static void rule_nouveau(struct judge *g)
{
    const struct fact_gpu *gpu = machine_first_gpu(g->f);
    struct finding *x = in_state(g, STATE_NOUVEAU, CAUSE_DRIVER_BLOCKED_BY_NOUVEAU, gpu ? gpu->driver : NULL);
    if (!x)
        return;
    tag_distro(g, x);
    show_gpus(g, x);
    if (g->f->driver.blacklist_nouveau == TRI_YES)
        x->tags |= FIX_C; /* the ban is written, but the initramfs that is in use does not know it */
}

static void rule_not_installed(struct judge *g)
{
    struct finding *x = in_state(g, STATE_NOT_INSTALLED, CAUSE_DRIVER_NOT_INSTALLED, _("NVIDIA driver"));
    if (!x)
        return;
    tag_distro(g, x);
    show_gpus(g, x);
    show_kernel(g, x);
    judge_evidence(g, x, "driver.kmod_file", "/lib/modules", _("no nvidia.ko for any kernel"));
}

static void rule_dkms(struct judge *g)
{
    const struct fact_driver *d = &g->f->driver;
    struct finding *x = in_state(g, STATE_DKMS_FAILED, CAUSE_DRIVER_DKMS_BUILD_FAILED, d->dkms);
    if (!x)
        return;
    tag_distro(g, x);
    show_kernel(g, x);
    judge_bind(g, x, "dkms", "%s", d->dkms);
    judge_bind(g, x, "log", "%s", d->dkms_log);
    judge_evidence(g, x, "driver.dkms_log", d->dkms_log, _("log of an unfinished build for this kernel"));
}

static void rule_no_module(struct judge *g)
{
    const struct fact_driver *d = &g->f->driver;
    struct finding *x = in_state(g, STATE_NO_MODULE, CAUSE_DRIVER_MODULE_MISSING_FOR_KERNEL, "nvidia.ko");
    if (!x)
        return;
    const struct fact_driver_lib *lib = machine_lib_real(g->f, "libcuda.so.1");
    show_kernel(g, x);
    judge_bind(g, x, "dkms", "%s", d->dkms ? d->dkms : "");
    x->tags |= d->dkms ? FIX_A : FIX_B;
    judge_evidence(g, x, "driver.kmod_file", "/lib/modules", _("no nvidia.ko for the running kernel %s"), g->f->machine.kernel);
    if (d->kmod_elsewhere)
        judge_evidence(g, x, "driver.kmod_elsewhere", d->kmod_elsewhere, _("one for kernel %s"), d->kmod_elsewhere_kernel);
    if (d->dkms)
        judge_evidence(g, x, "driver.dkms", "/var/lib/dkms", "%s", d->dkms);
    if (lib)
        judge_evidence(g, x, "driver.libs", lib->path, _("user-space driver %s"), lib->version ? lib->version : _("of unknown version"));
}

static void rule_secure_boot(struct judge *g)
{
    const struct fact_driver *d = &g->f->driver;
    struct finding *x = in_state(g, STATE_SECURE_BOOT, CAUSE_DRIVER_MODULE_UNSIGNED_SECURE_BOOT, "nvidia.ko");
    if (!x)
        return;
    judge_evidence(g, x, "machine.secure_boot", "/sys/firmware/efi/efivars", _("Secure Boot is on"));
    judge_evidence(g, x, "driver.kmod_file", d->kmod_file, d->kmod_file_signed == TRI_NO ? _("carries no signature") : _("built on this machine; not loaded"));
    judge_bind(g, x, "module", "%s", d->kmod_file);
    if (d->kmod_file_signed != TRI_NO)
        x->unproved = _("whether the key that signed the module is enrolled");
}

static void rule_blacklisted(struct judge *g)
{
    const struct fact_driver *d = &g->f->driver;
    struct finding *x = in_state(g, STATE_BLACKLISTED, CAUSE_DRIVER_MODULE_BLACKLISTED, d->blacklist_nvidia);
    if (!x)
        return;
    judge_evidence(g, x, "driver.blacklist_nvidia", d->blacklist_nvidia, _("keeps nvidia from loading"));
    judge_evidence(g, x, "driver.kmod_file", d->kmod_file, _("is there for this kernel"));
    x->tags |= str_eq(d->blacklist_nvidia, "/proc/cmdline") ? FIX_B : FIX_A;
}

static void rule_not_loaded(struct judge *g)
{
    const struct fact_driver *d = &g->f->driver;
    if (machine_state(g->f) != STATE_NOT_LOADED)
        return;
    bool loads_on_demand = d->modprobe_helper == TRI_YES && !machine_in_container(g->f);
    if (loads_on_demand) {
        judge_unknown(g, 1, _("nvidia.ko is installed for this kernel but not loaded; CUDA may load it at its first use (nvidia-modprobe)"));
        return;
    }
    struct finding *x = judge_find(g, CAUSE_DRIVER_MODULE_NOT_LOADED, "nvidia");
    show_gpus(g, x);
    if (d->kmod_file)
        judge_evidence(g, x, "driver.kmod_file", d->kmod_file, _("is there for this kernel"));
    if (machine_in_container(g->f))
        x->unproved = _("why the host does not load it");
}

static void rule_unknown(struct judge *g)
{
    if (machine_state(g->f) == STATE_UNKNOWN)
        judge_unknown(g, 1, "%s", machine_unknown_why(g->f));
}

/* In causal order. */
const struct rule rules_machine[] = {
    {CAUSE_WSL1_NO_GPU, rule_wsl1},
    {CAUSE_WSL_GPU_DISABLED, rule_wsl_off},
    {CAUSE_WSL_CUSTOM_KERNEL_NO_DXG, rule_wsl_kernel},
    {CAUSE_WSL_NO_DXG_DEVICE, rule_wsl_no_dxg},
    {CAUSE_WSL_DRIVER_LIBS_MISSING, rule_wsl_libs},
    {CAUSE_NO_NVIDIA_GPU, rule_no_gpu},
    {CAUSE_CONTAINER_NO_GPU, rule_container},
    {CAUSE_GPU_HELD_BY_VFIO, rule_vfio},
    {CAUSE_DRIVER_BLOCKED_BY_NOUVEAU, rule_nouveau},
    {CAUSE_DRIVER_NOT_INSTALLED, rule_not_installed},
    {CAUSE_DRIVER_DKMS_BUILD_FAILED, rule_dkms},
    {CAUSE_DRIVER_MODULE_MISSING_FOR_KERNEL, rule_no_module},
    {CAUSE_DRIVER_MODULE_UNSIGNED_SECURE_BOOT, rule_secure_boot},
    {CAUSE_DRIVER_MODULE_BLACKLISTED, rule_blacklisted},
    {CAUSE_DRIVER_MODULE_NOT_LOADED, rule_not_loaded},
    {CAUSE_DRIVER_DROPPED_GPU, rule_driver_dropped_gpu},
    {CAUSE_DRIVER_OPEN_MODULE_UNSUPPORTED_GPU, rule_driver_open_module},
    {CAUSE_DRIVER_OLDER_THAN_GPU, rule_driver_older_than_gpu},
    {CAUSE_DEVICE_NODES_MISSING, rule_driver_nodes},
    {CAUSE_DEVICE_NODE_NO_PERMISSION, rule_driver_permission},
    {CAUSE_UVM_DEVICE_NODE_MISSING, rule_driver_uvm},
    {CAUSE_CONTAINER_WITHOUT_COMPUTE, rule_driver_capabilities},
    {CAUSE_LIBCUDA_MISSING, rule_driver_libcuda},
    {CAUSE_LIBCUDA_STUB_LOADED, rule_driver_stub},
    {CAUSE_WSL_LINUX_DRIVER_INSTALLED, rule_driver_wsl_linux},
    {CAUSE_DRIVER_USERSPACE_KERNEL_MISMATCH, rule_driver_mismatch},
    {CAUSE_FORWARD_COMPAT_UNSUPPORTED_GPU, rule_driver_compat},
    {CAUSE_DRIVER_TOO_OLD, rule_driver_floor},
    {CAUSE_NVML_MISSING, rule_driver_nvml},
    {CAUSE_GPU_FELL_OFF_BUS, rule_driver_gpu_lost},
    {CAUSE_CUDA_OS_CALL_FAILED, rule_driver_os_call},
    {CAUSE_CUINIT_UNKNOWN_ERROR, rule_driver_unknown_error},
    {CAUSE_COUNT, rule_unknown},
};
const size_t n_rules_machine = TG_COUNT(rules_machine);
