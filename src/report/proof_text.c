/* SPDX-License-Identifier: Apache-2.0 */
/* proof_text - what TensorFlow computed: a line for each operation on each device, and what the columns mean. */
#include <string.h>
#include "base/i18n.h"
#include "report/facts_text.h"
#include "report/text_util.h"
#include "report/wrap.h"
#include "rules/proof.h"

enum { COL_OP = 9, COL_RESULT = 26, COL_RATE = 36, COL_LAUNCH = 51, COL_PEAK = 66, COL_SPEEDUP = 73 };

static const struct fact_proof_time *time_of(const struct fact_proof *p, const struct fact_proof_check *c)
{
    for (size_t i = 0; i < p->n_times; i++) {
        const struct fact_proof_time *t = &p->times[i];
        if (!t->sustained && str_eq(t->device, c->device) && str_eq(t->op, c->op) && str_eq(t->dtype, c->dtype))
            return t;
    }
    return NULL;
}

static const char *result(const struct fact_proof_check *c)
{
    switch (c->state) {
    case FACT_PROOF_STEP_STATE_UNFINISHED: return _("not ended");
    case FACT_PROOF_STEP_STATE_FAILED: return _("failed");
    case FACT_PROOF_STEP_STATE_SKIPPED: return _("left out");
    case FACT_PROOF_STEP_STATE_DONE: break;
    }
    if (c->on_device == TRI_NO)
        return _("elsewhere");
    return c->within == TRI_YES ? _("right") : c->within == TRI_NO ? _("WRONG") : "?";
}

/* A row of cells; an empty one keeps its column. */
static void row(struct buf *out, const char *const *cells, const size_t *cols, size_t n)
{
    size_t at = 2;
    buf_adds(out, "  ");
    for (size_t i = 0; i < n; i++) {
        if (!cells[i] || !*cells[i])
            continue;
        if (i)
            wrap_pad(out, at, cols[i]);
        buf_add_safe(out, cells[i], strlen(cells[i]));
        at = (i && cols[i] > at ? cols[i] : i ? at + 1 : at) + i18n_width(cells[i]);
    }
    buf_addc(out, '\n');
}

static const size_t columns[] = {2, COL_OP, COL_RESULT, COL_RATE, COL_LAUNCH, COL_PEAK, COL_SPEEDUP};

static void operation(const struct report *r, struct buf *out, const struct fact_proof_check *c, bool gpu)
{
    const struct fact_proof_time *t = time_of(&r->f->proof, c);
    const char *cells[TG_COUNT(columns)] = {c->device, arena_printf(r->a, "%s %s", c->op, c->dtype), result(c)};
    if (t && t->has_mflops)
        cells[3] = proof_rate(r->a, t->mflops);
    else if (t && t->state == FACT_PROOF_STEP_STATE_FAILED)
        cells[3] = _("failed");
    if (t && gpu && t->has_launch_mflops)
        cells[4] = proof_rate(r->a, t->launch_mflops);
    if (t && t->has_peak_permille)
        cells[5] = arena_printf(r->a, "%u %%", t->peak_permille / 10);
    if (t && t->has_speedup_tenths)
        cells[6] = t->speedup_tenths >= 100 ? arena_printf(r->a, "%ux", t->speedup_tenths / 10)
                                            : arena_printf(r->a, "%u.%ux", t->speedup_tenths / 10, t->speedup_tenths % 10);
    row(out, cells, columns, TG_COUNT(columns));
}

static void detail(const struct report *r, struct buf *out, const struct fact_proof_check *c)
{
    if (c->max_error && c->tolerance)
        para(r, out, 4, arena_printf(r->a, _("%s, %s: largest difference from float64 %s, rounding explains %s"),
                                     proof_step(r->a, c->device, c->op, c->dtype), c->size ? c->size : "?", c->max_error, c->tolerance));
    if (c->cpu_error)
        para(r, out, 4, arena_printf(r->a, _("from the CPU's result: %s"), c->cpu_error));
}

static void device(const struct report *r, struct buf *out, const struct fact_proof_device *d)
{
    const char *text = d->name ? d->name : "?";
    if (d->has_cc)
        text = arena_printf(r->a, _("%s, compute capability %u.%u"), text, d->cc / 10, d->cc % 10);
    if (d->growth == TRI_YES)
        text = arena_printf(r->a, _("%s, memory growth on"), text);
    else if (d->growth == TRI_NO)
        text = arena_printf(r->a, _("%s, memory growth refused: %s"), text, d->growth_error ? d->growth_error : "?");
    labelled(r, out, 2, d->device, COL_OP, text);
}

static void title(const struct report *r, struct buf *out)
{
    const struct fact_proof *p = &r->f->proof;
    buf_addc(out, '\n');
    inked(r, out, INK_BOLD, p->version && p->has_ms ? arena_printf(r->a, _("Computed by TensorFlow %s in %.1f s"), p->version, p->ms / 1e3)
                            : p->version            ? arena_printf(r->a, _("Computed by TensorFlow %s"), p->version)
                                                    : _("Computed by TensorFlow"));
    buf_addc(out, '\n');
}

void proof_text(const struct report *r, struct buf *out)
{
    const struct fact_proof *p = &r->f->proof;
    bool gpu = p->n_devices > 0;
    if (!p->n_checks)
        return;
    title(r, out);
    for (size_t i = 0; i < p->n_devices; i++)
        device(r, out, &p->devices[i]);
    const char *const head[] = {_("device"), _("operation"), _("result"), _("rate"), gpu ? _("not waiting") : "", gpu ? _("peak") : "", gpu ? _("CPU") : ""};
    ink(r, out, INK_DIM);
    row(out, head, columns, TG_COUNT(head));
    ink(r, out, INK_NONE);
    for (size_t i = 0; i < p->n_checks; i++)
        operation(r, out, &p->checks[i], gpu);
    if (r->verbose)
        for (size_t i = 0; i < p->n_checks; i++)
            detail(r, out, &p->checks[i]);
    if (!gpu)
        para(r, out, 2, _("No GPU was used: TensorFlow lists none."));
    else
        para(r, out, 2, _("rate: timed until a number of the result reached Python, after a warm-up. not waiting: what a clock shows that stops once the work is "
                          "launched; it means nothing. peak: share of the data sheet's peak. CPU: times the CPU's rate."));
}
