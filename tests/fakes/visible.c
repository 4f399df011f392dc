/* SPDX-License-Identifier: Apache-2.0 */
/* visible - CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER as the driver reads them. */
#include "visible.h"
#include <string.h>

struct order { int gpu[DOUBLE_MAX_DEVICES]; unsigned n; };

static uint64_t speed(int gpu) { return double_number(gpu, "multiprocessors", 128) * double_number(gpu, "clock_mhz", 2520); }

static void in_order(const char *order, struct order *o)
{
    unsigned best = 0;
    for (unsigned i = 0; i < double_devices(); i++)
        if (double_number((int)i, "cuda_sees", 1))
            o->gpu[o->n++] = (int)i;
    if (!o->n || (order && !strcmp(order, "PCI_BUS_ID")))
        return;
    for (unsigned i = 1; i < o->n; i++)
        if (speed(o->gpu[i]) > speed(o->gpu[best]))
            best = i;
    int fastest = o->gpu[best];
    memmove(o->gpu + 1, o->gpu, best * sizeof *o->gpu);
    o->gpu[0] = fastest;
}

/* Position in the order, or -1. */
static int by_index(const struct order *o, const char *s, size_t n)
{
    bool minus = n && *s == '-';
    if (n && (*s == '-' || *s == '+'))
        s++, n--;
    if (!n || *s < '0' || *s > '9' || minus)
        return -1;
    uint64_t v = double_digits(s, NULL);
    return v < o->n ? (int)v : -1;
}

static int by_uuid(const struct order *o, const char *s, size_t n)
{
    int hit = -1;
    char uuid[64];
    for (unsigned i = 0; i < o->n; i++) {
        if (strncmp(double_uuid(o->gpu[i], uuid), s, n) != 0)
            continue;
        if (hit >= 0)
            return -1;
        hit = (int)i;
    }
    return hit;
}

/* The one instance that a MIG entry names: MIG-<UUID> or MIG-GPU-<UUID>/<gpu instance>/<compute instance>. */
static bool by_mig(const struct order *o, const char *s, size_t n, struct visible *v)
{
    char uuid[64];
    for (unsigned i = 0; i < o->n; i++)
        for (unsigned m = 0; m < double_migs(o->gpu[i]); m++) {
            bool hit = !strncmp(double_mig_uuid(o->gpu[i], m, uuid), s, n) && uuid[n] == '\0';
            size_t len = strlen(double_uuid(o->gpu[i], uuid));
            if (!hit && n > 4 + len + 1 && !strncmp(s + 4, uuid, len) && s[4 + len] == '/')
                hit = double_digits(s + 4 + len + 1, NULL) == m + 1;
            if (!hit)
                continue;
            v->device[0].gpu = o->gpu[i], v->device[0].mig = (int)m, v->n = 1;
            return true;
        }
    return false;
}

/* Positions in the order; a repeated one empties the list. */
static unsigned read_list(const struct order *o, const char *list, int *ret)
{
    bool uuids = !strncmp(list, "GPU-", 4);
    unsigned n = 0;
    for (const char *s = list;;) {
        size_t len = strcspn(s, ",");
        const char *e = s;
        if (!uuids)
            for (; len && strchr(" \t", *e); len--)
                e++;
        if (uuids && strncmp(e, "GPU-", 4) != 0)
            return n;
        int at = uuids ? by_uuid(o, e, len) : by_index(o, e, len);
        if (at < 0)
            return n;
        for (unsigned i = 0; i < n; i++)
            if (ret[i] == at)
                return 0;
        if (n == DOUBLE_MAX_DEVICES)
            return n;
        ret[n++] = at;
        s += strcspn(s, ",");
        if (!*s++)
            return n;
    }
}

void visible_devices(const char *list, const char *order, struct visible *ret)
{
    struct order o = {.n = 0};
    int at[DOUBLE_MAX_DEVICES];
    unsigned n = 0;
    ret->n = 0;
    in_order(order, &o);
    if (list && !strncmp(list, "MIG-", 4)) {
        (void)by_mig(&o, list, strcspn(list, ","), ret);
        return;
    }
    if (list)
        n = read_list(&o, list, at);
    else
        for (; n < o.n; n++)
            at[n] = (int)n;
    for (unsigned i = 0; i < n; i++) {
        int gpu = o.gpu[at[i]];
        if (double_migs(gpu)) { /* one instance, and nothing beside it */
            ret->device[0].gpu = gpu, ret->device[0].mig = 0, ret->n = 1;
            return;
        }
        if (double_mig_on(gpu))
            continue;
        ret->device[ret->n].gpu = gpu;
        ret->device[ret->n++].mig = -1;
    }
}
