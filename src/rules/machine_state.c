/* SPDX-License-Identifier: Apache-2.0 */
/* machine_state - how far a machine gets on the way from the GPU to a driver that runs. */
#include "rules/machine_state.h"
#include <string.h>
#include "base/i18n.h"
#include "rules/driver_answer.h"

static const char libcuda[] = "libcuda.so.1";

bool machine_is_wsl2(const struct facts *f)
{
    return f->machine.kind == FACT_MACHINE_KIND_WSL2;
}

bool machine_in_container(const struct facts *f)
{
    return f->machine.container != FACT_CONTAINER_KIND_NONE;
}

size_t machine_gpus(const struct facts *f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->n_gpus; i++)
        n += !f->gpus[i].virtual;
    return n;
}

const struct fact_gpu *machine_first_gpu(const struct facts *f)
{
    for (size_t i = 0; i < f->n_gpus; i++)
        if (!f->gpus[i].virtual)
            return &f->gpus[i];
    return NULL;
}

const char *machine_gpu_name(const struct fact_gpu *g)
{
    return g && g->name ? g->name : g && g->chip ? g->chip : _("NVIDIA GPU");
}

const struct fact_driver_lib *machine_lib_on_path(const struct facts *f, const char *soname)
{
    for (size_t i = 0; i < f->driver.n_libs; i++)
        if (f->driver.libs[i].on_path && str_eq(f->driver.libs[i].soname, soname))
            return &f->driver.libs[i];
    return NULL;
}

const struct fact_driver_lib *machine_lib_real(const struct facts *f, const char *soname)
{
    for (size_t i = 0; i < f->driver.n_libs; i++) {
        const struct fact_driver_lib *l = &f->driver.libs[i];
        if (str_eq(l->soname, soname) && l->origin != FACT_DRIVER_LIB_ORIGIN_STUB && !l->damage)
            return l;
    }
    return NULL;
}

static bool has_wsl_libcuda(const struct facts *f)
{
    for (size_t i = 0; i < f->driver.n_libs; i++) {
        const struct fact_driver_lib *l = &f->driver.libs[i];
        if (str_eq(l->soname, libcuda) && l->origin == FACT_DRIVER_LIB_ORIGIN_WSL)
            return true;
    }
    return false;
}

static enum machine_state wsl_state(const struct facts *f)
{
    const struct fact_driver *d = &f->driver;
    if (d->wsl_gpu_disabled && (d->dxg != TRI_YES || !has_wsl_libcuda(f)))
        return STATE_WSL_GPU_OFF;
    if (d->dxg != TRI_YES)
        return machine_in_container(f) ? STATE_CONTAINER_NO_GPU : d->wsl_kernel_custom ? STATE_WSL_OWN_KERNEL : STATE_WSL_NO_DXG;
    if (!has_wsl_libcuda(f) && !(machine_in_container(f) && machine_lib_real(f, libcuda)))
        return STATE_WSL_NO_LIBS;
    return STATE_UP;
}

/* A GPU is there and NVIDIA's kernel module is not loaded. */
static enum machine_state not_loaded_state(const struct facts *f)
{
    const struct fact_driver *d = &f->driver;
    if (d->kmod == FACT_KMOD_KIND_VFIO)
        return STATE_VFIO;
    if (d->kmod == FACT_KMOD_KIND_NOUVEAU || d->kmod == FACT_KMOD_KIND_NOVA)
        return STATE_NOUVEAU;
    if (machine_in_container(f))
        return STATE_NOT_LOADED; /* its reasons lie on the host */
    if (d->kmod_file) {
        if (d->blacklist_nvidia)
            return STATE_BLACKLISTED;
        /* A module that the distribution signed loads under Secure Boot; one built on this machine needs an enrolled key. */
        bool built_here = strstr(d->kmod_file, "/updates/") || strstr(d->kmod_file, "/extra/");
        bool doubtful = d->kmod_file_signed == TRI_NO || built_here;
        return f->machine.secure_boot == TRI_YES && doubtful ? STATE_SECURE_BOOT : STATE_NOT_LOADED;
    }
    if (!f->machine.kernel)
        return STATE_UNKNOWN;
    if (d->dkms_log)
        return STATE_DKMS_FAILED;
    return d->kmod_elsewhere || d->dkms || machine_lib_real(f, libcuda) ? STATE_NO_MODULE : STATE_NOT_INSTALLED;
}

static bool has_node(const struct fact_driver *d)
{
    for (size_t i = 0; i < d->n_nodes; i++)
        if (d->nodes[i].is_device)
            return true;
    return false;
}

size_t machine_gpu_nodes(const struct facts *f, enum tri usable)
{
    size_t n = 0;
    for (size_t i = 0; i < f->driver.n_nodes; i++) {
        const struct fact_node *d = &f->driver.nodes[i];
        bool gpu = d->is_device && str_starts(d->path, "/dev/nvidia") && d->path[11] >= '0' && d->path[11] <= '9';
        n += gpu && (usable == TRI_UNKNOWN || d->usable == usable);
    }
    return n;
}

/* Of the values that name no GPU, "none" still brings the driver's control nodes. */
bool machine_container_asked_for_none(const struct facts *f)
{
    const char *v = f->gpu_env.nvidia_visible_devices;
    return machine_in_container(f) && (str_eq(v, "none") || str_eq(v, "void") || str_eq(v, ""));
}

enum machine_state machine_state(const struct facts *f)
{
    const struct fact_driver *d = &f->driver;
    if (answer_shows_gpu(f))
        return STATE_UP; /* whatever the files look like */
    bool no_gpu_on_bus = f->pci_known == TRI_YES && machine_gpus(f) == 0 && f->machine.integrated_gpu != TRI_YES;
    if (f->machine.kind == FACT_MACHINE_KIND_WSL1)
        return STATE_WSL1;
    if (machine_is_wsl2(f))
        return wsl_state(f);
    switch (d->loaded) {
    case TRI_YES:
        if (has_node(d) && (machine_gpu_nodes(f, TRI_UNKNOWN) > 0 || !machine_container_asked_for_none(f)))
            return STATE_UP;
        if (machine_in_container(f))
            return STATE_CONTAINER_NO_GPU;
        return no_gpu_on_bus ? STATE_NO_GPU : STATE_UP;
    case TRI_NO:
        if (machine_gpus(f) > 0)
            return not_loaded_state(f);
        return no_gpu_on_bus && f->n_gpus == 0 ? STATE_NO_GPU : STATE_UNKNOWN;
    case TRI_UNKNOWN: break;
    }
    return STATE_UNKNOWN;
}

const char *machine_unknown_why(const struct facts *f)
{
    if (f->machine.integrated_gpu == TRI_YES)
        return _("the GPU is part of the chip; this version judges PCI GPUs only");
    if (f->n_gpus > 0 && machine_gpus(f) == 0)
        return _("only virtual functions of a GPU are on the PCI bus");
    if (machine_gpus(f) > 0)
        return _("the kernel's release is not known, so its modules cannot be looked up");
    return _("neither the PCI bus nor the kernel's modules can be read here, and no device node shows a driver");
}
