/* SPDX-License-Identifier: Apache-2.0 */
/* driver - which kernel driver holds the GPUs, whether NVIDIA's is loaded, and what the files say of why it is not. */
#include <string.h>
#include <strings.h>
#include "formats/kmodidx.h"
#include "formats/modinfo.h"
#include "formats/modprobe.h"
#include "formats/nvversion.h"
#include "probe/machine_parts.h"

enum { SMALL_FILE = 64 * 1024, MAX_DIR = 256, MAX_DEP = 4 << 20, NVIDIA_MAJOR = 195 };

static bool any_gpu_driver(const struct facts *f, const char *prefix)
{
    for (size_t i = 0; i < f->n_gpus; i++)
        if (f->gpus[i].driver && strncasecmp(f->gpus[i].driver, prefix, strlen(prefix)) == 0)
            return true;
    return false;
}

static void set_loaded(struct fact_driver *d, enum fact_kmod_loaded_by by, const char *source)
{
    d->loaded = TRI_YES;
    d->loaded_by = by;
    d->source = source;
    d->state = FACT_PRESENT;
}

static bool loaded_by_proc(struct probe *p, struct fact_driver *d)
{
    static const char path[] = "/proc/driver/nvidia/version";
    const char *text;
    size_t len;
    bool open = false;
    if (root_read(p->root, path, SMALL_FILE, p->a, &text, &len) < 0)
        return false;
    d->kmod_version = nvversion_proc(text, len, p->a, &open);
    d->kmod = open ? FACT_KMOD_KIND_NVIDIA_OPEN : FACT_KMOD_KIND_NVIDIA;
    set_loaded(d, FACT_KMOD_LOADED_BY_PROC, path);
    return true;
}

static bool loaded_by_sysfs(struct probe *p, struct fact_driver *d)
{
    static const char path[] = "/sys/module/nvidia/version";
    const char *v = machine_line(p, path);
    if (!v && !machine_is_dir(p, "/sys/module/nvidia"))
        return false;
    d->kmod_version = v && nvversion_len(v, strlen(v)) ? v : NULL;
    d->kmod = FACT_KMOD_KIND_NVIDIA;
    set_loaded(d, FACT_KMOD_LOADED_BY_SYSFS, path);
    return true;
}

/* Device nodes of the driver's own major number vouch for it only where the kernel's own words cannot be heard. */
static bool loaded_by_nodes(struct probe *p, struct fact_driver *d)
{
    if (machine_has_sysfs(p))
        return false;
    for (size_t i = 0; i < d->n_nodes; i++)
        if (d->nodes[i].is_device && d->nodes[i].major == NVIDIA_MAJOR) {
            d->kmod = FACT_KMOD_KIND_NVIDIA;
            set_loaded(d, FACT_KMOD_LOADED_BY_NODES, d->nodes[i].path);
            return true;
        }
    return false;
}

static void find_loaded(struct probe *p, struct fact_driver *d)
{
    if (loaded_by_proc(p, d) || loaded_by_sysfs(p, d))
        return;
    if (any_gpu_driver(p->f, "nvidia")) {
        d->kmod = FACT_KMOD_KIND_NVIDIA;
        set_loaded(d, FACT_KMOD_LOADED_BY_BUS, p->f->gpus[0].source);
        return;
    }
    if (loaded_by_nodes(p, d))
        return;
    if (p->f->machine.kind == FACT_MACHINE_KIND_WSL2) {
        d->loaded = d->dxg;
        d->loaded_by = d->dxg == TRI_YES ? FACT_KMOD_LOADED_BY_DXG : FACT_KMOD_LOADED_BY_NONE;
        d->state = d->dxg == TRI_YES ? FACT_PRESENT : FACT_ABSENT;
        return;
    }
    d->loaded = p->f->pci_known == TRI_YES || machine_has_sysfs(p) ? TRI_NO : TRI_UNKNOWN;
    d->state = d->loaded == TRI_NO ? FACT_ABSENT : FACT_UNKNOWN;
    d->kmod = any_gpu_driver(p->f, "nouveau") ? FACT_KMOD_KIND_NOUVEAU
              : any_gpu_driver(p->f, "nova")  ? FACT_KMOD_KIND_NOVA
              : any_gpu_driver(p->f, "vfio")  ? FACT_KMOD_KIND_VFIO
                                              : FACT_KMOD_KIND_NONE;
}

