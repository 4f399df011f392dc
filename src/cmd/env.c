/* SPDX-License-Identifier: Apache-2.0 */
/* env - `env list`: the Python environments of this machine and what each would do. */
#include <string.h>
#include "base/i18n.h"
#include "base/json.h"
#include "cmd/cmd.h"
#include "report/wrap.h"

static void list_json(const struct facts *f, struct buf *out)
{
    struct jw w;
    jw_init(&w, out);
    jw_obj(&w, NULL);
    jw_str(&w, "schema", "tfgpu.envs/1");
    jw_arr(&w, "environments");
    for (size_t i = 0; i < f->n_environments; i++) {
        const struct fact_env_entry *e = &f->environments[i];
        jw_obj(&w, NULL);
        jw_str(&w, "name", e->name);
        jw_str(&w, "kind", fact_env_kind_id(e->kind));
        jw_str(&w, "prefix", e->prefix);
        jw_str(&w, "python", e->python);
        jw_str(&w, "python_version", e->version);
        jw_str(&w, "state", fact_state_id(e->state));
        jw_str(&w, "tensorflow", e->tensorflow);
        jw_bool(&w, "selected", e->selected);
        jw_str(&w, "why", e->why);
        jw_obj_end(&w);
    }
    jw_arr_end(&w);
    jw_obj_end(&w);
    buf_addc(out, '\n');
}

/* What `import tensorflow` gives there. */
static const char *outcome(struct arena *a, const struct fact_env_entry *e)
{
    switch (e->state) {
    case FACT_PRESENT: break;
    case FACT_ABSENT: return _("broken: its interpreter is gone");
    case FACT_DENIED: return _("its interpreter may not be executed by this user");
    case FACT_MALFORMED: return _("broken: its standard library is not found");
    case FACT_UNKNOWN: return "";
    }
    return e->tensorflow ? arena_printf(a, "TensorFlow %s", e->tensorflow) : _("no TensorFlow");
}

static void list_text(struct cmd_ctx *c, const struct facts *f, struct buf *out)
{
    if (f->n_environments == 0)
        buf_addf(out, "%s\n", _("no Python environment was found"));
    for (size_t i = 0; i < f->n_environments; i++) {
        const struct fact_env_entry *e = &f->environments[i];
        buf_adds(out, e->selected ? "* " : "  ");
        const char *version = e->version ? arena_printf(c->a, "Python %s", e->version) : _("Python of an unknown version");
        wrap_text(out, arena_printf(c->a, "%s (%s, %s): %s", e->name, fact_env_kind_id(e->kind), version, outcome(c->a, e)), 2, 4, c->term.width);
        buf_adds(out, "\n    ");
        const char *where = str_eq(e->name, e->prefix) ? e->python : e->prefix;
        wrap_text(out, arena_printf(c->a, "%s, %s", where, e->why ? e->why : ""), 4, 4, c->term.width);
        buf_addc(out, '\n');
    }
    if (f->n_environments)
        buf_addf(out, "\n%s\n", _("* is what 'tfgpu check' judges; choose another with --env"));
}

int cmd_env(struct cmd_ctx *c)
{
    struct probe p = {0};
    struct buf out;
    if (strcmp(c->args[0], "list") != 0)
        return cmd_fail(c, EXIT_USAGE, _("unknown action '%s'; there is 'tfgpu env list'"), c->args[0]);
    int r = cmd_probe(c, NEED_ENVS, &p);
    if (r != EXIT_GOOD)
        return r;
    buf_init(&out, 0);
    if (c->o.format == FORMAT_JSON)
        list_json(p.f, &out);
    else
        list_text(c, p.f, &out);
    r = cmd_print(c, &out);
    buf_done(&out);
    root_close(p.root);
    return r;
}
