/* SPDX-License-Identifier: Apache-2.0 */
/* json_report - the report for programs: docs/schema/check.schema.json. */
#include "base/i18n.h"
#include "base/json.h"
#include "report/json_parts.h"
#include "version_gen.h"

static void tri(struct jw *w, const char *key, enum tri t)
{
    if (t == TRI_UNKNOWN)
        jw_null(w, key);
    else
        jw_bool(w, key, t == TRI_YES);
}

static void first_broken(struct jw *w, const struct finding *f)
{
    if (!f) {
        jw_null(w, "first_broken");
        return;
    }
    jw_obj(w, "first_broken");
    jw_u64(w, "layer", f->layer);
    jw_str(w, "cause", f->cause->id);
    jw_str(w, "subject", f->subject);
    jw_obj_end(w);
}

static void layers(struct jw *w, const struct judgement *j)
{
    jw_arr(w, "layers");
    for (unsigned n = 1; n <= LAYERS; n++) {
        jw_obj(w, NULL);
        jw_u64(w, "layer", n);
        jw_str(w, "title", layer_title(n));
        jw_str(w, "status", layer_status_id(j->layers[n - 1].status));
        jw_str(w, "summary", j->layers[n - 1].summary);
        jw_str(w, "undetermined", j->layers[n - 1].unknown);
        jw_obj_end(w);
    }
    jw_arr_end(w);
}

static void fix(struct jw *w, const struct report *r, const struct finding *f)
{
    unsigned tags = judge_tags(r->f) | f->tags;
    jw_arr(w, "fix");
    for (size_t i = 0; i < f->cause->n_fix; i++) {
        const struct fix_step *s = &f->cause->fix[i];
        if (!fix_applies(s, tags))
            continue;
        jw_obj(w, NULL);
        jw_str(w, "side", fix_side_id(s->side));
        jw_bool(w, "needs_root", s->needs_root);
        jw_str(w, "command", finding_command(r->a, f, s->command));
        jw_str(w, "note", s->note ? finding_text(r->a, f, _(s->note)) : NULL);
        jw_obj_end(w);
    }
    jw_arr_end(w);
}

static void finding(struct jw *w, const struct report *r, const struct finding *f)
{
    jw_obj(w, NULL);
    jw_str(w, "cause", f->cause->id);
    jw_u64(w, "layer", f->layer);
    jw_str(w, "severity", severity_id(f->severity));
    jw_str(w, "subject", f->subject);
    jw_str(w, "title", finding_text(r->a, f, _(f->cause->title)));
    jw_str(w, "why", finding_text(r->a, f, _(f->cause->why)));
    jw_arr(w, "evidence");
    for (size_t i = 0; i < f->n_evidence; i++) {
        jw_obj(w, NULL);
        jw_str(w, "fact", f->evidence[i].fact);
        jw_str(w, "path", f->evidence[i].path);
        jw_str(w, "value", f->evidence[i].value);
        jw_obj_end(w);
    }
    jw_arr_end(w);
    jw_str(w, "unproved", f->unproved);
    fix(w, r, f);
    jw_obj_end(w);
}

static void libraries(struct jw *w, const struct facts *f)
{
    jw_arr(w, "libraries");
    for (size_t i = 0; i < f->n_libraries; i++) {
        const struct fact_library *l = &f->libraries[i];
        jw_obj(w, NULL);
        jw_str(w, "soname", l->soname);
        jw_str(w, "needed_by", l->needed_by);
        jw_bool(w, "mandatory", l->mandatory);
        jw_str(w, "outcome", fact_outcome_id(l->outcome));
        jw_str(w, "path", l->path);
        jw_str(w, "opened_as", l->opened_as);
        jw_str(w, "version", l->version);
        jw_str(w, "rule", l->rule);
        jw_str(w, "message", l->message);
        jw_str(w, "signal", l->signal);
        jw_str(w, "culprit", l->culprit);
        jw_str(w, "culprit_file", l->culprit_file);
        jw_str(w, "culprit_by", l->culprit_by);
        jw_arr(w, "shadowed");
        for (size_t k = 0; k < l->n_shadowed; k++)
            jw_str(w, NULL, l->shadowed[k]);
        jw_arr_end(w);
        jw_obj_end(w);
    }
    jw_arr_end(w);
}

