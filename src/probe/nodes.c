/* SPDX-License-Identifier: Apache-2.0 */
/* nodes - the NVIDIA driver's device nodes, by stat alone: opening one has side effects. */
#include <errno.h>
#include <string.h>
#include "probe/machine_parts.h"

enum { MAX_NODES = 16, MAX_GROUP_FILE = 1 << 20, READ_WRITE = 6, SETUID = 04000 };

static const char *group_name(struct probe *p, uint32_t gid)
{
    const char *text;
    size_t len, pos = 0;
    struct str line;
    if (root_read(p->root, "/etc/group", MAX_GROUP_FILE, p->a, &text, &len) < 0)
        return NULL;
    while (str_line(text, len, &pos, &line)) { /* name:password:gid:members */
        const char *c1 = memchr(line.p, ':', line.n), *end = line.p + line.n;
        const char *c2 = c1 ? memchr(c1 + 1, ':', (size_t)(end - c1 - 1)) : NULL;
        const char *c3 = c2 ? memchr(c2 + 1, ':', (size_t)(end - c2 - 1)) : NULL;
        uint64_t id;
        if (c3 && str_to_u64(c2 + 1, (size_t)(c3 - c2 - 1), 10, &id) == 0 && id == gid)
            return arena_strndup(p->a, line.p, (size_t)(c1 - line.p));
    }
    return NULL;
}

static bool add_node(struct probe *p, const char *path)
{
    struct fact_driver *d = &p->f->driver;
    struct root_stat st;
    int r = root_stat(p->root, path, &st);
    if (r < 0)
        return false;
    struct fact_node *n = ARENA_PUSH(p->a, d->nodes, d->n_nodes);
    *n = (struct fact_node){.state = FACT_PRESENT, .source = path, .path = path, .major = st.rdev_major, .minor = st.rdev_minor, .mode = st.mode,
                            .uid = st.uid, .gid = st.gid, .is_device = st.type == ROOT_CHAR};
    n->usable = root_access(p->root, path, READ_WRITE) == 0 ? TRI_YES : TRI_NO;
    if (n->usable == TRI_NO)
        n->group = group_name(p, st.gid);
    return true;
}

/* "ModifyDeviceFiles: 1", "DeviceFileMode: 438": whether and how nvidia-modprobe sets the nodes' modes. */
static void read_params(struct probe *p, struct fact_driver *d)
{
    const char *text;
    size_t len, pos = 0;
    struct str line;
    if (root_read(p->root, "/proc/driver/nvidia/params", 64 * 1024, p->a, &text, &len) < 0)
        return;
    while (str_line(text, len, &pos, &line)) {
        const char *colon = memchr(line.p, ':', line.n);
        if (!colon)
            continue;
        struct str value = str_trim((struct str){colon + 1, line.n - (size_t)(colon + 1 - line.p)});
        uint64_t v;
        if (str_to_u64(value.p, value.n, 10, &v) < 0)
            continue;
        if (str_starts(line.p, "ModifyDeviceFiles:"))
            d->nodes_managed = v ? TRI_YES : TRI_NO;
        else if (str_starts(line.p, "DeviceFileMode:"))
            d->nodes_mode = (uint32_t)v & 07777;
    }
}

void machine_find_nodes(struct probe *p)
{
    struct fact_driver *d = &p->f->driver;
    bool any = add_node(p, "/dev/nvidiactl");
    /* A container may be given GPU 3 alone, so the numbers are not counted from 0. */
    size_t max = any ? MAX_NODES : 1;
    for (size_t i = 0; i < max; i++)
        any |= add_node(p, arena_printf(p->a, "/dev/nvidia%zu", i));
    if (!any && p->f->n_gpus == 0)
        return;
    d->uvm_node = add_node(p, "/dev/nvidia-uvm") ? TRI_YES : TRI_NO;
    struct root_stat st;
    bool helper = root_stat(p->root, "/usr/bin/nvidia-modprobe", &st) == 0 && st.uid == 0 && (st.mode & SETUID);
    d->modprobe_helper = helper ? TRI_YES : root_uid(p->root) == 0 ? TRI_UNKNOWN : TRI_NO;
    for (size_t i = 0; i < d->n_nodes; i++)
        if (d->nodes[i].usable == TRI_NO) {
            read_params(p, d);
            return;
        }
}
