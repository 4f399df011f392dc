/* SPDX-License-Identifier: Apache-2.0 */
/* explained_text - what a log shows, for people. */
#include <string.h>
#include "base/i18n.h"
#include "base/util.h"
#include "report/explained.h"
#include "report/text_util.h"

static const char *kind_word(const struct explain_entry *e)
{
    switch ((enum cause_kind)e->kind) {
    case KIND_CAUSE: return _("Cause");
    case KIND_SYMPTOM: return _("Symptom");
    case KIND_BENIGN: return _("Harmless");
    }
    return "";
}

static void heading(const struct report *r, struct buf *out, const char *text)
{
    buf_addc(out, '\n');
    inked(r, out, INK_BOLD, text);
    buf_addc(out, '\n');
}

/* For whom a step is: "conda", "WSL, pip". NULL: for all. */
static const char *condition(struct arena *a, const struct explain_step *s)
{
    static const struct { unsigned bit; const char *text; } words[] = {
        {FIX_WSL, N_("in WSL")}, {FIX_BARE, N_("on Linux itself")}, {FIX_CONTAINER, N_("in a container")}, {FIX_PIP, N_("with pip")},
        {FIX_CONDA, N_("with conda")}, {FIX_UV, N_("with uv")}, {FIX_VENV, N_("in a virtual environment")},
        {FIX_SYSTEM_PYTHON, N_("with the system's Python")}, {FIX_APT, N_("on Debian or Ubuntu")}, {FIX_DNF, N_("on Fedora or RHEL")},
        {FIX_USER, N_("in the user's folder")}, {FIX_KERNEL, N_("in a notebook")}};
    const char *out = s->side == SIDE_WINDOWS ? _("in PowerShell on Windows") : s->side == SIDE_HOST ? _("on the host") : NULL;
    for (size_t i = 0; i < TG_COUNT(words); i++)
        if (s->when & words[i].bit)
            out = out ? arena_printf(a, "%s%s%s", out, _(", "), _(words[i].text)) : _(words[i].text);
    if (s->needs_root)
        out = out ? arena_printf(a, "%s%s%s", out, _(", "), _("as root")) : _("as root");
    return out;
}

static void step_text(const struct report *r, struct buf *out, const struct explain_fix *f, size_t number)
{
    const char *at = condition(r->a, f->step), *lead = NULL;
    struct str line;
    size_t pos = 0, indent = number ? 5 : 2;
    if (!f->command)
        lead = at ? arena_printf(r->a, _("%s: %s"), at, f->note) : f->note;
    else
        lead = arena_printf(r->a, _("%s:"), at ? at : _("run"));
    if (number)
        labelled(r, out, 2, arena_printf(r->a, "%zu.", number), 5, lead);
    else if (!f->command || at)
        para(r, out, 2, lead);
    while (f->command && str_line(f->command, strlen(f->command), &pos, &line)) {
        buf_addf(out, "%*s", (int)(indent + (number || at ? 2 : 0)), "");
        ink(r, out, INK_BOLD);
        buf_add_safe(out, line.p, line.n);
        ink(r, out, INK_NONE);
        buf_addc(out, '\n');
    }
    if (!f->command || !f->note)
        return;
    ink(r, out, INK_DIM);
    para(r, out, indent + 4, f->note);
    ink(r, out, INK_NONE);
}

static void fix_text(const struct report *r, struct buf *out, const struct explain_entry *e, const struct explained *x)
{
    const struct explain_fix *f;
    size_t n = explain_steps(r->a, r->catalog, e, x, &f);
    if (n == 0)
        return;
    heading(r, out, _("Fix"));
    for (size_t i = 0; i < n; i++)
        step_text(r, out, &f[i], n > 1 ? i + 1 : 0);
}

static const char *rank_text(struct arena *a, const struct rank *r)
{
    switch (r->kind) {
    case RANK_NONE: break;
    case RANK_RANK: return arena_printf(a, _("rank %u"), r->number);
    case RANK_TASK: return arena_printf(a, _("task %u"), r->number);
    case RANK_WORKER: return arena_printf(a, _("worker %u"), r->number);
    case RANK_NODE: return arena_printf(a, _("node %u"), r->number);
    }
    return NULL;
}

/* "line 3"; "train.log, line 3"; "a.ipynb cell 2 (In [5]), line 3"; "rank 1, out.log, line 3" */
static const char *spot(struct arena *a, const struct sighting *s, bool several)
{
    const struct place *p = s->place;
    const char *file = NULL, *rank = rank_text(a, &p->rank);
    if (p->cell)
        file = p->run && p->run != p->cell ? arena_printf(a, _("%s cell %u (In [%u])"), p->file, p->cell, p->run) : arena_printf(a, _("%s cell %u"), p->file, p->cell);
    else if (several)
        file = p->file;
    const char *at = file ? arena_printf(a, _("%s, line %llu"), file, (unsigned long long)s->line_number)
                          : arena_printf(a, _("line %llu"), (unsigned long long)s->line_number);
    return rank ? arena_printf(a, "%s%s%s", rank, _(", "), at) : at;
}

