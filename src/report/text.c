/* SPDX-License-Identifier: Apache-2.0 */
/* text - the report for people. */
#include "base/i18n.h"
#include "report/facts_text.h"
#include "report/text_util.h"
#include "report/wrap.h"

enum { EVIDENCE_MAX = 6, EVIDENCE_VERBOSE = 12, FILE_LAYERS = 4 };

static void head_line(const struct report *r, struct buf *out, const char *label, const char *text)
{
    buf_adds(out, label);
    size_t col = i18n_width(label);
    wrap_text(out, text, col, col, r->term->width);
    buf_addc(out, '\n');
}

/* Does what is printed call the packages' folder SP? */
static bool shortens(const struct report *r)
{
    const struct finding *f = r->j->first_broken;
    for (size_t i = 0; f && i < f->n_evidence; i++)
        if (short_path(r, f->evidence[i].path) != f->evidence[i].path)
            return true;
    return (r->verbose || r->early) && r->f->tensorflow.package_dir;
}

static void heading(const struct report *r, struct buf *out)
{
    const struct fact_python *py = &r->f->python;
    const char *what = _("no Python environment was found"), *tf = r->f->tensorflow.package_dir;
    if (py->prefix)
        what = py->version ? arena_printf(r->a, _("%s (%s, Python %s)"), py->prefix, fact_env_kind_id(py->kind), py->version)
                           : arena_printf(r->a, "%s (%s)", py->prefix, fact_env_kind_id(py->kind));
    head_line(r, out, _("Environment: "), r->f->selected_by ? arena_printf(r->a, _("%s, %s"), what, r->f->selected_by) : what);
    if (r->machine)
        head_line(r, out, _("Machine: "), r->machine);
    if (shortens(r))
        head_line(r, out, _("Packages: "), arena_printf(r->a, _("%s, called SP below"), path_dir(r->a, tf)));
}

static size_t title_width(void)
{
    size_t max = 0;
    for (unsigned n = 1; n <= LAYERS; n++) {
        size_t w = i18n_width(layer_title(n));
        max = w > max ? w : max;
    }
    return max;
}

static bool is_shown(const struct report *r, unsigned n)
{
    const struct layer *old = r->early && r->early != r->j && n <= FILE_LAYERS ? &r->early->layers[n - 1] : NULL;
    return old && old->status == r->j->layers[n - 1].status && str_eq(old->summary, r->j->layers[n - 1].summary);
}

/* Lines of the layers `first` to `last`, but for those that were shown already as they are now. */
static void layer_lines(const struct report *r, struct buf *out, unsigned first, unsigned last)
{
    size_t titles = title_width(), col = 3 + mark_width(r) + titles + 2;
    for (unsigned n = first; n <= last; n++) {
        if (is_shown(r, n))
            continue;
        const struct layer *l = &r->j->layers[n - 1];
        const char *text = l->summary ? l->summary : "";
        bool off = l->status == LAYER_NOT_REACHED;
        buf_addf(out, " %u ", n);
        mark(r, out, l->status);
        if (off)
            ink(r, out, INK_DIM);
        buf_adds(out, layer_title(n));
        wrap_pad(out, col - titles - 2 + i18n_width(layer_title(n)), col);
        if (off)
            text = arena_printf(r->a, _("not judged: %s"), text);
        else if (l->status == LAYER_UNDETERMINED)
            text = arena_printf(r->a, _("not determined: %s"), text);
        wrap_text(out, text, col, col, r->term->width);
        if (off)
            ink(r, out, INK_NONE);
        buf_addc(out, '\n');
    }
}

static void section(const struct report *r, struct buf *out, const char *title)
{
    buf_addc(out, '\n');
    inked(r, out, INK_BOLD, title);
    buf_addc(out, '\n');
}

/* What was seen, up to a number of lines; JSON has all. */
static void evidence(const struct report *r, struct buf *out, const struct finding *f, size_t indent)
{
    size_t max = r->verbose ? EVIDENCE_VERBOSE : EVIDENCE_MAX;
    size_t n = f->n_evidence > max ? max - 1 : f->n_evidence;
    for (size_t i = 0; i < n; i++) {
        const struct evidence *e = &f->evidence[i];
        const char *path = short_path(r, e->path);
        para(r, out, indent, path ? arena_printf(r->a, _("%s: %s"), path, e->value) : e->value);
    }
    if (n < f->n_evidence)
        para(r, out, indent, arena_printf(r->a, _("and %zu more (--format json has all)"), f->n_evidence - n));
    if (f->unproved)
        para(r, out, indent, arena_printf(r->a, _("not proved: %s"), f->unproved));
}

