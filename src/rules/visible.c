/* SPDX-License-Identifier: Apache-2.0 */
/* visible - CUDA_VISIBLE_DEVICES: what it hides, and why. Pure.
 * CUDA reads a list of indices, of GPU-UUIDs (which may be shortened) or one MIG-UUID; the first entry's kind holds for all. The list
 * ends at the first entry that is not valid; one that names a GPU twice is void. Source: CUDA Programming Guide, "CUDA Environment Variables". */
#include <string.h>
#include "base/i18n.h"
#include "base/util.h"
#include "rules/devices.h"
#include "rules/driver_answer.h"

enum { ENTRIES_MAX = 64 };
enum verdict_of_entry { ENTRY_GOOD, ENTRY_EMPTY, ENTRY_NEGATIVE, ENTRY_NO_NUMBER, ENTRY_BEYOND, ENTRY_NO_UUID, ENTRY_AMBIGUOUS, ENTRY_OTHER_KIND, ENTRY_TWICE };

struct mask {
    size_t shown;                  /* GPUs that the list leaves, as far as the machine's GPUs are known */
    enum verdict_of_entry end;     /* why the list ended before its end; ENTRY_GOOD: it did not */
    struct str entry;              /* the entry that ended it */
    bool certain;                  /* needs no knowledge of the machine's GPUs */
};

struct known { const struct facts *f; size_t total; bool has_total, uuids; }; /* the GPUs that there are without the variable */

static struct known known_gpus(const struct facts *f)
{
    struct known k = {.f = f};
    if (f->nvml.has_count) {
        k.total = f->nvml.count;
        k.has_total = true;
        k.uuids = f->n_nvml_devices == f->nvml.count && f->n_nvml_devices > 0;
        for (size_t i = 0; i < f->n_nvml_devices; i++)
            k.uuids = k.uuids && f->nvml_devices[i].uuid;
    } else if (f->pci_known == TRI_YES) {
        for (size_t i = 0; i < f->n_gpus; i++)
            k.total += !f->gpus[i].virtual;
        k.has_total = k.total > 0;
    }
    return k;
}

static bool begins(struct str s, const char *prefix)
{
    return s.n >= strlen(prefix) && memcmp(s.p, prefix, strlen(prefix)) == 0;
}

static struct str entry_at(const char **p, bool blanks)
{
    size_t n = strcspn(*p, ",");
    struct str e = {*p, n};
    *p += n;
    while (blanks && e.n && (*e.p == ' ' || *e.p == '\t'))
        e = (struct str){e.p + 1, e.n - 1};
    return e;
}

/* As strtoul reads it: what stands behind the digits does not count. */
static enum verdict_of_entry index_entry(const struct known *k, struct str e, uint64_t *ret)
{
    size_t n = 0;
    if (e.n && (*e.p == '-' || *e.p == '+')) {
        if (*e.p == '-')
            return ENTRY_NEGATIVE;
        e = (struct str){e.p + 1, e.n - 1};
    }
    while (n < e.n && e.p[n] >= '0' && e.p[n] <= '9')
        n++;
    if (!n)
        return e.n ? ENTRY_NO_NUMBER : ENTRY_EMPTY;
    if (str_to_u64(e.p, n, 10, ret) < 0)
        *ret = UINT64_MAX;
    return k->has_total && *ret >= k->total ? ENTRY_BEYOND : ENTRY_GOOD;
}

static enum verdict_of_entry uuid_entry(const struct known *k, struct str e, uint64_t *ret)
{
    size_t hits = 0;
    *ret = (uint64_t)(uintptr_t)e.p; /* cannot be told: each counts as another */
    if (!begins(e, "GPU-"))
        return ENTRY_OTHER_KIND;
    for (size_t i = 0; k->uuids && i < k->f->n_nvml_devices; i++)
        if (strncmp(k->f->nvml_devices[i].uuid, e.p, e.n) == 0) {
            hits++;
            *ret = i;
        }
    return !k->uuids || hits == 1 ? ENTRY_GOOD : hits ? ENTRY_AMBIGUOUS : ENTRY_NO_UUID;
}

static struct mask read_mask(const struct known *k, const char *list)
{
    struct mask m = {.certain = true};
    uint64_t seen[ENTRIES_MAX];
    bool uuids = str_starts(list, "GPU-");
    if (str_starts(list, "MIG-"))
        return (struct mask){.shown = 1}; /* one slice; whether it exists only the driver knows */
    for (const char *p = list; m.shown < ENTRIES_MAX; p++) {
        uint64_t which = 0;
        m.entry = entry_at(&p, !uuids);
        m.end = uuids ? uuid_entry(k, m.entry, &which) : index_entry(k, m.entry, &which);
        m.certain = m.certain && (m.end == ENTRY_EMPTY || m.end == ENTRY_NEGATIVE || m.end == ENTRY_NO_NUMBER);
        for (size_t i = 0; m.end == ENTRY_GOOD && i < m.shown; i++)
            if (seen[i] == which)
                m.end = ENTRY_TWICE;
        if (m.end == ENTRY_TWICE)
            m.shown = 0;
        if (m.end != ENTRY_GOOD)
            return m;
        seen[m.shown++] = which;
        if (!*p)
            return m;
    }
    return m;
}