static const char *place(struct arena *a, const struct explained *x, bool several)
{
    const char *at = spot(a, &x->seen[0], several);
    return x->count > 1 ? arena_printf(a, i18n_nget("%s (%llu line)", "%s (%llu lines)", (unsigned long)x->count), at, (unsigned long long)x->count) : at;
}

/* "0.3 s", "2 s", "5 min", "3 h" */
static const char *duration(struct arena *a, int64_t us)
{
    enum { MS = 1000, SHORT_S = 10, MIN = 60, LONG_S = 120, HOUR = 3600, LONG_MIN = 120 };
    int64_t s = (us + 500 * MS) / (MS * MS);
    if (us < (int64_t)SHORT_S * MS * MS && us % (MS * MS))
        return arena_printf(a, _("%lld.%lld s"), (long long)(us / MS / MS), (long long)(us / (100 * MS) % 10));
    if (s < LONG_S)
        return arena_printf(a, _("%lld s"), (long long)s);
    if (s < LONG_MIN * MIN)
        return arena_printf(a, _("%lld min"), (long long)((s + MIN / 2) / MIN));
    return arena_printf(a, _("%lld h"), (long long)((s + HOUR / 2) / HOUR));
}

/* Where else the first cause was seen, when no times tell an order. */
static void also_text(const struct report *r, struct buf *out, const struct explained *x)
{
    enum { MOST = 8 };
    for (size_t i = 1; i < x->n_seen && i <= MOST; i++)
        para(r, out, 2, arena_printf(r->a, _("also in %s"), spot(r->a, &x->seen[i], true)));
    if (x->n_seen > MOST + 1)
        para(r, out, 2, arena_printf(r->a, i18n_nget("and in %zu more place", "and in %zu more places", (unsigned long)(x->n_seen - MOST - 1)), x->n_seen - MOST - 1));
}

/* Which of several files or ranks failed when. */
static void failures_text(const struct report *r, struct buf *out, const struct explain_answer *x)
{
    enum { MOST = 12 };
    size_t n = 0;
    for (size_t i = 0; i < x->n_failures; i++) {
        const struct explain_failure *f = &x->failures[i];
        const char *id = catalog_text(r->catalog, f->entry->id), *at = spot(r->a, f->seen, true);
        if (place_same(f->seen->place, x->found[0].seen[0].place))
            continue;
        if (n == 0)
            heading(r, out, _("What failed after it"));
        if (n++ >= MOST)
            continue;
        if (f->after_us <= 0)
            para(r, out, 2, arena_printf(r->a, _("at the same time: %s: %s"), at, id));
        else
            para(r, out, 2, arena_printf(r->a, _("%s later: %s: %s"), duration(r->a, f->after_us), at, id));
    }
    if (n > MOST)
        para(r, out, 2, arena_printf(r->a, i18n_nget("and %zu more place", "and %zu more places", (unsigned long)(n - MOST)), n - MOST));
}

static void may_be_text(const struct report *r, struct buf *out, const struct explain_entry *e)
{
    if (!e->n_may_be)
        return;
    bool bound = e->code && explain_codes[e->code - 1].cause >= 0; /* the page of a code that is always of this cause */
    heading(r, out, bound ? _("The cause behind it") : _("It can stand for"));
    for (size_t i = 0; i < e->n_may_be; i++) {
        const struct explain_entry *c = &r->catalog->entries[r->catalog->may_be[e->first_may_be + i]];
        para(r, out, 2, catalog_text(r->catalog, c->id));
        para(r, out, 4, explain_headline(r->a, r->catalog, c, NULL));
        const char *confirm = explain_confirm(r->a, r->catalog, c, NULL);
        if (!bound && confirm && !str_starts(confirm, "tfgpu check") && !strchr(confirm, '{') && !strchr(confirm, '\n'))
            para(r, out, 4, arena_printf(r->a, _("it shows in: %s"), confirm));
    }
    if (!bound)
        para(r, out, 2, _("'tfgpu check' on that machine tells which."));
}

static void tail_text(const struct report *r, struct buf *out, const struct explain_entry *e, const struct explained *x)
{
    const char *confirm = explain_confirm(r->a, r->catalog, e, x);
    if (confirm) {
        heading(r, out, _("Then check"));
        para(r, out, 2, confirm);
    }
    const char *origin = catalog_origin(r->catalog, e);
    if (origin) {
        heading(r, out, _("Known from a file of this site"));
        para(r, out, 2, origin);
    }
    if (e->n_references)
        heading(r, out, _("See"));
    for (size_t i = 0; i < e->n_references; i++)
        para(r, out, 2, catalog_text(r->catalog, r->catalog->references[e->first_reference + i]));
}

