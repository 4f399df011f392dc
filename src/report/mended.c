/* SPDX-License-Identifier: Apache-2.0 */
/* mended - what tfgpu fix says beside its plan. */
#include "report/mended.h"
#include "base/i18n.h"
#include "report/text_util.h"
#include "report/wrap.h"

static void finding_line(const struct report *r, const struct finding *f, struct buf *out)
{
    size_t col = 3 + mark_width(r);
    buf_addf(out, " %u ", f->layer);
    mark(r, out, severity_status(f->severity));
    wrap_text(out, arena_printf(r->a, "%s [%s]", finding_text(r->a, f, _(f->cause->title)), f->cause->id), col, col, r->term->width);
    buf_addc(out, '\n');
}

void report_mending(const struct report *r, const struct finding *const *list, size_t n, struct buf *out)
{
    for (size_t i = 0; i < n; i++)
        finding_line(r, list[i], out);
    buf_addc(out, '\n');
}

void report_mending_next(const struct report *r, const struct finding *const *list, size_t n, struct buf *out)
{
    if (n == 0)
        return;
    inked(r, out, INK_BOLD, _("After that, with a plan of its own"));
    buf_addc(out, '\n');
    report_mending(r, list, n, out);
}

void report_unmended(const struct report *r, const struct finding *f, const char *why, struct buf *out)
{
    finding_line(r, f, out);
    buf_addc(out, '\n');
    para(r, out, 0, arena_printf(r->a, _("tfgpu does not do this by itself: %s."), why));
    struct buf steps;
    buf_init(&steps, 0);
    if (fix_steps(r, &steps, f, 2)) {
        buf_addc(out, '\n');
        inked(r, out, INK_BOLD, _("Fix"));
        buf_addc(out, '\n');
        buf_add(out, steps.p, steps.len);
    }
    buf_done(&steps);
}

void report_mendable(const struct report *r, const struct finding *const *list, size_t n, struct buf *out)
{
    if (n == 0)
        return;
    buf_addc(out, '\n');
    inked(r, out, INK_BOLD, _("'tfgpu fix ID' mends"));
    buf_addc(out, '\n');
    report_mending(r, list, n, out);
    out->len--; /* no empty line at the end */
}
