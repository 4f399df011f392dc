/* SPDX-License-Identifier: Apache-2.0 */
/* explained_json - what a log shows, for programs. */
#include "base/i18n.h"
#include "base/json.h"
#include "base/util.h"
#include "report/explained.h"

static const char *const kinds[] = {[KIND_CAUSE] = "cause", [KIND_SYMPTOM] = "symptom", [KIND_BENIGN] = "benign"};
static const char *const severities[] = {[SEV_BROKEN] = "broken", [SEV_DEGRADED] = "degraded", [SEV_NOTE] = "note"};
static const char *const sides[] = {[SIDE_LINUX] = "linux", [SIDE_WINDOWS] = "windows", [SIDE_HOST] = "host"};

static void json_when(struct jw *w, unsigned when)
{
    static const struct { unsigned bit; const char *name; } names[] = {
        {FIX_WSL, "wsl"}, {FIX_BARE, "bare"}, {FIX_CONTAINER, "container"}, {FIX_PIP, "pip"}, {FIX_CONDA, "conda"}, {FIX_UV, "uv"},
        {FIX_VENV, "venv"}, {FIX_SYSTEM_PYTHON, "system-python"}, {FIX_APT, "apt"}, {FIX_DNF, "dnf"}, {FIX_USER, "user"}, {FIX_KERNEL, "kernel"}};
    jw_arr(w, "when");
    for (size_t i = 0; i < TG_COUNT(names); i++)
        if (when & names[i].bit)
            jw_str(w, NULL, names[i].name);
    jw_arr_end(w);
}

static void json_fix(struct jw *w, struct arena *a, const struct explain_catalog *k, const struct explain_entry *entry, const struct explained *x)
{
    const struct explain_fix *f;
    size_t n = explain_steps(a, k, entry, x, &f);
    jw_arr(w, "fix");
    for (size_t i = 0; i < n; i++) {
        jw_obj(w, NULL);
        jw_str(w, "side", sides[f[i].step->side]);
        json_when(w, f[i].step->when);
        jw_bool(w, "needs_root", f[i].step->needs_root);
        jw_str(w, "command", f[i].command);
        jw_str(w, "note", f[i].note);
        jw_obj_end(w);
    }
    jw_arr_end(w);
}

static void json_about(struct jw *w, struct arena *a, const struct explain_catalog *k, const struct explain_entry *e, const struct explained *x)
{
    jw_str(w, "id", catalog_text(k, e->id));
    jw_str(w, "kind", kinds[e->kind]);
    if (e->layer)
        jw_u64(w, "layer", e->layer);
    else
        jw_null(w, "layer");
    jw_str(w, "severity", severities[e->severity]);
    jw_str(w, "text", explain_headline(a, k, e, x));
    jw_str(w, "why", explain_why(a, k, e, x));
}

static void json_about_end(struct jw *w, struct arena *a, const struct explain_catalog *k, const struct explain_entry *e, const struct explained *x)
{
    json_fix(w, a, k, e, x);
    jw_str(w, "confirm", explain_confirm(a, k, e, x));
    jw_arr(w, "references");
    for (size_t i = 0; i < e->n_references; i++)
        jw_str(w, NULL, catalog_text(k, k->references[e->first_reference + i]));
    jw_arr_end(w);
    jw_str(w, "site_file", catalog_origin(k, e));
    jw_arr(w, "may_be");
    for (size_t i = 0; i < e->n_may_be; i++)
        jw_str(w, NULL, catalog_text(k, k->entries[k->may_be[e->first_may_be + i]].id));
    jw_arr_end(w);
}

