/* SPDX-License-Identifier: Apache-2.0 */
/* solved_text - the solver's answer for people. */
#include <string.h>
#include "base/i18n.h"
#include "base/util.h"
#include "report/solved.h"
#include "report/text_util.h"
#include "report/wrap.h"

enum { N_COLS = 6 };
struct view { struct report r; const struct solve_answer *x; bool verbose; };

static bool shown(const struct view *v, size_t i)
{
    for (size_t k = 0; !v->verbose && k < i; k++)
        if (str_eq(v->x->offers[k].tensorflow, v->x->offers[i].tensorflow))
            return false;
    return true;
}

static const char *gives(struct arena *a, const struct solve_offer *o)
{
    size_t jit = 0;
    for (size_t i = 0; i < o->n_gives; i++)
        jit += o->gives[i].code == SOLVE_JIT;
    if (!o->cuda)
        return _("CPU only");
    if (!o->n_gives)
        return "-";
    return !jit ? _("native") : jit == o->n_gives ? _("JIT") : arena_printf(a, _("JIT on %zu of %zu"), jit, o->n_gives);
}

static const char *state(const struct solve_offer *o)
{
    if (o->n_apart)
        return _("two environments");
    for (size_t i = 0; i < o->n_defects; i++)
        if (str_eq(o->defects[i].id, "runpath-incomplete"))
            return _("to repair");
    return "";
}

static void cells(struct arena *a, const struct solve_offer *o, const char **ret)
{
    ret[0] = o->tensorflow;
    ret[1] = o->python;
    ret[2] = o->cuda ? o->cuda : "-";
    ret[3] = o->cudnn ? o->cudnn : "-";
    ret[4] = gives(a, o);
    ret[5] = state(o);
}

static void row(struct buf *out, const char *const *cell, const size_t *width)
{
    buf_adds(out, "  ");
    for (size_t i = 0; i < N_COLS; i++) {
        bool last = i + 1 == N_COLS || (i + 2 == N_COLS && !*cell[N_COLS - 1]);
        buf_adds(out, cell[i]);
        if (last)
            break;
        wrap_pad(out, i18n_width(cell[i]), width[i] + 2);
    }
    buf_addc(out, '\n');
}

/* One that is wider than the terminal: its lines as text. */
static void as_text(const struct view *v, const char *const *cell, struct buf *out)
{
    const char *s = arena_printf(v->r.a, _("%s: Python %s, CUDA %s, cuDNN %s, %s"), cell[0], cell[1], cell[2], cell[3], cell[4]);
    if (*cell[5])
        s = arena_printf(v->r.a, _("%s, %s"), s, cell[5]);
    wrap_pad(out, 0, 2);
    wrap_text(out, s, 2, 4, v->r.term->width);
    buf_addc(out, '\n');
}

static void table(const struct view *v, struct buf *out)
{
    const char *head[N_COLS] = {"TensorFlow", "Python", "CUDA", "cuDNN", _("GPU code"), ""};
    const char *c[N_COLS];
    size_t width[N_COLS], whole = 0;
    for (size_t k = 0; k < N_COLS; k++)
        width[k] = i18n_width(head[k]);
    for (size_t i = 0; i < v->x->n_offers; i++) {
        cells(v->r.a, &v->x->offers[i], c);
        for (size_t k = 0; k < N_COLS; k++)
            width[k] = i18n_width(c[k]) > width[k] ? i18n_width(c[k]) : width[k];
    }
    for (size_t k = 0; k < N_COLS; k++)
        whole += width[k] ? width[k] + 2 : 0;
    bool fits = whole <= v->r.term->width;
    if (fits) {
        ink(&v->r, out, INK_DIM);
        row(out, head, width);
        ink(&v->r, out, INK_NONE);
    }
    for (size_t i = 0; i < v->x->n_offers; i++)
        if (shown(v, i)) {
            cells(v->r.a, &v->x->offers[i], c);
            if (fits)
                row(out, c, width);
            else
                as_text(v, c, out);
        }
}

static const char *pin_list(struct arena *a, const struct solve_pin *p, size_t n)
{
    const char *s = "";
    for (size_t i = 0; i < n; i++)
        s = arena_printf(a, "%s%s%s%s", s, i ? "  " : "", p[i].name, p[i].spec);
    return s;
}

