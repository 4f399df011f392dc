/* SPDX-License-Identifier: Apache-2.0 */
/* wsl - what WSL2 gives this distribution of the Windows GPU driver: /dev/dxg, /usr/lib/wsl, and the settings that switch it off.
 * There is no NVIDIA device on a WSL2 guest's PCI bus, no /dev/nvidia* and no /proc/driver/nvidia; none is asked for here. */
#include <string.h>
#include "formats/ini.h"
#include "formats/nvversion.h"
#include "probe/machine_parts.h"

enum { MAX_STORE = 8192, MAX_USERS = 64, INF_HEAD = 32 * 1024, MAX_CONF = 64 * 1024 };
static const char wsl_store[] = "/usr/lib/wsl/drivers", win_users[] = "/mnt/c/Users";

static bool read_conf(struct probe *p, const char *path, const char **ret, size_t *ret_len)
{
    return root_read(p->root, path, MAX_CONF, p->a, ret, ret_len) == 0;
}

/* "nv_dispi.inf_amd64_0123456789abcdef" holds nv_dispi.inf. */
static const char *inf_version(struct probe *p, const char *folder)
{
    const char *end = strstr(folder, ".inf_");
    if (!str_starts(folder, "nv") || !end)
        return NULL;
    const char *dir = path_join(p->a, wsl_store, folder);
    if (!machine_exists(p, path_join(p->a, dir, "libcuda.so.1.1")) && !machine_exists(p, path_join(p->a, dir, "libcuda_loader.so")))
        return NULL;
    struct rfile *f;
    const char *inf = path_join(p->a, dir, arena_printf(p->a, "%.*s.inf", (int)(end - folder), folder));
    if (root_open(p->root, inf, &f, NULL) < 0)
        return NULL;
    char *head = arena_alloc(p->a, INF_HEAD);
    long n = rfile_pread(f, head, INF_HEAD, 0);
    rfile_close(f);
    const char *v = n > 0 ? nvversion_inf(head, (size_t)n, p->a) : NULL;
    if (v && !p->f->driver.version_source)
        p->f->driver.version_source = inf;
    return v;
}

static void add_version(struct probe *p, struct fact_driver *d, const char *v)
{
    size_t i = 0;
    while (i < d->n_windows_versions && ver_cmp(d->windows_versions[i], v) < 0)
        i++;
    if (i < d->n_windows_versions && ver_cmp(d->windows_versions[i], v) == 0)
        return;
    (void)*ARENA_PUSH(p->a, d->windows_versions, d->n_windows_versions);
    memmove(&d->windows_versions[i + 1], &d->windows_versions[i], (d->n_windows_versions - 1 - i) * sizeof *d->windows_versions);
    d->windows_versions[i] = v;
}

/* The store keeps older drivers too. Only one version there is sure to be the running one. */
static void find_windows_driver(struct probe *p, struct fact_driver *d)
{
    struct root_dirent *list;
    size_t n = 0;
    if (root_readdir(p->root, wsl_store, MAX_STORE, p->a, &list, &n) < 0)
        return;
    for (size_t i = 0; i < n; i++) {
        const char *v = inf_version(p, list[i].name);
        if (v)
            add_version(p, d, v);
    }
    if (d->n_windows_versions == 1) {
        d->version = d->windows_versions[0];
        d->version_is_windows = true;
    } else {
        d->version_source = NULL;
    }
}

/* .wslconfig of the Windows users; read only when WSL shows no GPU, because Windows' file system is slow from here. */
static void find_wslconfig(struct probe *p, struct fact_driver *d)
{
    struct root_dirent *list;
    size_t n = 0, len;
    if (root_readdir(p->root, win_users, MAX_USERS, p->a, &list, &n) < 0)
        return;
    for (size_t i = 0; i < n; i++) {
        const char *text, *file = path_join(p->a, path_join(p->a, win_users, list[i].name), ".wslconfig");
        if (!read_conf(p, file, &text, &len))
            continue;
        const char *kernel = ini_get(text, len, "wsl2", "kernel", p->a);
        if (kernel && *kernel && !d->wsl_kernel_custom)
            d->wsl_kernel_custom = arena_printf(p->a, "%s: kernel=%s", file, kernel);
        if (ini_bool(ini_get(text, len, "wsl2", "gpuSupport", p->a)) == TRI_NO)
            d->wsl_gpu_disabled = arena_printf(p->a, "%s: wsl2.gpuSupport", file);
        else if (ini_bool(ini_get(text, len, "wsl2", "safeMode", p->a)) == TRI_YES)
            d->wsl_gpu_disabled = arena_printf(p->a, "%s: wsl2.safeMode", file);
    }
}

void machine_find_wsl(struct probe *p)
{
    struct fact_driver *d = &p->f->driver;
    const struct fact_machine *m = &p->f->machine;
    const char *text;
    size_t len;
    d->dxg = machine_is_char(p, "/dev/dxg") ? TRI_YES : TRI_NO;
    d->wsl_lib = machine_is_dir(p, "/usr/lib/wsl/lib") ? TRI_YES : TRI_NO;
    d->wsl_ld_conf = read_conf(p, "/etc/ld.so.conf.d/ld.wsl.conf", &text, &len) && memmem(text, len, "/usr/lib/wsl/lib", 16) ? TRI_YES : TRI_NO;
    if (read_conf(p, "/etc/wsl.conf", &text, &len) && ini_bool(ini_get(text, len, "gpu", "enabled", p->a)) == TRI_NO)
        d->wsl_gpu_disabled = "/etc/wsl.conf: gpu.enabled";
    if (m->kernel && !strstr(m->kernel, "microsoft-standard"))
        d->wsl_kernel_custom = arena_printf(p->a, "kernel %s", m->kernel);
    if (d->dxg == TRI_NO && m->container == FACT_CONTAINER_KIND_NONE)
        find_wslconfig(p, d);
    find_windows_driver(p, d);
}