static void json_reading(struct jw *w, struct arena *a, const struct explain_catalog *k, const struct explained_reading *r)
{
    static const char *const names[] = {[FAMILY_XID] = "xid", [FAMILY_CUDA] = "cuda", [FAMILY_CUDNN] = "cudnn", [FAMILY_NVML] = "nvml", [FAMILY_NCCL] = "nccl", [FAMILY_CUBLAS] = "cublas"};
    const struct explain_code *row = r->row;
    bool old = r->numbering == NUMBERING_OLD || row->number == 0;
    jw_obj(w, NULL);
    jw_str(w, "id", catalog_text(k, explain_code_page(k, row)->id));
    jw_str(w, "family", names[row->family]);
    jw_str(w, "name", catalog_text(k, row->name));
    jw_str(w, "also_named", catalog_text(k, row->name2));
    jw_u64(w, "number", (uint64_t)(old && row->number2 ? row->number2 : row->number));
    jw_str(w, "valid", row->family == FAMILY_CUDNN ? (old ? "up to cuDNN 8" : "since cuDNN 9") : row->family == FAMILY_CUDA && old && row->number2 ? "runtime up to CUDA 10.0" : NULL);
    jw_str(w, "meaning", explain_code_meaning(a, row));
    jw_str(w, "cause", row->cause >= 0 ? catalog_text(k, k->entries[row->cause].id) : NULL);
    jw_obj_end(w);
}

static void json_readings(struct jw *w, struct arena *a, const struct explain_catalog *k, const struct explained_reading *r, size_t n)
{
    jw_arr(w, "readings");
    for (size_t i = 0; i < n; i++)
        json_reading(w, a, k, &r[i]);
    jw_arr_end(w);
}

static void json_code(struct jw *w, struct arena *a, const struct explain_catalog *k, const struct explained_code *x)
{
    jw_obj(w, NULL);
    jw_str(w, "text", explain_code_text(a, x));
    if (x->number)
        jw_u64(w, "number", x->number);
    else
        jw_null(w, "number");
    jw_bool(w, "ambiguous", x->n_readings > 1 || x->family == FAMILY_BARE);
    json_readings(w, a, k, x->readings, x->n_readings);
    jw_str(w, "line", x->line);
    jw_str(w, "file", x->file);
    jw_u64(w, "line_number", x->line_number);
    jw_u64(w, "count", x->count);
    jw_str(w, "explained_by", x->entry ? catalog_text(k, x->entry->id) : NULL);
    jw_obj_end(w);
}

static void json_u64_or_null(struct jw *w, const char *key, bool has, uint64_t v)
{
    if (has)
        jw_u64(w, key, v);
    else
        jw_null(w, key);
}

/* Where and when: the members of a cause, of one of its places, of a failure. */
static void json_where(struct jw *w, struct arena *a, const struct sighting *s)
{
    jw_str(w, "file", s->place->file);
    json_u64_or_null(w, "cell", s->place->cell != 0, s->place->cell);
    json_u64_or_null(w, "execution_count", s->place->run != 0, s->place->run);
    jw_u64(w, "line_number", s->line_number);
    jw_str(w, "time", when_text(a, &s->when));
    json_u64_or_null(w, "rank", s->place->rank.kind != RANK_NONE, s->place->rank.number);
}

static void json_seen(struct jw *w, struct arena *a, const struct explained *x)
{
    jw_arr(w, "seen");
    for (size_t i = 0; i < x->n_seen; i++) {
        jw_obj(w, NULL);
        json_where(w, a, &x->seen[i]);
        jw_u64(w, "count", x->seen[i].count);
        jw_str(w, "line", x->seen[i].line);
        jw_obj_end(w);
    }
    jw_arr_end(w);
}

static void json_failures(struct jw *w, struct arena *a, const struct explain_catalog *k, const struct explain_answer *x)
{
    jw_arr(w, "failures");
    for (size_t i = 0; i < x->n_failures; i++) {
        const struct explain_failure *f = &x->failures[i];
        jw_obj(w, NULL);
        jw_str(w, "cause", catalog_text(k, f->entry->id));
        json_where(w, a, f->seen);
        jw_i64(w, "after_ms", f->after_us / 1000);
        jw_obj_end(w);
    }
    jw_arr_end(w);
}

static void json_run(struct jw *w, struct arena *a, const struct explain_ending *e)
{
    if (!e) {
        jw_null(w, "run");
        return;
    }
    jw_obj(w, "run");
    jw_arr(w, "command");
    for (size_t i = 0; e->argv[i]; i++)
        jw_str(w, NULL, e->argv[i]);
    jw_arr_end(w);
    jw_i64(w, "exit_code", e->code);
    jw_str(w, "signal", ending_signal(a, e));
    jw_u64(w, "elapsed_ms", e->elapsed_ms);
    jw_u64(w, "peak_rss_bytes", e->peak_rss_bytes);
    jw_obj_end(w);
}