static void prediction(struct jw *w, const struct prediction *p)
{
    jw_obj(w, "prediction");
    tri(w, "import_ok", p->import_ok);
    if (p->has_gpus)
        jw_u64(w, "gpus_listed", p->gpus_listed);
    else
        jw_null(w, "gpus_listed");
    tri(w, "hangs", p->hangs ? TRI_YES : p->has_gpus || p->dies || p->import_ok == TRI_NO ? TRI_NO : TRI_UNKNOWN);
    jw_str(w, "dies", p->dies);
    jw_str(w, "culprit", p->culprit);
    jw_str(w, "root", p->root);
    jw_obj_end(w);
}

static void compared(struct jw *w, const struct fact_tensorflow *t)
{
    jw_obj(w, "compared");
    jw_u64(w, "files", t->record_checked);
    jw_u64(w, "differ", t->n_tampered);
    jw_u64(w, "python_files", t->python_checked);
    jw_u64(w, "python_files_not_compared", t->python_listed > t->python_checked ? t->python_listed - t->python_checked : 0);
    jw_bool(w, "contents", t->contents_checked);
    jw_obj_end(w);
}

static void environment(struct jw *w, const struct facts *f)
{
    jw_obj(w, "environment");
    jw_str(w, "prefix", f->python.prefix);
    jw_str(w, "kind", f->python.prefix ? fact_env_kind_id(f->python.kind) : NULL);
    jw_str(w, "python", f->python.exe);
    jw_str(w, "python_version", f->python.version);
    jw_str(w, "tensorflow", f->tensorflow.version);
    jw_str(w, "selected_by", f->selected_by);
    jw_obj_end(w);
}

#define LIST(w, p, list, type) do { \
        jw_arr(w, #list); \
        for (size_t i = 0; i < (p)->n_##list; i++) \
            fact_proof_##type##_json(w, NULL, &(p)->list[i]); \
        jw_arr_end(w); \
    } while (0)

static void proof(struct jw *w, const struct report *r)
{
    const struct fact_proof *p = &r->f->proof;
    if (p->end == FACT_PROOF_END_NOT_ASKED) {
        jw_null(w, "proof");
        return;
    }
    jw_obj(w, "proof");
    jw_str(w, "verdict", proof_verdict_id(r->j->proof));
    jw_str(w, "end", fact_proof_end_id(p->end));
    jw_str(w, "why_not", p->why_not);
    jw_str(w, "signal", p->signal);
    jw_str(w, "stage", p->stage_text);
    jw_bool(w, "quick", p->quick);
    if (p->has_ms)
        jw_u64(w, "ms", p->ms);
    else
        jw_null(w, "ms");
    jw_str(w, "tensorflow", p->version);
    jw_str(w, "file", p->file);
    if (p->has_gpus)
        jw_u64(w, "gpus", p->gpus);
    else
        jw_null(w, "gpus");
    tri(w, "tf32", p->tf32);
    jw_str(w, "error_type", p->error_type);
    jw_str(w, "error_text", p->error_text);
    LIST(w, p, devices, device);
    LIST(w, p, checks, check);
    LIST(w, p, times, time);
    jw_obj_end(w);
}
#undef LIST

void report_json(const struct report *r, struct buf *out)
{
    struct jw w;
    jw_init(&w, out);
    jw_obj(&w, NULL);
    jw_str(&w, "schema", "tfgpu.check/1");
    jw_obj(&w, "tool");
    jw_str(&w, "name", "tfgpu");
    jw_str(&w, "version", TFGPU_VERSION);
    jw_str(&w, "data", TFGPU_DATA_REVISION);
    jw_obj_end(&w);
    if (r->machine)
        jw_str(&w, "machine", r->machine);
    environment(&w, r->f);
    jw_str(&w, "verdict", verdict_id(r->j->verdict));
    first_broken(&w, r->j->first_broken);
    layers(&w, r->j);
    jw_arr(&w, "findings");
    for (size_t i = 0; i < r->j->n_findings; i++)
        finding(&w, r, &r->j->findings[i]);
    jw_arr_end(&w);
    json_gpus(&w, r);
    libraries(&w, r->f);
    prediction(&w, &r->j->prediction);
    compared(&w, &r->f->tensorflow);
    proof(&w, r);
    if (r->verbose)
        fact_facts_json(&w, "facts", r->f);
    jw_obj_end(&w);
    buf_addc(out, '\n');
}
