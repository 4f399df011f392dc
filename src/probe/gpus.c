/* SPDX-License-Identifier: Apache-2.0 */
/* gpus - NVIDIA GPUs on the PCI bus: one read of /proc/bus/pci/devices, sysfs where that file is not there. */
#include "knowledge/gpus.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "formats/pcidev.h"
#include "formats/pciids.h"
#include "probe/machine_parts.h"

enum { NVIDIA = 0x10de, MAX_FUNCTIONS = 16384, MAX_LIST = 4 << 20, MAX_GPUS = 256 };
static const char sys_devices[] = "/sys/bus/pci/devices";

struct search {
    struct probe *p;
    struct root_dirent *names; /* of sys_devices, read when a device is not in domain 0 */
    size_t n_names;
    bool names_read;
    int error; /* of reading them */
};

static bool read_hex(struct probe *p, const char *dir, const char *file, uint32_t *ret)
{
    uint64_t v;
    const char *s = machine_line(p, path_join(p->a, dir, file));
    if (!str_starts(s, "0x") || str_to_u64(s + 2, strlen(s + 2), 16, &v) < 0 || v > UINT32_MAX)
        return false;
    *ret = (uint32_t)v;
    return true;
}

static void read_names(struct search *s)
{
    if (!s->names_read)
        s->error = root_readdir(s->p->root, sys_devices, MAX_FUNCTIONS, s->p->a, &s->names, &s->n_names);
    s->names_read = true;
}

/* "0000:01:00.0" of a device of which only bus, slot and function are known: the domain is in sysfs alone. */
static const char *full_address(struct search *s, const struct pcidev *d, const char **ret_dir)
{
    struct arena *a = s->p->a;
    const char *tail = arena_printf(a, ":%02x:%02x.%x", d->bus, d->slot, d->fn), *name = arena_printf(a, "0000%s", tail);
    const char *dir = path_join(a, sys_devices, name);
    uint32_t id;
    if (read_hex(s->p, dir, "device", &id) && id == d->device) {
        *ret_dir = dir;
        return name;
    }
    read_names(s);
    for (size_t i = 0; i < s->n_names; i++) {
        dir = path_join(a, sys_devices, s->names[i].name);
        if (str_ends(s->names[i].name, tail) && read_hex(s->p, dir, "device", &id) && id == d->device) {
            *ret_dir = dir;
            return s->names[i].name;
        }
    }
    *ret_dir = NULL;
    return name;
}

/* Class from configuration space, bytes 9 to 11, which every user may read. */
static uint32_t class_from_config(struct probe *p, const struct pcidev *d)
{
    unsigned char c[3] = {0};
    struct rfile *f;
    if (root_open(p->root, arena_printf(p->a, "/proc/bus/pci/%02x/%02x.%x", d->bus, d->slot, d->fn), &f, NULL) < 0)
        return 0;
    long n = rfile_pread(f, c, sizeof c, 9);
    rfile_close(f);
    return n == (long)sizeof c ? (uint32_t)c[2] << 16 | (uint32_t)c[1] << 8 | c[0] : 0;
}

/* VGA, 3D and other display controllers. Sound, USB and serial functions of a card and NVSwitches are none. */
static bool is_gpu_class(uint32_t class)
{
    uint32_t c = class >> 8;
    return c == 0x0300 || c == 0x0302 || c == 0x0380;
}

static void name_from_pciids(struct probe *p, struct fact_gpu *g, struct gpu_info *info)
{
    static const char *const files[] = {"/usr/share/misc/pci.ids", "/usr/share/hwdata/pci.ids", "/usr/share/pci.ids"};
    struct rfile *f = NULL;
    const char *text = NULL;
    for (size_t i = 0; i < TG_COUNT(files) && !f; i++)
        if (root_open(p->root, files[i], &f, NULL) < 0)
            f = NULL;
    if (!f)
        return;
    struct bytesrc src = rfile_src(f);
    int found = pciids_find(&src, NVIDIA, (uint16_t)g->device_id, p->a, &text, NULL);
    rfile_close(f);
    if (found != 1)
        return;
    const char *open = strchr(text, '['), *close = open ? strrchr(open, ']') : NULL;
    g->name = close ? arena_strndup(p->a, open + 1, (size_t)(close - open) - 1) : text;
    if (!info->chip)
        (void)gpu_by_chip((struct str){text, strcspn(text, " ")}, info); /* a chip that no table knows stays unknown */
}