static void json_one(struct jw *w, struct arena *a, const struct explain_catalog *k, const struct explained *x)
{
    jw_obj(w, NULL);
    json_about(w, a, k, x->entry, x);
    jw_str(w, "line", x->line);
    json_where(w, a, &x->seen[0]);
    jw_u64(w, "count", x->count);
    if (x->has_after)
        jw_i64(w, "after_ms", x->after_us / 1000);
    else
        jw_null(w, "after_ms");
    json_seen(w, a, x);
    jw_obj(w, "values");
    for (size_t i = 0; i < x->n_values; i++)
        jw_str(w, x->values[i].name, x->values[i].value);
    jw_obj_end(w);
    jw_str(w, "shown_by", x->cause ? catalog_text(k, x->cause->id) : NULL);
    json_about_end(w, a, k, x->entry, x);
    jw_obj_end(w);
}

static void json_machine(struct jw *w, const struct explain_catalog *k, const struct explained_machine *m, const struct explain_entry *of)
{
    jw_obj(w, "machine");
    jw_str(w, "of", catalog_text(k, of->id));
    jw_str(w, "facts", m->source);
    jw_str(w, "cause", m->cause);
    jw_str(w, "subject", m->subject);
    jw_str(w, "text", m->text);
    jw_str(w, "differs", m->differs);
    jw_str(w, "first_broken", m->first);
    jw_bool(w, "driver_asked", m->driver_asked);
    jw_arr(w, "fix");
    for (size_t i = 0; i < m->n_steps; i++) {
        jw_obj(w, NULL);
        jw_str(w, "side", m->steps[i].side);
        jw_bool(w, "needs_root", m->steps[i].needs_root);
        jw_str(w, "command", m->steps[i].command);
        jw_str(w, "note", m->steps[i].note);
        jw_obj_end(w);
    }
    jw_arr_end(w);
    jw_obj_end(w);
}

void report_explained_json(struct arena *a, const struct explain_answer *x, struct buf *out)
{
    struct jw w;
    const struct explain_catalog *k = x->catalog;
    jw_init(&w, out);
    jw_obj(&w, NULL);
    jw_str(&w, "schema", "tfgpu.explain/1");
    jw_u64(&w, "lines", x->lines);
    jw_arr(&w, "causes");
    for (size_t i = 0; i < x->n; i++)
        json_one(&w, a, k, &x->found[i]);
    jw_arr_end(&w);
    if (x->machine)
        json_machine(&w, k, x->machine, x->found[0].entry);
    else
        jw_null(&w, "machine");
    jw_arr(&w, "codes");
    for (size_t i = 0; i < x->n_codes; i++)
        json_code(&w, a, k, &x->codes[i]);
    jw_arr_end(&w);
    json_failures(&w, a, k, x);
    json_run(&w, a, x->ending);
    jw_arr(&w, "incomplete");
    for (size_t i = 0; i < x->n_gaps; i++) {
        jw_obj(&w, NULL);
        jw_str(&w, "file", x->gaps[i].file);
        jw_str(&w, "why", x->gaps[i].why);
        jw_obj_end(&w);
    }
    jw_arr_end(&w);
    jw_obj_end(&w);
    buf_addc(out, '\n');
}

void report_cause_json(struct arena *a, const struct explain_catalog *k, const struct explain_entry *e, struct buf *out)
{
    struct jw w;
    jw_init(&w, out);
    jw_obj(&w, NULL);
    jw_str(&w, "schema", "tfgpu.cause/1");
    json_about(&w, a, k, e, NULL);
    json_about_end(&w, a, k, e, NULL);
    jw_obj_end(&w);
    buf_addc(out, '\n');
}

void report_codes_json(struct arena *a, const struct explain_catalog *k, const struct explained_reading *codes, size_t n, struct buf *out)
{
    struct jw w;
    jw_init(&w, out);
    jw_obj(&w, NULL);
    jw_str(&w, "schema", "tfgpu.codes/1");
    json_readings(&w, a, k, codes, n);
    jw_obj_end(&w);
    buf_addc(out, '\n');
}