static const char *reason(struct judge *g, const struct mask *m, const struct known *k)
{
    switch (m->end) {
    case ENTRY_GOOD: break;
    case ENTRY_EMPTY: return _("an empty entry names no GPU");
    case ENTRY_NEGATIVE: return arena_printf(g->a, _("%.*s is a number below 0, which names no GPU"), (int)m->entry.n, m->entry.p);
    case ENTRY_NO_NUMBER: return arena_printf(g->a, _("%.*s is neither a number nor the beginning of a UUID"), (int)m->entry.n, m->entry.p);
    case ENTRY_BEYOND: return arena_printf(g->a, _("there is no GPU %.*s: the numbers end at %zu"), (int)m->entry.n, m->entry.p, k->total ? k->total - 1 : 0);
    case ENTRY_NO_UUID: return arena_printf(g->a, _("no GPU here has a UUID that begins with %.*s"), (int)m->entry.n, m->entry.p);
    case ENTRY_AMBIGUOUS: return arena_printf(g->a, _("several GPUs have a UUID that begins with %.*s"), (int)m->entry.n, m->entry.p);
    case ENTRY_OTHER_KIND: return arena_printf(g->a, _("%.*s is not a GPU-UUID as the entries before it are"), (int)m->entry.n, m->entry.p);
    case ENTRY_TWICE: return arena_printf(g->a, _("%.*s names a GPU for the second time, which makes the list void"), (int)m->entry.n, m->entry.p);
    }
    return _("CUDA takes none of its entries");
}

/* "FILE:LINE" of the .pth line that gave the variable its value; NULL: it comes from elsewhere. */
static const char *set_by_pth(const struct facts *f)
{
    const char *where = NULL;
    for (size_t i = 0; i < f->python.n_pth_variables; i++) {
        const struct fact_pth_variable *v = &f->python.pth_variables[i];
        if (str_eq(v->name, "CUDA_VISIBLE_DEVICES") && (!v->unless_set || !where))
            where = str_eq(v->value, f->cuda_visible_devices) ? v->where : NULL;
    }
    return where;
}

static void found(struct judge *g, const struct mask *m, const struct known *k, bool all_hidden)
{
    const struct facts *f = g->f;
    struct finding *x = judge_find(g, CAUSE_CUDA_VISIBLE_DEVICES_MASK, "CUDA_VISIBLE_DEVICES");
    judge_bind(g, x, "value", "%s", f->cuda_visible_devices);
    judge_bind(g, x, "what", "%s", all_hidden ? _("hides every GPU") : _("hides GPUs that it names"));
    judge_bind(g, x, "reason", "%s", reason(g, m, k));
    const char *where = set_by_pth(f);
    judge_bind(g, x, "where", "%s", where ? where : "");
    judge_evidence(g, x, "cuda_visible_devices", where ? where : f->python.kernel ? f->python.kernel : NULL, "CUDA_VISIBLE_DEVICES='%s'", f->cuda_visible_devices);
    if (f->cuda.has_count)
        judge_evidence(g, x, "cuda.count", NULL, _("CUDA shows %u"), f->cuda.count);
    if (f->nvml.has_count)
        judge_evidence(g, x, "nvml.count", NULL, _("NVML shows %u"), f->nvml.count);
    x->tags |= where ? FIX_C : f->python.kernel ? FIX_B : FIX_A;
    if (!all_hidden) {
        x->severity = SEV_DEGRADED;
        x->prevents = PREVENTS_NOTHING;
    }
}

/* The driver's answer counts; without it only what no GPU could change. A list that leaves fewer GPUs than there are is a choice. */
void rule_visible_mask(struct judge *g)
{
    const struct facts *f = g->f;
    if (!f->cuda_visible_devices)
        return;
    struct known k = known_gpus(f);
    struct mask m = read_mask(&k, f->cuda_visible_devices);
    bool answered = f->cuda.has_init_code;
    bool none = answer_no_device(f) || (answer_cuda_code(f) == CUDA_INVALID_DEVICE);
    bool layer1_broken = false;
    for (size_t i = 0; i < g->n_found; i++)
        layer1_broken |= g->found[i]->layer == 1 && g->found[i]->severity == SEV_BROKEN;
    if (answered ? none && (m.shown == 0 || !layer1_broken) : m.shown == 0 && m.certain)
        found(g, &m, &k, true);
    else if (answer_serves(f) && m.end != ENTRY_GOOD)
        found(g, &m, &k, false);
}