/* Path of nvidia.ko in modules.dep, depmod's index as text: "updates/dkms/nvidia.ko.zst: …". */
static const char *module_in_text(struct probe *p, const char *dir)
{
    const char *text, *hit;
    size_t len;
    if (root_read(p->root, path_join(p->a, dir, "modules.dep"), MAX_DEP, p->a, &text, &len) < 0)
        return NULL;
    for (size_t from = 0; (hit = memmem(text + from, len - from, "/nvidia.ko", 10)); from = (size_t)(hit - text) + 10) {
        const char *start = hit;
        while (start > text && start[-1] != '\n' && start[-1] != ' ' && start[-1] != ':')
            start--;
        size_t n = strcspn(start, ":\n");
        if (start == text || start[-1] == '\n')
            return arena_strndup(p->a, start, n);
    }
    return NULL;
}

/* Path of nvidia.ko below a kernel's module folder: depmod's index first, else the places where packages put it. */
static const char *module_in(struct probe *p, const char *dir)
{
    static const char *const places[] = {"updates/dkms", "kernel/drivers/video", "extra", "extra/nvidia", "updates", "misc", "weak-updates/nvidia",
                                         "kernel/drivers/char/drm", "extramodules"};
    static const char *const ends[] = {"", ".zst", ".xz", ".gz"};
    struct rfile *f;
    const char *value = NULL;
    int found = -1;
    if (root_open(p->root, path_join(p->a, dir, "modules.dep.bin"), &f, NULL) == 0) {
        struct bytesrc src = rfile_src(f);
        found = kmodidx_find(&src, "nvidia", p->a, &value, NULL);
        rfile_close(f);
    }
    if (found < 0 && (value = module_in_text(p, dir)))
        found = 1;
    if (found == 1) {
        const char *path = path_join(p->a, dir, arena_strndup(p->a, value, strcspn(value, ":")));
        if (machine_exists(p, path))
            return path;
    }
    for (size_t i = 0; found != 0 && i < TG_COUNT(places); i++) /* no index, or an old one */
        for (size_t k = 0; k < TG_COUNT(ends); k++) {
            const char *path = path_join(p->a, dir, arena_printf(p->a, "%s/nvidia.ko%s", places[i], ends[k]));
            if (machine_exists(p, path))
                return path;
        }
    return NULL;
}

void machine_find_module_file(struct probe *p)
{
    struct fact_driver *d = &p->f->driver;
    if (!p->f->machine.kernel || d->modules_dir != TRI_UNKNOWN)
        return;
    const char *dir = path_join(p->a, "/lib/modules", p->f->machine.kernel);
    d->modules_dir = machine_is_dir(p, dir) ? TRI_YES : TRI_NO;
    if (d->modules_dir != TRI_YES || !(d->kmod_file = module_in(p, dir)))
        return;
    struct rfile *f;
    struct modinfo info;
    if (root_open(p->root, d->kmod_file, &f, NULL) < 0)
        return;
    struct bytesrc src = rfile_src(f);
    if (modinfo_read(&src, p->a, &info, NULL) == 0) { /* compressed ones state nothing */
        d->kmod_file_version = info.version;
        d->kmod_file_open = info.license && strstr(info.license, "MIT") ? TRI_YES : TRI_NO;
        d->kmod_file_signed = info.is_signed ? TRI_YES : TRI_NO;
    }
    rfile_close(f);
}

static void find_elsewhere(struct probe *p, struct fact_driver *d)
{
    struct root_dirent *list;
    size_t n = 0;
    if (root_readdir(p->root, "/lib/modules", MAX_DIR, p->a, &list, &n) < 0)
        return;
    for (size_t i = 0; i < n && !d->kmod_elsewhere; i++) {
        if (str_eq(list[i].name, p->f->machine.kernel))
            continue;
        d->kmod_elsewhere = module_in(p, path_join(p->a, "/lib/modules", list[i].name));
        d->kmod_elsewhere_kernel = d->kmod_elsewhere ? list[i].name : NULL;
    }
}

/* A build folder that is still there holds the log of a build that did not end well. Its first line names the kernel:
 * "DKMS make.log for nvidia-535.104.05 for kernel 6.8.0-45-generic (x86_64)". */
