/* SPDX-License-Identifier: Apache-2.0 */
/* machine - what kind of machine this is: distribution, processor, WSL, virtual machine, container. */
#include <string.h>
#include <strings.h>
#include "formats/ini.h"
#include "probe/machine_parts.h"

enum { SMALL_FILE = 64 * 1024 };

bool machine_exists(struct probe *p, const char *path)
{
    struct root_stat st;
    return root_stat(p->root, path, &st) == 0;
}

bool machine_is_dir(struct probe *p, const char *path)
{
    struct root_stat st;
    return root_stat(p->root, path, &st) == 0 && st.type == ROOT_DIR;
}

bool machine_is_char(struct probe *p, const char *path)
{
    struct root_stat st;
    return root_stat(p->root, path, &st) == 0 && st.type == ROOT_CHAR;
}

const char *machine_line(struct probe *p, const char *path)
{
    const char *text;
    size_t len, pos = 0;
    struct str line;
    if (root_read(p->root, path, SMALL_FILE, p->a, &text, &len) < 0 || !str_line(text, len, &pos, &line))
        return NULL;
    line = str_trim(line);
    return line.n ? arena_strndup(p->a, line.p, line.n) : NULL;
}

bool machine_has_sysfs(struct probe *p)
{
    return machine_is_dir(p, "/sys/module/kernel") || machine_is_dir(p, "/sys/bus/platform");
}

static void find_distro(struct probe *p, struct fact_machine *m)
{
    static const char *const files[] = {"/etc/os-release", "/usr/lib/os-release"};
    for (size_t i = 0; i < TG_COUNT(files); i++) {
        const char *text;
        size_t len;
        if (root_read(p->root, files[i], SMALL_FILE, p->a, &text, &len) < 0)
            continue;
        m->distro_id = osrel_get(text, len, "ID", p->a);
        m->distro_version = osrel_get(text, len, "VERSION_ID", p->a);
        m->distro_name = osrel_get(text, len, "PRETTY_NAME", p->a);
        return;
    }
}

static enum tri cpu_tri(struct probe *p, const char *flag)
{
    int has = root_cpu_has(p->root, flag);
    return has < 0 ? TRI_UNKNOWN : has ? TRI_YES : TRI_NO;
}

static bool cpu_has_all(struct probe *p, const char *const *flags, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (root_cpu_has(p->root, flags[i]) != 1)
            return false;
    return true;
}

