/* SPDX-License-Identifier: Apache-2.0 */
/* libraries_text - the libraries that TensorFlow opens: who wins and why, or how the search failed. */
#include "base/i18n.h"
#include "report/facts_text.h"
#include "report/text_util.h"
#include "report/wrap.h"

enum { NAME_COL = 26, VERSION_COL = 40 };

static enum layer_status status_of(const struct fact_library *l)
{
    switch (l->outcome) {
    case FACT_OUTCOME_FOUND: return LAYER_OK;
    case FACT_OUTCOME_MISSING:
    case FACT_OUTCOME_FAILS: return l->mandatory ? LAYER_BROKEN : LAYER_DEGRADED;
    case FACT_OUTCOME_KILLS: return LAYER_BROKEN;
    case FACT_OUTCOME_UNDETERMINED: break;
    }
    return LAYER_UNDETERMINED;
}

/* Places where nothing lies are counted, list by list; the others are told one by one. `tfgpu why` shows all. */
static void trail(const struct report *r, struct buf *out, const struct fact_library *l, size_t indent)
{
    for (size_t i = 0; i < l->n_trail;) {
        const struct fact_try *t = &l->trail[i];
        size_t n = 0;
        while (i + n < l->n_trail && str_eq(l->trail[i + n].result, "absent") && str_eq(l->trail[i + n].source, t->source))
            n++;
        if (n) {
            const char *of = t->of ? arena_printf(r->a, _(" of %s"), path_base(t->of)) : "";
            para(r, out, indent, arena_printf(r->a, i18n_nget("%s%s: %zu place, not there", "%s%s: %zu places, not there", n), t->source, of, n));
        } else {
            para(r, out, indent, arena_printf(r->a, "%s: %s: %s", t->source, short_path(r, t->path), t->detail ? t->detail : t->result));
        }
        i += n ? n : 1;
    }
}

static void failure(const struct report *r, struct buf *out, const struct fact_library *l, size_t indent)
{
    if (l->message)
        para(r, out, indent, l->message);
    if (l->signal)
        para(r, out, indent, arena_printf(r->a, _("the process would end: %s"), l->signal));
    if (l->culprit && !str_eq(l->culprit, l->soname))
        para(r, out, indent, arena_printf(r->a, _("because of %s"), l->culprit_file ? short_path(r, l->culprit_file) : l->culprit));
    trail(r, out, l, indent);
    for (size_t i = 0; i < l->n_copies; i++)
        para(r, out, indent, arena_printf(r->a, _("installed, but not reached: %s"), short_path(r, l->copies[i].path)));
}

static void library(const struct report *r, struct buf *out, const struct fact_library *l)
{
    size_t indent = 2 + mark_width(r);
    buf_adds(out, "  ");
    mark(r, out, status_of(l));
    buf_adds(out, l->soname ? l->soname : "?");
    size_t have = indent + i18n_width(l->soname ? l->soname : "?");
    if (l->outcome == FACT_OUTCOME_FOUND) {
        const char *version = l->version ? l->version : "-";
        wrap_pad(out, have, NAME_COL);
        buf_adds(out, version);
        wrap_pad(out, NAME_COL + i18n_width(version), VERSION_COL);
        buf_adds(out, l->rule ? l->rule : "-");
    } else if (!l->mandatory) {
        buf_addf(out, "  %s", _("(optional)"));
    }
    buf_addc(out, '\n');
    if (l->path)
        para(r, out, indent, short_path(r, l->path));
    if (l->outcome != FACT_OUTCOME_FOUND)
        failure(r, out, l, indent);
    for (size_t i = 0; i < l->n_shadowed; i++)
        para(r, out, indent, arena_printf(r->a, _("shadows %s"), short_path(r, l->shadowed[i])));
}

void libraries_text(const struct report *r, struct buf *out)
{
    if (!r->f->n_libraries)
        return;
    buf_addc(out, '\n');
    inked(r, out, INK_BOLD, _("Libraries that TensorFlow opens (version, rule by which the file wins)"));
    buf_addc(out, '\n');
    for (size_t i = 0; i < r->f->n_libraries; i++)
        library(r, out, &r->f->libraries[i]);
}
