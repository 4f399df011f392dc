/* SPDX-License-Identifier: Apache-2.0 */
/* libraries_text - the libraries that TensorFlow opens: who wins and why, or how the search failed. */
#include "base/i18n.h"
#include "report/facts_text.h"
#include "report/text_util.h"
#include "report/wrap.h"

enum { NAME_MAX_WIDTH = 36, VERSION_WIDTH = 14 };

static bool is_plainly_missing(const struct fact_library *l)
{
    return l->outcome == FACT_OUTCOME_MISSING && (!l->culprit || str_eq(l->culprit, l->soname));
}

static enum layer_status status_of(const struct fact_library *l)
{
    switch (l->outcome) {
    case FACT_OUTCOME_FOUND: return LAYER_OK;
    case FACT_OUTCOME_MISSING:
    case FACT_OUTCOME_FAILS:
        return l->mandatory ? LAYER_BROKEN : is_plainly_missing(l) ? LAYER_NOT_REACHED : LAYER_DEGRADED;
    case FACT_OUTCOME_KILLS: return LAYER_BROKEN;
    case FACT_OUTCOME_UNDETERMINED: break;
    }
    return LAYER_UNDETERMINED;
}

static const char *place(const struct report *r, const struct fact_try *t)
{
    static const struct { const char *id, *name; } lists[] = {
        {"rpath", "RPATH"}, {"runpath", "RUNPATH"}, {"ld_library_path", "LD_LIBRARY_PATH"}, {"cache", "ld.so.cache"}, {"default", N_("default folders")},
    };
    const char *name = t->source;
    for (size_t i = 0; i < TG_COUNT(lists); i++)
        if (str_eq(t->source, lists[i].id))
            name = _(lists[i].name);
    return t->of ? arena_printf(r->a, _("%s of %s"), name, path_base(t->of)) : name;
}

/* Places where nothing lies are counted, list by list; the others are told one by one. `tfgpu why` shows all. */
static void trail(const struct report *r, struct buf *out, const struct fact_library *l, size_t indent)
{
    for (size_t i = 0; i < l->n_trail;) {
        const struct fact_try *t = &l->trail[i];
        size_t n = 0;
        while (i + n < l->n_trail && str_eq(l->trail[i + n].result, "absent") && str_eq(l->trail[i + n].source, t->source) && str_eq(l->trail[i + n].of, t->of))
            n++;
        if (n)
            para(r, out, indent, arena_printf(r->a, i18n_nget("%s: %zu place, not there", "%s: %zu places, not there", n), place(r, t), n));
        else
            para(r, out, indent, arena_printf(r->a, _("%s: %s: %s"), place(r, t), short_path(r, t->path), t->detail ? t->detail : t->result));
        i += n ? n : 1;
    }
}

static void failure(const struct report *r, struct buf *out, const struct fact_library *l, size_t indent)
{
    if (l->message && !is_plainly_missing(l))
        para(r, out, indent, l->message);
    if (l->signal)
        para(r, out, indent, arena_printf(r->a, _("the process would end: %s"), l->signal));
    if (l->culprit_file)
        para(r, out, indent, arena_printf(r->a, _("because of %s"), short_path(r, l->culprit_file)));
    trail(r, out, l, indent);
    for (size_t i = 0; i < l->n_copies; i++)
        para(r, out, indent, arena_printf(r->a, _("installed, but not reached: %s"), short_path(r, l->copies[i].path)));
}

static void library(const struct report *r, struct buf *out, const struct fact_library *l, size_t name_col)
{
    size_t indent = 2 + mark_width(r);
    bool found = l->outcome == FACT_OUTCOME_FOUND;
    const char *version = l->version ? l->version : "-";
    buf_adds(out, "  ");
    mark(r, out, status_of(l));
    buf_adds(out, l->soname);
    wrap_pad(out, indent + i18n_width(l->soname), name_col);
    if (found) {
        buf_adds(out, version);
        wrap_pad(out, name_col + i18n_width(version), name_col + VERSION_WIDTH);
    }
    buf_adds(out, found ? (l->rule ? l->rule : "-") : is_plainly_missing(l) ? _("not found") : _("cannot be loaded"));
    buf_addf(out, "%s\n", !found && !l->mandatory ? _(" (optional)") : "");
    if (l->path)
        para(r, out, indent, short_path(r, l->path));
    if (!found && (l->mandatory || l->n_copies || !is_plainly_missing(l)))
        failure(r, out, l, indent);
    for (size_t i = 0; i < l->n_shadowed; i++)
        para(r, out, indent, arena_printf(r->a, _("shadows %s"), short_path(r, l->shadowed[i])));
}

static size_t name_width(const struct facts *f)
{
    size_t max = 0;
    for (size_t i = 0; i < f->n_libraries; i++) {
        size_t w = i18n_width(f->libraries[i].soname);
        max = w > max ? w : max;
    }
    return max < NAME_MAX_WIDTH ? max : NAME_MAX_WIDTH;
}

void libraries_text(const struct report *r, struct buf *out)
{
    if (!r->f->n_libraries)
        return;
    buf_addc(out, '\n');
    inked(r, out, INK_BOLD, _("Libraries that TensorFlow opens (version, rule by which the file wins)"));
    buf_addc(out, '\n');
    for (size_t i = 0; i < r->f->n_libraries; i++)
        library(r, out, &r->f->libraries[i], 2 + mark_width(r) + name_width(r->f) + 2);
}