/* x86-64 psABI, table 3.1: micro-architecture levels; names as in /proc/cpuinfo. */
static uint32_t isa_level(struct probe *p)
{
    static const char *const v2[] = {"cx16", "lahf_lm", "popcnt", "sse4_1", "sse4_2", "ssse3"};
    static const char *const v3[] = {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"};
    static const char *const v4[] = {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"};
    if (root_cpu_has(p->root, "sse4_2") < 0 || !str_eq(root_arch(p->root), "x86_64"))
        return 0;
    if (!cpu_has_all(p, v2, TG_COUNT(v2)))
        return 1;
    if (!cpu_has_all(p, v3, TG_COUNT(v3)))
        return 2;
    return cpu_has_all(p, v4, TG_COUNT(v4)) ? 4 : 3;
}

static void find_cpu(struct probe *p, struct fact_cpu *c)
{
    c->vendor = root_cpu_vendor(p->root);
    c->has_sse42 = cpu_tri(p, "sse4_2");
    c->has_avx = cpu_tri(p, "avx");
    c->has_avx2 = cpu_tri(p, "avx2");
    c->has_fma = cpu_tri(p, "fma");
    c->isa_level = isa_level(p);
    c->state = c->has_avx == TRI_UNKNOWN ? FACT_UNKNOWN : FACT_PRESENT;
    c->source = root_is_live(p->root) ? "CPUID" : "/proc/cpuinfo";
}

static void set_container(struct fact_machine *m, enum fact_container_kind kind, const char *evidence)
{
    m->container = kind;
    m->container_evidence = evidence;
}

/* By what the engines leave in the file system and in the environment of their processes. */
static void find_container(struct probe *p, struct fact_machine *m)
{
    static const struct { const char *path; enum fact_container_kind kind; } marks[] = {
        {"/.singularity.d", FACT_CONTAINER_KIND_APPTAINER},
        {"/run/.containerenv", FACT_CONTAINER_KIND_PODMAN},
        {"/.dockerenv", FACT_CONTAINER_KIND_DOCKER},
    };
    static const struct { const char *name; enum fact_container_kind kind; } names[] = {
        {"docker", FACT_CONTAINER_KIND_DOCKER}, {"podman", FACT_CONTAINER_KIND_PODMAN}, {"lxc", FACT_CONTAINER_KIND_LXC},
        {"lxc-libvirt", FACT_CONTAINER_KIND_LXC},
    };
    if (root_getenv(p->root, "KUBERNETES_SERVICE_HOST")) {
        set_container(m, FACT_CONTAINER_KIND_KUBERNETES, "KUBERNETES_SERVICE_HOST");
        return;
    }
    for (size_t i = 0; i < TG_COUNT(marks); i++)
        if (machine_exists(p, marks[i].path)) {
            set_container(m, marks[i].kind, marks[i].path);
            return;
        }
    const char *name = root_getenv(p->root, "container"), *from = "container";
    if (!name)
        name = machine_line(p, from = "/run/systemd/container");
    if (!name || str_eq(name, "wsl")) /* systemd says "wsl" for a WSL distribution */
        return;
    set_container(m, FACT_CONTAINER_KIND_OTHER, from);
    for (size_t i = 0; i < TG_COUNT(names); i++)
        if (str_eq(name, names[i].name))
            m->container = names[i].kind;
}

static bool has_word(const char *s, const char *word)
{
    return s && strcasestr(s, word) != NULL;
}

/* WSL1 has the kernel string "4.4.0-<build>-Microsoft" and no device at all; a bare "4.4.0" is some sandbox's. */
static bool find_wsl_kind(struct probe *p, struct fact_machine *m)
{
    const char *k = m->kernel;
    if (machine_is_char(p, "/dev/dxg")) {
        m->kind = FACT_MACHINE_KIND_WSL2;
        m->kind_evidence = "/dev/dxg";
        return true;
    }
    if (str_starts(k, "4.4.0-") && str_ends(k, "-Microsoft")) {
        m->kind = FACT_MACHINE_KIND_WSL1;
        m->kind_evidence = arena_printf(p->a, "kernel %s", k);
        return true;
    }
    if (has_word(k, "microsoft-standard") || has_word(k, "WSL2")) {
        m->kind = FACT_MACHINE_KIND_WSL2;
        m->kind_evidence = arena_printf(p->a, "kernel %s", k);
        return true;
    }
    static const char *const marks[] = {"/usr/lib/wsl/lib/libdxcore.so", "/run/WSL", "/proc/sys/fs/binfmt_misc/WSLInterop"};
    for (size_t i = 0; i < TG_COUNT(marks); i++)
        if (machine_exists(p, marks[i]) && !machine_exists(p, "/proc/driver/nvidia/version")) {
            m->kind = FACT_MACHINE_KIND_WSL2;
            m->kind_evidence = marks[i];
            return true;
        }
    return false;
}

static void find_kind(struct probe *p, struct fact_machine *m)
{
    static const char *const vm_products[] = {"KVM", "QEMU", "VMware", "VirtualBox", "Virtual Machine", "HVM domU", "Bochs", "OpenStack", "Parallels"};
    if (find_wsl_kind(p, m))
        return;
    int hv = root_cpu_has(p->root, "hypervisor");
    if (hv == 0) {
        m->kind = FACT_MACHINE_KIND_BARE_METAL;
        m->kind_evidence = "no hypervisor flag of the processor";
        return;
    }
    const char *vendor = machine_line(p, "/sys/class/dmi/id/sys_vendor"), *product = machine_line(p, "/sys/class/dmi/id/product_name");
    bool named = false;
    for (size_t i = 0; i < TG_COUNT(vm_products); i++)
        named |= has_word(product, vm_products[i]) || has_word(vendor, vm_products[i]);
    if (hv != 1 && !named)
        return;
    m->kind = FACT_MACHINE_KIND_VM;
    m->kind_evidence = hv == 1 ? "hypervisor flag of the processor" : "/sys/class/dmi/id/product_name";
    m->hypervisor = vendor ? vendor : product;
}

/* Jetson boards: the GPU is part of the chip; no PCI device shows it. */
static enum tri find_integrated(struct probe *p, const struct fact_machine *m)
{
    if (!str_eq(m->arch, "aarch64"))
        return TRI_NO;
    return machine_exists(p, "/dev/nvhost-gpu") || machine_exists(p, "/dev/nvgpu") || machine_exists(p, "/etc/nv_tegra_release") ? TRI_YES : TRI_NO;
}

void probe_cpu_model(struct probe *p)
{
    p->f->machine.cpu.model = root_cpu_model(p->root);
}

void probe_machine(struct probe *p)
{
    struct fact_machine *m = &p->f->machine;
    m->kernel = root_kernel_release(p->root);
    m->arch = root_arch(p->root);
    find_distro(p, m);
    find_cpu(p, &m->cpu);
    if (m->cpu.has_avx != TRI_YES)
        probe_cpu_model(p); /* what is wrong with it is told with its name */
    find_container(p, m);
    find_kind(p, m);
    m->integrated_gpu = find_integrated(p, m);
    m->state = FACT_PRESENT;
    machine_find_gpus(p);
    machine_find_nodes(p);
    if (m->kind == FACT_MACHINE_KIND_WSL2)
        machine_find_wsl(p);
    machine_find_kmod(p);
}
