/* SPDX-License-Identifier: Apache-2.0 */
/* judge - runs the rule tables and derives order, layer statuses, verdict and first broken link. */
#include "rules/judge.h"
#include "base/i18n.h"
#include "rules/driver_answer.h"
#include "rules/gpus.h"
#include "rules/judge_priv.h"

const char *layer_status_id(enum layer_status s)
{
    static const char *const ids[] = {"ok", "degraded", "broken", "undetermined", "not-reached"};
    return ids[s];
}

const char *verdict_id(enum verdict v)
{
    static const char *const ids[] = {"works", "broken", "undetermined"};
    return ids[v];
}

const char *severity_id(enum severity s)
{
    static const char *const ids[] = {"broken", "degraded", "note"};
    return ids[s];
}

const char *fix_side_id(enum fix_side s)
{
    static const char *const ids[] = {"linux", "windows", "host"};
    return ids[s];
}

const char *layer_title(unsigned layer)
{
    static const char *const titles[LAYERS] = {
        N_("NVIDIA driver"), N_("CUDA libraries"), N_("Python and ABI"), N_("Library loading"),
        N_("GPU visibility"), N_("Computation"), N_("Several GPUs"),
    };
    return layer >= 1 && layer <= LAYERS ? _(titles[layer - 1]) : "";
}

struct finding *judge_find(struct judge *g, enum cause_id id, const char *subject)
{
    struct finding *f = ARENA_NEW(g->a, struct finding);
    f->cause = &causes[id];
    f->layer = causes[id].layer;
    f->severity = causes[id].severity;
    f->prevents = causes[id].prevents;
    f->subject = arena_strdup(g->a, subject ? subject : "");
    *ARENA_PUSH(g->a, g->found, g->n_found) = f;
    return f;
}

void judge_bind(struct judge *g, struct finding *f, const char *key, const char *fmt, ...)
{
    struct binding *b = ARENA_PUSH(g->a, f->bindings, f->n_bindings);
    va_list ap;
    va_start(ap, fmt);
    *b = (struct binding){.key = arena_strdup(g->a, key), .value = arena_vprintf(g->a, fmt, ap)};
    va_end(ap);
}

void judge_evidence(struct judge *g, struct finding *f, const char *fact, const char *path, const char *fmt, ...)
{
    struct evidence *e = ARENA_PUSH(g->a, f->evidence, f->n_evidence);
    va_list ap;
    va_start(ap, fmt);
    *e = (struct evidence){.fact = arena_strdup(g->a, fact), .path = arena_strdup(g->a, path), .value = arena_vprintf(g->a, fmt, ap)};
    va_end(ap);
}

void judge_unknown(struct judge *g, unsigned layer, const char *fmt, ...)
{
    struct layer *l = &g->j->layers[layer - 1];
    va_list ap;
    va_start(ap, fmt);
    const char *why = arena_vprintf(g->a, fmt, ap);
    va_end(ap);
    l->unknown = l->unknown ? arena_printf(g->a, "%s; %s", l->unknown, why) : why;
}

void judge_summary(struct judge *g, unsigned layer, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    g->j->layers[layer - 1].summary = arena_vprintf(g->a, fmt, ap);
    va_end(ap);
}

static const struct table {
    unsigned layer;
    const struct rule *rules;
    const size_t *count;
} tables[] = {
    {.layer = 1, .rules = rules_machine, .count = &n_rules_machine},
    {.layer = 2, .rules = rules_cuda, .count = &n_rules_cuda},
    {.layer = 3, .rules = rules_python, .count = &n_rules_python},
    {.layer = 4, .rules = rules_loader, .count = &n_rules_loader},
    {.layer = 5, .rules = rules_devices, .count = &n_rules_devices},
    {.layer = 5, .rules = rules_gpu_state, .count = &n_rules_gpu_state},
    {.layer = 5, .rules = rules_limits, .count = &n_rules_limits},
    {.layer = 6, .rules = rules_proof, .count = &n_rules_proof},
    {.layer = 7, .rules = rules_topology, .count = &n_rules_topology},
};

static void run_tables(struct judge *g)
{
    for (size_t t = 0; t < TG_COUNT(tables); t++) {
        if (*tables[t].count == 0)
            judge_unknown(g, tables[t].layer, _("this version has no rules for it"));
        for (size_t i = 0; i < *tables[t].count; i++)
            tables[t].rules[i].run(g);
    }
}

/* Stable insertion sort: a run has a handful of findings, and equal ones keep the order of the tables. */
static void order_findings(struct judge *g)
{
    struct judgement *j = g->j;
    j->findings = arena_array(g->a, g->n_found, sizeof *j->findings);
    j->n_findings = g->n_found;
    for (size_t n = 0; n < g->n_found; n++) {
        const struct finding *f = g->found[n];
        size_t i = n;
        for (; i > 0; i--) {
            const struct finding *p = &j->findings[i - 1];
            if (p->layer < f->layer || (p->layer == f->layer && p->severity <= f->severity))
                break;
            j->findings[i] = *p;
        }
        j->findings[i] = *f;
    }
    for (size_t i = 0; i < j->n_findings && !j->first_broken; i++)
        if (j->findings[i].severity == SEV_BROKEN)
            j->first_broken = &j->findings[i];
}