static void explanation(const struct report *r, struct buf *out, const struct finding *f)
{
    if (f->n_evidence || f->unproved) {
        section(r, out, _("Seen"));
        evidence(r, out, f, 2);
    }
    section(r, out, _("Why"));
    para(r, out, 2, finding_text(r->a, f, _(f->cause->why)));
    struct buf steps;
    buf_init(&steps, 0);
    if (fix_steps(r, &steps, f, 2)) {
        section(r, out, _("Fix"));
        buf_add(out, steps.p, steps.len);
    }
    buf_done(&steps);
}

static const char *expectation(const struct report *r)
{
    const struct prediction *p = &r->j->prediction;
    if (p->import_ok == TRI_NO && p->dies)
        return arena_printf(r->a, _("'import tensorflow' would end the process (%s)."), p->dies);
    if (p->import_ok == TRI_NO)
        return _("'import tensorflow' would fail.");
    if (p->import_ok == TRI_YES && p->dies)
        return arena_printf(r->a, _("'import tensorflow' would work, but listing the GPUs would end the process (%s)."), p->dies);
    if (p->import_ok == TRI_YES && p->has_gpus && p->gpus_listed)
        return arena_printf(r->a, _("'import tensorflow' would work, and it would list GPUs: %u."), p->gpus_listed);
    if (p->import_ok == TRI_YES && p->has_gpus)
        return _("'import tensorflow' would work, but it would list no GPU.");
    if (p->import_ok == TRI_YES && p->hangs)
        return _("'import tensorflow' would work, but listing the GPUs would not come back.");
    return NULL;
}

static void first_broken(const struct report *r, struct buf *out)
{
    const struct finding *f = r->j->first_broken;
    const char *expect = expectation(r);
    buf_addc(out, '\n');
    ink(r, out, INK_BAD);
    buf_addf(out, _("First broken link: layer %u, %s"), f->layer, f->cause->id);
    ink(r, out, INK_NONE);
    buf_addc(out, '\n');
    para(r, out, 2, finding_text(r->a, f, _(f->cause->title)));
    if (expect)
        para(r, out, 2, expect);
    explanation(r, out, f);
    if (f->cause->confirm) {
        section(r, out, _("Then check"));
        buf_addf(out, "  %s\n", finding_command(r->a, f, f->cause->confirm));
    }
}

static void nothing_broken(const struct report *r, struct buf *out)
{
    buf_addc(out, '\n');
    inked(r, out, INK_BOLD, r->j->verdict == VERDICT_WORKS ? _("TensorFlow will use the GPU.") : _("Not determined."));
    buf_addc(out, '\n');
    if (r->j->verdict == VERDICT_UNDETERMINED && r->f->cuda.ask.answer == FACT_DRIVER_ANSWER_ANSWERED)
        para(r, out, 2, _("Nothing that is broken was found, but not all of it could be judged: see the layers that are not determined."));
    else if (r->j->verdict == VERDICT_UNDETERMINED)
        para(r, out, 2, _("Nothing that is broken was found in the files. Whether TensorFlow gets a GPU is known only when the driver has "
                          "answered (layer 5)."));
    else if (r->j->prediction.has_gpus)
        para(r, out, 2, arena_printf(r->a, _("It would list GPUs: %u."), r->j->prediction.gpus_listed));
}

static void other_finding(const struct report *r, struct buf *out, const struct finding *f)
{
    size_t col = 3 + mark_width(r);
    buf_addf(out, " %u ", f->layer);
    mark(r, out, severity_status(f->severity));
    wrap_text(out, arena_printf(r->a, "%s [%s]", finding_text(r->a, f, _(f->cause->title)), f->cause->id), col, col, r->term->width);
    buf_addc(out, '\n');
    if (r->verbose) {
        evidence(r, out, f, col);
        para(r, out, col, finding_text(r->a, f, _(f->cause->why)));
    }
    if (r->verbose || f->severity != SEV_NOTE)
        fix_steps(r, out, f, col);
}

static void others(const struct report *r, struct buf *out)
{
    bool any = false;
    for (size_t i = 0; i < r->j->n_findings; i++) {
        const struct finding *f = &r->j->findings[i];
        if (f == r->j->first_broken)
            continue;
        if (!any)
            section(r, out, _("Also"));
        any = true;
        other_finding(r, out, f);
    }
}

void report_text_files(const struct report *r, struct buf *out)
{
    heading(r, out);
    buf_addc(out, '\n');
    layer_lines(r, out, 1, FILE_LAYERS);
}

void report_text(const struct report *r, struct buf *out)
{
    if (!r->early) {
        heading(r, out);
        buf_addc(out, '\n');
    }
    layer_lines(r, out, 1, LAYERS);
    if (r->j->first_broken)
        first_broken(r, out);
    else
        nothing_broken(r, out);
    others(r, out);
    proof_text(r, out);
    if (r->verbose)
        facts_text(r, out);
}
