/* SPDX-License-Identifier: Apache-2.0 */
/* solved_json - the solver's answer for programs. */
#include "base/json.h"
#include "report/solved.h"

static void pins(struct jw *w, const struct solve_pin *p, size_t n)
{
    jw_obj(w, "pins");
    for (size_t i = 0; i < n; i++)
        jw_str(w, p[i].name, p[i].spec);
    jw_obj_end(w);
}

static void strings(struct jw *w, const char *key, const char *const *v, size_t n)
{
    jw_arr(w, key);
    for (size_t i = 0; i < n; i++)
        jw_str(w, NULL, v[i]);
    jw_arr_end(w);
}

static void reasons(struct jw *w, const char *key, const struct solve_reason *r, size_t n)
{
    jw_arr(w, key);
    for (size_t i = 0; i < n; i++) {
        jw_obj(w, NULL);
        jw_str(w, "part", solve_part_id(r[i].part));
        jw_str(w, "subject", r[i].subject);
        jw_str(w, "text", r[i].text);
        jw_obj_end(w);
    }
    jw_arr_end(w);
}

static void offer(struct jw *w, const struct solve_offer *o)
{
    jw_obj(w, NULL);
    jw_str(w, "tensorflow", o->tensorflow);
    jw_str(w, "python", o->python);
    jw_str(w, "cuda", o->cuda);
    jw_str(w, "cudnn", o->cudnn);
    jw_str(w, "engine", solve_engine_id(o->engine));
    pins(w, o->pins, o->n_pins);
    jw_arr(w, "gives");
    for (size_t i = 0; i < o->n_gives; i++) {
        jw_obj(w, NULL);
        jw_str(w, "gpu", o->gives[i].gpu->name);
        jw_u64(w, "cc", o->gives[i].gpu->cc);
        jw_str(w, "code", o->gives[i].code == SOLVE_JIT ? "jit" : "native");
        jw_obj_end(w);
    }
    jw_arr_end(w);
    jw_arr(w, "known_defects");
    for (size_t i = 0; i < o->n_defects; i++) {
        jw_obj(w, NULL);
        jw_str(w, "id", o->defects[i].id);
        jw_str(w, "text", o->defects[i].text);
        strings(w, "values", o->defects[i].values, o->defects[i].n_values);
        jw_obj_end(w);
    }
    jw_arr_end(w);
    jw_str(w, "driver_min", o->driver_min);
    if (o->driver_last)
        jw_u64(w, "driver_last", o->driver_last);
    else
        jw_null(w, "driver_last");
    jw_str(w, "glibc_min", o->glibc_min);
    strings(w, "cpu", o->cpu, o->n_cpu);
    jw_obj(w, "together");
    for (size_t i = 0; i < o->n_together; i++)
        jw_str(w, o->together[i].name, o->together[i].spec);
    jw_obj_end(w);
    jw_arr(w, "apart");
    for (size_t i = 0; i < o->n_apart; i++) {
        jw_obj(w, NULL);
        jw_str(w, "name", o->apart[i].name);
        jw_str(w, "version", o->apart[i].version);
        jw_str(w, "python", o->apart[i].python);
        pins(w, o->apart[i].pins, o->apart[i].n_pins);
        jw_obj_end(w);
    }
    jw_arr_end(w);
    jw_obj_end(w);
}

static void asked(struct jw *w, const struct solve_ask *ask)
{
    static const char *const systems[] = {"linux", "wsl", "macos"};
    jw_obj(w, "asked");
    jw_str(w, "os", systems[ask->os]);
    jw_str(w, "machine", ask->machine);
    jw_arr(w, "gpus");
    for (size_t i = 0; i < ask->n_gpus; i++) {
        jw_obj(w, NULL);
        jw_str(w, "name", ask->gpus[i].name);
        jw_u64(w, "cc", ask->gpus[i].cc);
        jw_obj_end(w);
    }
    jw_arr_end(w);
    jw_str(w, "driver", ask->driver);
    jw_str(w, "glibc", ask->glibc);
    jw_str(w, "python", ask->python);
    jw_str(w, "python_here", ask->python_here);
    jw_str(w, "tensorflow", ask->tf);
    jw_obj(w, "with");
    for (size_t i = 0; i < ask->n_with; i++)
        jw_str(w, ask->with[i].name, ask->with[i].spec);
    jw_obj_end(w);
    jw_obj_end(w);
}

static void online(struct jw *w, const struct solve_online *o)
{
    if (!o) {
        jw_null(w, "online");
        return;
    }
    jw_obj(w, "online");
    jw_str(w, "index", o->index);
    jw_u64(w, "projects", o->n_projects);
    strings(w, "added", o->added, o->n_added);
    strings(w, "unread", o->unread, o->n_unread);
    strings(w, "gone", o->gone, o->n_gone);
    jw_obj_end(w);
}

void report_solved_json(const struct solve_ask *ask, const struct solve_answer *x, struct buf *out)
{
    struct jw w;
    jw_init(&w, out);
    jw_obj(&w, NULL);
    jw_str(&w, "schema", "tfgpu.solve/1");
    asked(&w, ask);
    jw_arr(&w, "offers");
    for (size_t i = 0; i < x->n_offers; i++)
        offer(&w, &x->offers[i]);
    jw_arr_end(&w);
    reasons(&w, "reason", x->reasons, x->n_reasons);
    jw_arr(&w, "changes");
    for (size_t i = 0; i < x->n_changes; i++) {
        jw_obj(&w, NULL);
        jw_arr(&w, "steps");
        for (size_t k = 0; k < x->changes[i].n_steps; k++) {
            const struct solve_step *s = &x->changes[i].steps[k];
            jw_obj(&w, NULL);
            jw_str(&w, "part", solve_part_id(s->part));
            jw_str(&w, "subject", s->subject);
            jw_str(&w, "value", s->value);
            jw_str(&w, "text", s->text);
            jw_obj_end(&w);
        }
        jw_arr_end(&w);
        jw_str(&w, "then", x->changes[i].then);
        jw_obj_end(&w);
    }
    jw_arr_end(&w);
    reasons(&w, "newer", x->newer, x->n_newer);
    strings(&w, "notes", x->notes, x->n_notes);
    online(&w, ask->online);
    jw_obj_end(&w);
    buf_addc(out, '\n');
}