static const struct finding *worst_of_layer(const struct judgement *j, unsigned layer)
{
    for (size_t i = 0; i < j->n_findings; i++)
        if (j->findings[i].layer == layer && j->findings[i].severity != SEV_NOTE)
            return &j->findings[i];
    return NULL;
}

static void settle_layer(struct judge *g, unsigned n)
{
    struct layer *l = &g->j->layers[n - 1];
    const struct finding *f = worst_of_layer(g->j, n);
    if (f && f->severity == SEV_BROKEN)
        l->status = LAYER_BROKEN;
    else if (l->unknown)
        l->status = LAYER_UNDETERMINED;
    else
        l->status = f ? LAYER_DEGRADED : LAYER_OK;
    if (l->status == LAYER_UNDETERMINED)
        l->summary = l->unknown;
    else if (f)
        l->summary = finding_text(g->a, f, _(f->cause->title));
    else if (!l->summary)
        l->summary = judge_default_summary(g->a, g->f, n);
}

static void not_reached(struct judge *g, unsigned n, const char *why)
{
    g->j->layers[n - 1].status = LAYER_NOT_REACHED;
    g->j->layers[n - 1].summary = why;
}

/* The driver's own answers; without them this layer is not reached behind a broken one, and else not known. */
static void settle_visibility(struct judge *g)
{
    const struct fact_driver_ask *k = &g->f->cuda.ask;
    const struct finding *first = g->j->first_broken;
    struct layer *l = &g->j->layers[4];
    settle_layer(g, 5);
    if (k->answer == FACT_DRIVER_ANSWER_NOT_ASKED && first && first->layer < 5 && l->status == LAYER_UNDETERMINED)
        not_reached(g, 5, arena_printf(g->a, _("layer %u is broken"), first->layer));
    else if (l->status == LAYER_OK && !answer_serves(g->f)) { /* its cause is another layer's */
        int32_t code = answer_cuda_code(g->f);
        const char *said = code ? answer_code_text(g->a, g->f->cuda.init_code ? "cuInit" : "cuDeviceGetCount", code, false) : _("CUDA shows no GPU");
        not_reached(g, 5, first ? arena_printf(g->a, _("layer %u is broken (%s)"), first->layer, said) : said);
    }
}

/* Several GPUs; with one there is nothing to judge. What TensorFlow lists is what a strategy would use. */
static void settle_topology(struct judge *g)
{
    const struct prediction *p = &g->j->prediction;
    const struct finding *first = g->j->first_broken;
    size_t n = gpus_in_use(g->f);
    bool used = p->has_gpus && p->gpus_listed > 1;
    if (!worst_of_layer(g->j, 7) && (n < 2 || !used)) {
        bool one = n == 1 || (n == 0 && !first);
        not_reached(g, 7, one     ? _("needs several GPUs")
                          : first       ? arena_printf(g->a, _("layer %u is broken"), first->layer)
                          : p->has_gpus ? arena_printf(g->a, _("TensorFlow would list %u of %zu GPUs"), p->gpus_listed, n)
                                        : _("the driver was not asked"));
        return;
    }
    if (n > 1)
        judge_summary(g, 7, "%s", topology_summary(g->a, g->f, used ? p->gpus_listed : 0));
    settle_layer(g, 7);
}

/* "works" needs the driver's answer, or better, a computation: files alone can only show that something is broken. */
static enum verdict verdict_of(const struct judge *g)
{
    enum proof_verdict proof = g->j->proof;
    if (g->j->first_broken)
        return VERDICT_BROKEN;
    if (proof == PROOF_REAL_GPU || proof == PROOF_SLOWS_DOWN || proof == PROOF_SLOW)
        return VERDICT_WORKS;
    for (unsigned n = 1; n <= 5; n++)
        if (g->j->layers[n - 1].status != LAYER_OK && g->j->layers[n - 1].status != LAYER_DEGRADED)
            return VERDICT_UNDETERMINED;
    bool lists = g->j->prediction.has_gpus && g->j->prediction.gpus_listed > 0;
    return lists && g->f->cuda.ask.answer == FACT_DRIVER_ANSWER_ANSWERED ? VERDICT_WORKS : VERDICT_UNDETERMINED;
}

void judge_run(struct arena *a, const struct facts *f, struct judgement *ret)
{
    struct judge g = {.a = a, .f = f, .j = ret};
    *ret = (struct judgement){0};
    run_tables(&g);
    order_findings(&g);
    for (unsigned n = 1; n <= 4; n++)
        settle_layer(&g, n);
    settle_visibility(&g);
    judge_settle_proof(&g);
    judge_predict(ret, f);
    ret->verdict = verdict_of(&g);
    settle_topology(&g);
}
