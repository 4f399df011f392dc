/* SPDX-License-Identifier: Apache-2.0 */
/* limits - what the host allows GPU programs: memory, locked memory, shared memory. Nothing is read where there is no NVIDIA GPU. */
#include <errno.h>
#include <string.h>
#include "formats/ini.h"
#include "formats/procfs.h"
#include "probe/machine_parts.h"

enum { SMALL = 64 * 1024, MAX_LEVELS = 32, MAX_USERS = 64 };
static const uint64_t no_limit = (uint64_t)1 << 62; /* control groups of version 1 write the largest multiple of a page instead of "max" */

static bool number_file(struct probe *p, const char *path, uint64_t *ret)
{
    const char *text;
    size_t len;
    return root_read(p->root, path, SMALL, p->a, &text, &len) == 0 && sysfs_number(text, len, ret);
}

static void find_memory(struct probe *p, struct fact_gpu_limits *l)
{
    const char *text;
    size_t len;
    if (root_read(p->root, "/proc/meminfo", SMALL, p->a, &text, &len) < 0)
        return;
    l->has_memory_bytes = meminfo_get(text, len, "MemTotal", &l->memory_bytes);
    l->has_memory_available_bytes = meminfo_get(text, len, "MemAvailable", &l->memory_available_bytes);
    l->has_swap_bytes = meminfo_get(text, len, "SwapTotal", &l->swap_bytes);
}

static void tighten_quota(struct probe *p, struct fact_gpu_limits *l, const char *path)
{
    const char *text;
    size_t len;
    uint32_t percent;
    if (root_read(p->root, path, SMALL, p->a, &text, &len) < 0 || !cpu_quota(text, len, &percent))
        return;
    if (!l->has_cpu_quota_percent || percent < l->cpu_quota_percent)
        l->cpu_quota_percent = percent;
    l->has_cpu_quota_percent = true;
}

/* The tightest limit on the way from the group up to the root of the hierarchy. A container without a group namespace is told a path
 * of the host, which is not there: then the hierarchy's own root is the container's group. */
static void find_group(struct probe *p, struct fact_gpu_limits *l, const char *top, const char *group, const char *limit, const char *used, bool cpu_max)
{
    uint64_t tightest = l->has_memory_bytes ? l->memory_bytes : no_limit;
    for (size_t level = 0; level < MAX_LEVELS; level++) {
        const char *dir = arena_printf(p->a, "%s%s", top, str_eq(group, "/") ? "" : group), *file = path_join(p->a, dir, limit);
        uint64_t bytes;
        if (number_file(p, file, &bytes) && bytes < tightest) {
            l->has_cgroup_bytes = true;
            l->cgroup_bytes = tightest = bytes;
            l->cgroup_source = file;
            l->has_cgroup_used_bytes = number_file(p, path_join(p->a, dir, used), &l->cgroup_used_bytes);
        }
        if (cpu_max)
            tighten_quota(p, l, path_join(p->a, dir, "cpu.max"));
        if (str_eq(group, "/"))
            return;
        group = path_dir(p->a, group);
    }
}

static void find_groups(struct probe *p, struct fact_gpu_limits *l)
{
    const char *text, *group;
    size_t len;
    if (root_read(p->root, "/proc/self/cgroup", SMALL, p->a, &text, &len) < 0)
        return;
    if ((group = cgroup_path(text, len, "memory", p->a)))
        find_group(p, l, "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes", "memory.usage_in_bytes", false);
    else if ((group = cgroup_path(text, len, NULL, p->a)))
        find_group(p, l, "/sys/fs/cgroup", group, "memory.max", "memory.current", true);
}

static void find_process_limits(struct probe *p, struct fact_gpu_limits *l)
{
    const char *text;
    size_t len;
    struct proc_limit locked;
    struct root_space shm;
    if (root_read(p->root, "/proc/self/limits", SMALL, p->a, &text, &len) == 0 && proc_limit_get(text, len, "Max locked memory", &locked)) {
        l->memlock_unlimited = locked.unlimited ? TRI_YES : TRI_NO;
        l->has_memlock_bytes = !locked.unlimited;
        l->memlock_bytes = locked.value;
    }
    if (root_read(p->root, "/proc/self/status", SMALL, p->a, &text, &len) == 0)
        l->has_cpus = cpu_list_count(text, len, "Cpus_allowed_list", &l->cpus);
    if (root_space(p->root, "/dev/shm", &shm) == 0) {
        l->has_shm_bytes = l->has_shm_free_bytes = true;
        l->shm_bytes = shm.size;
        l->shm_free_bytes = shm.free;
    }
}

/* Windows' files are slow from here, so they are looked at only where the virtual machine is small. */
static void find_wsl_memory(struct probe *p, struct fact_gpu_limits *l)
{
    static const char users[] = "/mnt/c/Users";
    static const uint64_t small = (uint64_t)16 << 30;
    struct root_dirent *list;
    size_t n = 0, len;
    if (p->f->machine.kind != FACT_MACHINE_KIND_WSL2 || !l->has_memory_bytes || l->memory_bytes > small ||
        root_readdir(p->root, users, MAX_USERS, p->a, &list, &n) < 0)
        return;
    for (size_t i = 0; i < n && !l->wsl_memory_set; i++) {
        const char *text, *file = path_join(p->a, path_join(p->a, users, list[i].name), ".wslconfig");
        if (root_read(p->root, file, SMALL, p->a, &text, &len) < 0)
            continue;
        l->wsl_config = file;
        l->wsl_memory_set = ini_get(text, len, "wsl2", "memory", p->a);
    }
}

static bool has_entries(struct probe *p, const char *dir)
{
    enum { MAX_DEVICES = 64 };
    struct root_dirent *list;
    size_t n = 0;
    int rc = root_readdir(p->root, dir, MAX_DEVICES, p->a, &list, &n);
    return rc == -E2BIG || (rc == 0 && n > 0);
}

void probe_limits(struct probe *p)
{
    struct facts *f = p->f;
    if (f->n_gpus == 0 && f->driver.n_nodes == 0 && f->driver.dxg != TRI_YES)
        return;
    struct fact_gpu_limits *l = &f->gpu_limits;
    l->state = FACT_PRESENT;
    l->source = "/proc/meminfo";
    find_memory(p, l);
    find_groups(p, l);
    find_process_limits(p, l);
    find_wsl_memory(p, l);
    if (f->n_gpus > 1)
        l->infiniband = has_entries(p, "/sys/class/infiniband") ? TRI_YES : TRI_NO;
}