static bool failed_build(struct probe *p, const char *log)
{
    const char *first = machine_line(p, log), *at = first ? strstr(first, " for kernel ") : NULL;
    if (!at)
        at = first ? strstr(first, "/") : NULL; /* newer: "… make.log for nvidia/575.51 for kernel …" is matched above */
    const char *kernel = p->f->machine.kernel;
    if (!at || !kernel || !str_starts(at, " for kernel "))
        return false;
    at += strlen(" for kernel ");
    size_t n = strlen(kernel);
    return strncmp(at, kernel, n) == 0 && (at[n] == ' ' || at[n] == '\0');
}

static void find_dkms(struct probe *p, struct fact_driver *d)
{
    struct root_dirent *mods, *vers;
    size_t n_mods = 0, n_vers;
    if (root_readdir(p->root, "/var/lib/dkms", MAX_DIR, p->a, &mods, &n_mods) < 0)
        return;
    for (size_t i = 0; i < n_mods; i++) {
        const char *dir = path_join(p->a, "/var/lib/dkms", mods[i].name);
        if (!str_starts(mods[i].name, "nvidia") || root_readdir(p->root, dir, MAX_DIR, p->a, &vers, &n_vers) < 0)
            continue;
        for (size_t k = 0; k < n_vers; k++) {
            if (vers[k].name[0] < '0' || vers[k].name[0] > '9')
                continue;
            d->dkms = arena_printf(p->a, "%s/%s", mods[i].name, vers[k].name);
            const char *log = path_join(p->a, dir, arena_printf(p->a, "%s/build/make.log", vers[k].name));
            if (failed_build(p, log))
                d->dkms_log = log;
        }
    }
}

static void find_blacklists(struct probe *p, struct fact_driver *d)
{
    static const char *const dirs[] = {"/etc/modprobe.d", "/run/modprobe.d", "/usr/lib/modprobe.d", "/lib/modprobe.d"};
    const char *text;
    size_t len;
    d->blacklist_nouveau = TRI_NO;
    if (root_read(p->root, "/proc/cmdline", SMALL_FILE, p->a, &text, &len) == 0) {
        if (cmdline_blocks(text, len, "nouveau"))
            d->blacklist_nouveau = TRI_YES;
        if (cmdline_blocks(text, len, "nvidia"))
            d->blacklist_nvidia = "/proc/cmdline";
    }
    for (size_t i = 0; i < TG_COUNT(dirs); i++) {
        struct root_dirent *list;
        size_t n = 0;
        if (root_readdir(p->root, dirs[i], MAX_DIR, p->a, &list, &n) < 0)
            continue;
        for (size_t k = 0; k < n; k++) {
            const char *path = path_join(p->a, dirs[i], list[k].name);
            if (!str_ends(list[k].name, ".conf") || root_read(p->root, path, SMALL_FILE, p->a, &text, &len) < 0)
                continue;
            if (modprobe_blocks(text, len, "nouveau"))
                d->blacklist_nouveau = TRI_YES;
            if (modprobe_blocks(text, len, "nvidia") && !d->blacklist_nvidia)
                d->blacklist_nvidia = path;
        }
    }
}

/* The variable's last byte, behind four bytes of attributes. Reading it asks the firmware, so only where the answer counts. */
static enum tri find_secure_boot(struct probe *p)
{
    const char *text;
    size_t len;
    if (root_read(p->root, "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c", 64, p->a, &text, &len) == 0 && len == 5)
        return text[4] ? TRI_YES : TRI_NO;
    return machine_is_dir(p, "/sys/firmware/efi") ? TRI_UNKNOWN : TRI_NO;
}

void machine_find_kmod(struct probe *p)
{
    struct fact_driver *d = &p->f->driver;
    find_loaded(p, d);
    if (d->kmod_version) {
        d->version = d->kmod_version;
        d->version_source = d->source;
    }
    bool wsl = p->f->machine.kind == FACT_MACHINE_KIND_WSL2 || p->f->machine.kind == FACT_MACHINE_KIND_WSL1;
    if (wsl || p->f->n_gpus == 0 || d->loaded == TRI_YES)
        return;
    machine_find_module_file(p);
    find_dkms(p, d);
    find_blacklists(p, d);
    if (d->kmod_file)
        p->f->machine.secure_boot = find_secure_boot(p);
    else
        find_elsewhere(p, d);
}
