/* SPDX-License-Identifier: Apache-2.0 */
/* pcie - the PCI Express links of the GPUs, from sysfs. Nothing is read where there is no NVIDIA GPU. */
#include <string.h>
#include "facts/links.h"
#include "formats/procfs.h"
#include "probe/machine_parts.h"

enum { MAX_LINKS = 16, MAX_WIDTH = 32 }; /* GPUs that are looked at; a link that is down reports 63 lanes */

static bool lanes(struct probe *p, const char *dir, const char *file, uint32_t *ret)
{
    uint32_t v;
    const char *s = machine_line(p, path_join(p->a, dir, file));
    if (!s || str_to_u32(s, &v) < 0 || v == 0 || v > MAX_WIDTH)
        return false;
    *ret = v;
    return true;
}

static bool generation(struct probe *p, const char *dir, const char *file, uint32_t *ret)
{
    *ret = pcie_generation(machine_line(p, path_join(p->a, dir, file)));
    return *ret != 0;
}

/* The folder of the port above, and the way down to the GPU: "pci0000:00/0000:00:01.0/0000:01:00.0". */
static const char *port_of(struct probe *p, const char *dir, struct fact_pcie *l)
{
    const char *link, *tail;
    if (root_readlink(p->root, dir, p->a, &link) < 0 || !(tail = strstr(link, "devices/pci")))
        return NULL;
    l->way = tail + strlen("devices/");
    const char *port = path_dir(p->a, l->way);
    return strchr(port, '/') ? path_join(p->a, "/sys/devices", port) : NULL; /* a device on the root bus has no port above */
}

static void find_link(struct probe *p, const struct fact_gpu *g, struct fact_pcie *l)
{
    const char *dir = path_join(p->a, "/sys/bus/pci/devices", g->pci);
    l->source = dir;
    l->has_width = lanes(p, dir, "current_link_width", &l->width);
    l->has_width_max = lanes(p, dir, "max_link_width", &l->width_max);
    if (!l->has_width_max) /* no such GPU in sysfs, or one without a link: a chip on the root complex, an emulated card */
        return;
    l->state = FACT_PRESENT;
    l->has_gen = generation(p, dir, "current_link_speed", &l->gen);
    l->has_gen_max = generation(p, dir, "max_link_speed", &l->gen_max);
    const char *port = port_of(p, dir, l), *node = machine_line(p, path_join(p->a, dir, "numa_node"));
    if (port) {
        l->has_width_port = lanes(p, port, "max_link_width", &l->width_port);
        l->has_gen_port = generation(p, port, "max_link_speed", &l->gen_port);
    }
    l->has_numa_node = node && str_to_u32(node, &l->numa_node) == 0; /* "-1": none */
    l->iommu = machine_line(p, path_join(p->a, dir, "iommu_group/type"));
}

/* How many of the bridges from the root down are the same; the first part is the root itself. */
static size_t common_parts(const char *a, const char *b, const char **rest_a, const char **rest_b)
{
    size_t n = 0;
    for (;;) {
        size_t la = strcspn(a, "/"), lb = strcspn(b, "/");
        if (la != lb || memcmp(a, b, la) != 0 || !a[la] || !b[lb])
            break;
        n++;
        a += la + 1;
        b += lb + 1;
    }
    *rest_a = a;
    *rest_b = b;
    return n;
}

static size_t parts(const char *s)
{
    size_t n = 1;
    for (; *s; s++)
        n += *s == '/';
    return n;
}

/* Below one switch each GPU has a port of its own: at most port and GPU are not shared. */
static enum fact_gpu_path path_between(const struct fact_pcie *a, const struct fact_pcie *b)
{
    enum { PORT_AND_GPU = 2 };
    const char *rest_a, *rest_b;
    size_t shared = common_parts(a->way, b->way, &rest_a, &rest_b);
    if (shared == 0)
        return a->has_numa_node && b->has_numa_node && a->numa_node == b->numa_node ? FACT_GPU_PATH_NUMA_NODE : FACT_GPU_PATH_SYSTEM;
    if (shared == 1)
        return FACT_GPU_PATH_HOST_BRIDGE;
    return parts(rest_a) <= PORT_AND_GPU && parts(rest_b) <= PORT_AND_GPU ? FACT_GPU_PATH_ONE_SWITCH : FACT_GPU_PATH_SEVERAL_SWITCHES;
}

static void find_ways(struct probe *p)
{
    struct facts *f = p->f;
    for (size_t i = 0; i < f->n_gpus && i < MAX_LINKS; i++)
        for (size_t k = i + 1; k < f->n_gpus && k < MAX_LINKS; k++) {
            bool known = f->gpus[i].pcie.way && f->gpus[k].pcie.way;
            struct fact_gpu_link *l = known ? links_get(p->a, f, f->gpus[i].pci, f->gpus[k].pci) : NULL;
            if (l)
                l->path = path_between(&f->gpus[i].pcie, &f->gpus[k].pcie);
        }
}

void probe_pcie(struct probe *p)
{
    for (size_t i = 0; i < p->f->n_gpus && i < MAX_LINKS; i++)
        if (!p->f->gpus[i].virtual)
            find_link(p, &p->f->gpus[i], &p->f->gpus[i].pcie);
    find_ways(p);
}
