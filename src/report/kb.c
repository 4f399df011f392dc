/* SPDX-License-Identifier: Apache-2.0 */
/* kb - what explain knows as a list, and what is wrong with a site's files. */
#include <stdlib.h>
#include <string.h>
#include "base/i18n.h"
#include "base/json.h"
#include "base/util.h"
#include "report/explained.h"
#include "report/text_util.h"

static const char *const kinds[] = {[KIND_CAUSE] = "cause", [KIND_SYMPTOM] = "symptom", [KIND_BENIGN] = "benign"};
static const char *const severities[] = {[SEV_BROKEN] = "broken", [SEV_DEGRADED] = "degraded", [SEV_NOTE] = "note"};

/* Translated words for them. */
static const char *severity_word(const struct explain_entry *e)
{
    if (e->kind == KIND_BENIGN)
        return _("harmless");
    switch ((enum severity)e->severity) {
    case SEV_BROKEN: return _("broken");
    case SEV_DEGRADED: return _("degraded");
    case SEV_NOTE: return _("note");
    }
    return "";
}

struct row { const char *id; const struct explain_entry *entry; };

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct row *)a)->id, ((const struct row *)b)->id);
}

/* Causes without the pages of codes, by id. */
static struct row *rows_of(struct arena *a, const struct explain_catalog *k, size_t *ret_n)
{
    struct row *rows = arena_array(a, k->n_entries + 1, sizeof *rows);
    size_t n = 0;
    for (size_t i = 0; i < k->n_entries; i++)
        if (i < EXPLAIN_N_CAUSES || i >= EXPLAIN_N_ENTRIES)
            rows[n++] = (struct row){catalog_id(k, &k->entries[i]), &k->entries[i]};
    qsort(rows, n, sizeof *rows, by_id);
    *ret_n = n;
    return rows;
}

/* Did tfgpu have it before the site's file took its place? */
static bool replaces(const struct explain_catalog *k, const struct explain_entry *e)
{
    return catalog_origin(k, e) && e < k->entries + EXPLAIN_N_CAUSES;
}

/* The file that adds patterns to it, or NULL. */
static const char *extended_by(const struct kb_list *x, const char *id)
{
    for (size_t i = 0; i < x->n_site; i++)
        if (x->site[i].extends && str_eq(x->site[i].id, id))
            return x->site[i].file;
    return NULL;
}

void report_kb(struct arena *a, const struct kb_list *x, const struct term *term, struct buf *out)
{
    const struct report r = {.a = a, .term = term, .catalog = x->catalog};
    const struct explain_catalog *k = x->catalog;
    size_t n, site = 0;
    const struct row *rows = rows_of(a, k, &n);
    for (size_t i = 0; i < n; i++) {
        const struct explain_entry *e = rows[i].entry;
        const char *origin = catalog_origin(k, e), *more = extended_by(x, rows[i].id);
        site += origin != NULL;
        ink(&r, out, INK_BOLD);
        buf_adds(out, rows[i].id);
        ink(&r, out, INK_NONE);
        buf_addf(out, "  %s\n", severity_word(e));
        para(&r, out, 4, explain_headline(a, k, e, NULL));
        if (origin)
            para(&r, out, 4, arena_printf(a, replaces(k, e) ? _("from %s, in place of tfgpu's own") : _("from %s"), origin));
        if (more)
            para(&r, out, 4, arena_printf(a, _("with patterns from %s"), more));
    }
    buf_addc(out, '\n');
    para(&r, out, 0, arena_printf(a, _("%zu of tfgpu, %zu of this site. 'tfgpu kb show ID' tells all of one; codes have pages too: 'tfgpu kb show xid:79'."), n - site, site));
    for (size_t i = 0; i < x->n_hidden; i++)
        para(&r, out, 0, arena_printf(a, _("%s: not used: a more important folder has a file of that name"), x->hidden[i]));
}

void report_kb_json(struct arena *a, const struct kb_list *x, struct buf *out)
{
    const struct explain_catalog *k = x->catalog;
    struct jw w;
    size_t n;
    const struct row *rows = rows_of(a, k, &n);
    jw_init(&w, out);
    jw_obj(&w, NULL);
    jw_str(&w, "schema", "tfgpu.kb/1");
    jw_arr(&w, "causes");
    for (size_t i = 0; i < n; i++) {
        const struct explain_entry *e = rows[i].entry;
        jw_obj(&w, NULL);
        jw_str(&w, "id", rows[i].id);
        jw_str(&w, "kind", kinds[e->kind]);
        jw_str(&w, "severity", severities[e->severity]);
        jw_str(&w, "text", explain_headline(a, k, e, NULL));
        jw_str(&w, "site_file", catalog_origin(k, e));
        jw_bool(&w, "replaces", replaces(k, e));
        jw_str(&w, "extended_by", extended_by(x, rows[i].id));
        jw_obj_end(&w);
    }
    jw_arr_end(&w);
    jw_arr(&w, "not_used");
    for (size_t i = 0; i < x->n_hidden; i++)
        jw_str(&w, NULL, x->hidden[i]);
    jw_arr_end(&w);
    jw_obj_end(&w);
    buf_addc(out, '\n');
}

void report_lint(struct arena *a, const struct kb_file *files, size_t n, struct buf *out)
{
    size_t bad = 0, mistakes = 0;
    for (size_t i = 0; i < n; i++) {
        const struct site_mistakes *m = files[i].mistakes;
        bad += m->n > 0;
        mistakes += m->n + m->more;
        for (size_t k = 0; k < m->n; k++) {
            const char *line = arena_printf(a, "%s:%u: %s", files[i].name, m->of[k].line, m->of[k].what);
            buf_add_safe(out, line, strlen(line));
            buf_addc(out, '\n');
        }
        if (m->more) {
            const char *line = arena_printf(a, _("%s: and %zu more"), files[i].name, m->more);
            buf_add_safe(out, line, strlen(line));
            buf_addc(out, '\n');
        }
        if (files[i].note && !m->n) {
            const char *line = arena_printf(a, "%s: %s", files[i].name, files[i].note);
            buf_add_safe(out, line, strlen(line));
            buf_addc(out, '\n');
        }
    }
    if (bad == 0 && n)
        buf_addf(out, i18n_nget("%zu file, no mistake\n", "%zu files, no mistake\n", (unsigned long)n), n);
    else if (n)
        buf_addf(out, i18n_nget("%zu mistake; see docs/formats/causes.md\n", "%zu mistakes; see docs/formats/causes.md\n", (unsigned long)mistakes), mistakes);
}

void report_lint_json(const struct kb_file *files, size_t n, struct buf *out)
{
    struct jw w;
    jw_init(&w, out);
    jw_obj(&w, NULL);
    jw_str(&w, "schema", "tfgpu.kb-lint/1");
    jw_arr(&w, "files");
    for (size_t i = 0; i < n; i++) {
        const struct site_mistakes *m = files[i].mistakes;
        jw_obj(&w, NULL);
        jw_str(&w, "file", files[i].name);
        jw_str(&w, "note", files[i].note);
        jw_arr(&w, "mistakes");
        for (size_t k = 0; k < m->n; k++) {
            jw_obj(&w, NULL);
            jw_u64(&w, "line", m->of[k].line);
            jw_str(&w, "text", m->of[k].what);
            jw_obj_end(&w);
        }
        jw_arr_end(&w);
        jw_u64(&w, "more", m->more);
        jw_obj_end(&w);
    }
    jw_arr_end(&w);
    jw_obj_end(&w);
    buf_addc(out, '\n');
}