static void headline(const struct report *r, struct buf *out, const struct explain_entry *e, const struct explained *x)
{
    enum ink colour = e->kind == KIND_BENIGN ? INK_GOOD : e->severity == SEV_BROKEN ? INK_BAD : INK_WARN;
    ink(r, out, colour);
    buf_addf(out, _("%s: %s"), kind_word(e), catalog_text(r->catalog, e->id));
    ink(r, out, INK_NONE);
    buf_addc(out, '\n');
    para(r, out, 2, explain_headline(r->a, r->catalog, e, x));
}

static void machine_text(const struct report *r, struct buf *out, const struct explained_machine *m)
{
    heading(r, out, m->source ? arena_printf(r->a, _("On the machine of %s"), m->source) : _("On this machine"));
    if (m->differs) {
        para(r, out, 2, arena_printf(r->a, _("The log is of another machine or of another time: %s. The log alone was judged."), m->differs));
        return;
    }
    if (!m->cause) {
        para(r, out, 2, _("None of the causes below shows in its files."));
        if (m->first)
            para(r, out, 2, arena_printf(r->a, _("What is broken there: %s"), m->first));
        if (!m->driver_asked)
            para(r, out, 2, _("The driver was not asked; 'tfgpu check' asks it."));
        return;
    }
    para(r, out, 2, arena_printf(r->a, m->source ? _("It is because of this (%s): %s") : _("If the log is of this machine, it is because of this (%s): %s"), m->cause, m->text));
    for (size_t i = 0; i < m->n_steps; i++) {
        if (m->steps[i].command) { /* to be copied: not broken into lines */
            buf_adds(out, "    ");
            ink(r, out, INK_BOLD);
            buf_add_safe(out, m->steps[i].command, strlen(m->steps[i].command));
            ink(r, out, INK_NONE);
            buf_addc(out, '\n');
        }
        if (m->steps[i].note)
            para(r, out, m->steps[i].command ? 6 : 4, m->steps[i].note);
    }
}

static void first_text(const struct report *r, struct buf *out, const struct explain_answer *all, bool several)
{
    const struct explained *x = &all->found[0];
    const char *time = when_text(r->a, &x->seen[0].when);
    headline(r, out, x->entry, x);
    heading(r, out, arena_printf(r->a, _("Seen in %s"), place(r->a, x, several)));
    para(r, out, 2, x->line);
    if (all->n_failures)
        para(r, out, 2, arena_printf(r->a, _("the first failure by time, at %s"), time ? time : "?"));
    else
        also_text(r, out, x);
    failures_text(r, out, all);
    const char *why = explain_why(r->a, r->catalog, x->entry, x);
    if (why) {
        heading(r, out, _("Why"));
        para(r, out, 2, why);
    }
    if (all->machine)
        machine_text(r, out, all->machine);
    if (x->entry->kind == KIND_SYMPTOM && !(all->machine && all->machine->cause))
        may_be_text(r, out, x->entry);
    fix_text(r, out, x->entry, x);
    tail_text(r, out, x->entry, x);
}

static void short_text(const struct report *r, struct buf *out, const struct explained *x, bool several)
{
    const char *id = catalog_text(r->catalog, x->entry->id), *at = place(r->a, x, several);
    const char *lead = arena_printf(r->a, _("%s, %s"), id, at);
    if (x->cause)
        lead = arena_printf(r->a, _("%s, %s: it follows from %s"), id, at, catalog_text(r->catalog, x->cause->id));
    else if (x->is_later)
        lead = arena_printf(r->a, _("%s, %s: %s after the first failure"), id, at, duration(r->a, x->after_us));
    para(r, out, 2, lead);
    para(r, out, 4, explain_headline(r->a, r->catalog, x->entry, x));
}

/* Codes that the first answer does not name by itself. */
static void codes_text(const struct report *r, struct buf *out, const struct explain_answer *x, bool several)
{
    enum { SHOWN = 12 };
    size_t shown = 0, more = 0;
    for (size_t i = 0; i < x->n_codes; i++) {
        const struct explained_code *c = &x->codes[i];
        if (x->n && x->found[0].code == c)
            continue;
        if (shown == SHOWN) {
            more++;
            continue;
        }
        if (shown++ == 0)
            heading(r, out, _("Codes in the log"));
        const struct explained at = {.seen = c->seen, .n_seen = c->n_seen, .count = c->count};
        para(r, out, 2, explain_code_text(r->a, c));
        para(r, out, 4, c->entry ? arena_printf(r->a, _("%s, explained by %s"), place(r->a, &at, several), catalog_text(r->catalog, c->entry->id)) : place(r->a, &at, several));
    }
    if (more)
        para(r, out, 2, arena_printf(r->a, i18n_nget("and %llu more: --format json", "and %llu more: --format json", (unsigned long)more), (unsigned long long)more));
}