static void identify(struct probe *p, struct fact_gpu *g)
{
    const struct facts *f = p->f;
    struct gpu_info info = {.name = NULL};
    for (size_t i = 0; i + 1 < f->n_gpus; i++)
        if (f->gpus[i].device_id == g->device_id) { /* machines with several GPUs have equal ones */
            g->name = f->gpus[i].name;
            g->chip = f->gpus[i].chip;
            g->arch = f->gpus[i].arch;
            g->has_cc = f->gpus[i].has_cc;
            g->cc = f->gpus[i].cc;
            return;
        }
    (void)gpu_by_device(g->device_id, &info); /* unknown ids stay unknown */
    g->name = info.name;
    name_from_pciids(p, g, &info);
    g->chip = info.chip;
    g->arch = info.arch;
    g->has_cc = info.cc != 0;
    g->cc = info.cc;
}

static void add_gpu(struct probe *p, const char *address, const char *dir, uint32_t device, uint32_t class, const char *driver, const char *source)
{
    struct facts *f = p->f;
    if (f->n_gpus >= MAX_GPUS)
        return;
    struct fact_gpu *g = ARENA_PUSH(p->a, f->gpus, f->n_gpus);
    g->state = FACT_PRESENT;
    g->source = source;
    g->pci = arena_strdup(p->a, address);
    g->device_id = device;
    g->class = class >> 8;
    g->driver = driver;
    struct root_stat st;
    g->virtual = dir && root_lstat(p->root, path_join(p->a, dir, "physfn"), &st) == 0;
    identify(p, g);
}

static void from_proc(struct search *s, const char *text, size_t len)
{
    struct probe *p = s->p;
    struct str line;
    size_t pos = 0;
    while (str_line(text, len, &pos, &line)) {
        struct pcidev d;
        struct gpu_info info;
        uint32_t class;
        const char *dir;
        if (!pcidev_parse(line, &d) || d.vendor != NVIDIA)
            continue;
        const char *address = full_address(s, &d, &dir);
        if (!dir || !read_hex(p, dir, "class", &class))
            class = class_from_config(p, &d);
        bool unknown_class = class == 0 && d.fn == 0 && gpu_by_device(d.device, &info) && info.name;
        if (is_gpu_class(class) || unknown_class)
            add_gpu(p, address, dir, d.device, class, d.driver.n ? arena_strndup(p->a, d.driver.p, d.driver.n) : NULL, "/proc/bus/pci/devices");
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct root_dirent *)a)->name, ((const struct root_dirent *)b)->name);
}

static void from_sysfs(struct search *s)
{
    struct probe *p = s->p;
    if (s->n_names)
        qsort(s->names, s->n_names, sizeof *s->names, by_name); /* as the bus counts them */
    for (size_t i = 0; i < s->n_names; i++) {
        const char *dir = path_join(p->a, sys_devices, s->names[i].name), *link = NULL;
        uint32_t vendor, device, class;
        if (!read_hex(p, dir, "vendor", &vendor) || vendor != NVIDIA || !read_hex(p, dir, "class", &class) || !is_gpu_class(class) ||
            !read_hex(p, dir, "device", &device))
            continue;
        (void)root_readlink(p->root, path_join(p->a, dir, "driver"), p->a, &link); /* none: no driver holds it */
        add_gpu(p, s->names[i].name, dir, device, class, link ? path_base(link) : NULL, dir);
    }
}

void machine_find_gpus(struct probe *p)
{
    struct search s = {.p = p};
    const char *text;
    size_t len;
    if (root_read(p->root, "/proc/bus/pci/devices", MAX_LIST, p->a, &text, &len) == 0 && len > 0) {
        p->f->pci_known = TRI_YES;
        from_proc(&s, text, len);
        return;
    }
    read_names(&s);
    /* A kernel without PCI has no GPU on it; a sandbox without /sys says nothing. */
    bool no_pci = (s.error == 0 || s.error == -ENOENT) && machine_has_sysfs(p);
    p->f->pci_known = s.n_names > 0 || no_pci ? TRI_YES : TRI_NO;
    from_sysfs(&s);
}