static void heading(const struct view *v, struct buf *out, const char *text)
{
    buf_addc(out, '\n');
    ink(&v->r, out, INK_BOLD);
    wrap_text(out, text, 0, 2, v->r.term->width);
    ink(&v->r, out, INK_NONE);
    buf_addc(out, '\n');
}

static void best(const struct view *v, struct buf *out)
{
    const struct solve_offer *o = &v->x->offers[0];
    heading(v, out, arena_printf(v->r.a, _("Best: TensorFlow %s on Python %s, made by %s"), o->tensorflow, o->python, solve_engine_id(o->engine)));
    para(&v->r, out, 2, pin_list(v->r.a, o->pins, o->n_pins));
    if (o->driver_min)
        para(&v->r, out, 2, arena_printf(v->r.a, _("It needs a driver >= %s and glibc >= %s."), o->driver_min, o->glibc_min));
    for (size_t i = 0; i < o->n_defects; i++)
        para(&v->r, out, 2, arena_printf(v->r.a, "%s: %s", o->tensorflow, o->defects[i].text));
    for (size_t i = 0; i < o->n_apart; i++)
        para(&v->r, out, 2, arena_printf(v->r.a, _("%s does not agree with it on the CUDA libraries and needs an environment of its own: Python %s, %s"), o->apart[i].name,
                                         o->apart[i].python, pin_list(v->r.a, o->apart[i].pins, o->apart[i].n_pins)));
}

static void newer(const struct view *v, struct buf *out)
{
    if (v->x->n_newer)
        heading(v, out, _("Why nothing newer"));
    for (size_t i = 0; i < v->x->n_newer; i++)
        para(&v->r, out, 2, arena_printf(v->r.a, "%s: %s", v->x->newer[i].subject, v->x->newer[i].text));
}

static void nothing(const struct view *v, struct buf *out)
{
    inked(&v->r, out, INK_BAD, _("Nothing fits."));
    buf_addc(out, '\n');
    for (size_t i = 0; i < v->x->n_reasons; i++)
        para(&v->r, out, 2, v->x->reasons[i].text);
    heading(v, out, v->x->n_changes ? _("One of these helps, cheapest first") : _("No single change to what was stated helps."));
    for (size_t i = 0; i < v->x->n_changes; i++) {
        const struct solve_change *c = &v->x->changes[i];
        const char *s = NULL;
        for (size_t k = 0; k < c->n_steps; k++)
            s = s ? arena_printf(v->r.a, _("%s and %s"), s, c->steps[k].text) : c->steps[k].text;
        para(&v->r, out, 2, arena_printf(v->r.a, _("%s (then TensorFlow %s)"), s, c->then));
    }
}

static void machine(const struct view *v, const struct solve_ask *ask, struct buf *out)
{
    const char *s = NULL;
    for (size_t i = 0; i < ask->n_gpus; i++)
        s = arena_printf(v->r.a, "%s%s%s (%u.%u)", s ? s : "", s ? ", " : "", ask->gpus[i].name, ask->gpus[i].cc / 10, ask->gpus[i].cc % 10);
    s = s ? s : _("a machine of which no GPU is known");
    if (ask->driver)
        s = arena_printf(v->r.a, _("%s, driver %s"), s, ask->driver);
    if (ask->glibc)
        s = arena_printf(v->r.a, "%s, glibc %s", s, ask->glibc);
    para(&v->r, out, 0, arena_printf(v->r.a, _("For %s"), s));
    buf_addc(out, '\n');
}

void report_solved(struct arena *a, const struct solve_ask *ask, const struct solve_answer *x, bool verbose, const struct term *term, struct buf *out)
{
    const struct view v = {.r = {.a = a, .term = term}, .x = x, .verbose = verbose};
    machine(&v, ask, out);
    if (x->n_offers) {
        table(&v, out);
        best(&v, out);
        newer(&v, out);
    } else {
        nothing(&v, out);
    }
    if (x->n_notes)
        buf_addc(out, '\n');
    for (size_t i = 0; i < x->n_notes; i++)
        para(&v.r, out, 0, x->notes[i]);
}