static void nothing_text(const struct report *r, const struct explain_answer *x, struct buf *out)
{
    para(r, out, 0, arena_printf(r->a, i18n_nget("Nothing known in %llu line.", "Nothing known in %llu lines.", (unsigned long)x->lines), (unsigned long long)x->lines));
    para(r, out, 0, _("No line is one that tfgpu knows as a fault of driver, CUDA libraries, Python packages or machine; an error of the program itself is not "
                      "named. 'tfgpu check' judges this machine. If it is such a fault, please report the lines, without names and paths of yours, so that it "
                      "becomes known."));
}

void report_explained(struct arena *a, const struct explain_answer *x, bool several, const struct term *term, struct buf *out)
{
    const struct report r = {.a = a, .term = term, .catalog = x->catalog};
    size_t i = 0;
    if (x->n == 0) {
        nothing_text(&r, x, out);
        codes_text(&r, out, x, several);
        return;
    }
    if (x->found[0].entry->kind != KIND_BENIGN) {
        first_text(&r, out, x, several);
        i = 1;
    } else {
        para(&r, out, 0, _("No fault that tfgpu knows; what it knows in this log is harmless."));
    }
    for (enum cause_kind kind = KIND_CAUSE; kind <= KIND_BENIGN; kind++) {
        if (i < x->n && x->found[i].entry->kind == kind)
            heading(&r, out, kind == KIND_CAUSE ? _("Other causes, later in the chain") : kind == KIND_SYMPTOM ? _("Symptoms") : _("Harmless, nothing to mend"));
        for (; i < x->n && x->found[i].entry->kind == kind; i++)
            short_text(&r, out, &x->found[i], several);
    }
    codes_text(&r, out, x, several);
    buf_addc(out, '\n');
    para(&r, out, 0, _("'tfgpu explain ID' tells more about one of them; 'tfgpu check' judges this machine."));
}

/* "tfgpu: exit code 1 after 3 s: python train.py" */
static const char *ending_text(struct arena *a, const struct explain_ending *e)
{
    const char *command = ending_command(a, e), *sig = ending_signal(a, e), *time = duration(a, (int64_t)e->elapsed_ms * 1000);
    if (sig)
        return arena_printf(a, _("tfgpu: ended by %s (exit code %d) after %s: %s"), sig, e->code, time, command);
    return arena_printf(a, _("tfgpu: exit code %d after %s: %s"), e->code, time, command);
}

void report_explained_run(struct arena *a, const struct explain_answer *x, const struct term *term, struct buf *out)
{
    const struct report r = {.a = a, .term = term, .catalog = x->catalog};
    bool fault = x->n && x->found[0].entry->kind != KIND_BENIGN;
    buf_addc(out, '\n');
    ink(&r, out, INK_BOLD);
    para(&r, out, 0, ending_text(a, x->ending));
    ink(&r, out, INK_NONE);
    if (x->ending->code == 0 && !fault)
        para(&r, out, 0, _("No fault that tfgpu knows."));
    else
        report_explained(a, x, false, term, out);
}

void report_cause(struct arena *a, const struct explain_catalog *k, const struct explain_entry *e, const struct term *term, struct buf *out)
{
    const struct report r = {.a = a, .term = term, .catalog = k};
    headline(&r, out, e, NULL);
    const char *why = explain_why(a, k, e, NULL);
    if (why) {
        heading(&r, out, _("Why"));
        para(&r, out, 2, why);
    }
    may_be_text(&r, out, e);
    fix_text(&r, out, e, NULL);
    tail_text(&r, out, e, NULL);
}

void report_codes(struct arena *a, const struct explain_catalog *k, const char *name, const struct explained_reading *codes, size_t n, const struct term *term, struct buf *out)
{
    const struct report r = {.a = a, .term = term, .catalog = k};
    para(&r, out, 0, arena_printf(a, _("%s is ambiguous: it depends on who printed it."), name));
    buf_addc(out, '\n');
    for (size_t i = 0; i < n; i++) {
        para(&r, out, 2, catalog_text(k, explain_code_page(k, codes[i].row)->id));
        para(&r, out, 4, arena_printf(a, _("%s: %s"), explain_code_label(a, &codes[i]), explain_code_meaning(a, codes[i].row)));
    }
    buf_addc(out, '\n');
    para(&r, out, 0, _("'tfgpu explain NAME' tells more about one of them."));
}
