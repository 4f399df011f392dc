/* SPDX-License-Identifier: Apache-2.0 */
/* jupyter - the Jupyter kernels of this machine: listed, and mended where they lead nowhere or astray. */
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "act/jupyter.h"
#include "base/i18n.h"
#include "base/json.h"
#include "base/util.h"
#include "cmd/action.h"
#include "cmd/cmd.h"
#include "report/wrap.h"

struct kernels { struct kernel_use *v; size_t n; };

/* -- list ------------------------------------------------------------------------------------------------------------------ */

/* One that can be mended by its file alone. */
static bool is_stale(const struct kernel_use *u)
{
    return u->is_python && (u->fault == KERNEL_GONE || u->fault == KERNEL_OTHER || u->fault == KERNEL_MIXED);
}

static void list_json(const struct kernels *ks, struct buf *out)
{
    struct jw w;
    jw_init(&w, out);
    jw_obj(&w, NULL);
    jw_str(&w, "schema", "tfgpu.kernels/1");
    jw_arr(&w, "kernels");
    for (size_t i = 0; i < ks->n; i++) {
        const struct kernel_use *u = &ks->v[i];
        jw_obj(&w, NULL);
        jw_str(&w, "name", u->k.name);
        jw_str(&w, "display_name", u->k.spec.display_name);
        jw_str(&w, "file", u->k.file);
        jw_str(&w, "program", u->program);
        jw_str(&w, "python", u->is_python ? u->k.python : NULL);
        jw_str(&w, "python_version", u->version);
        jw_str(&w, "prefix", u->prefix);
        jw_str(&w, "tensorflow", u->tensorflow);
        jw_str(&w, "fault", kernel_fault_id(u->fault));
        jw_bool(&w, "stale", is_stale(u));
        jw_bool(&w, "hidden", u->is_hidden);
        jw_str(&w, "should", u->should);
        jw_obj_end(&w);
    }
    jw_arr_end(&w);
    jw_obj_end(&w);
    buf_addc(out, '\n');
}

static const char *python_of(struct arena *a, const struct kernel_use *u)
{
    const char *version = u->version ? arena_printf(a, "Python %s", u->version) : _("Python of an unknown version");
    return arena_printf(a, "%s, %s", version, u->tensorflow ? arena_printf(a, "TensorFlow %s", u->tensorflow) : _("no TensorFlow"));
}

static const char *state_of(struct arena *a, const struct kernel_use *u)
{
    switch (u->fault) {
    case KERNEL_FINE: break;
    case KERNEL_UNREADABLE: return _("its kernel.json cannot be read, or is none");
    case KERNEL_GONE: return arena_printf(a, _("cannot start: %s is gone"), u->program);
    case KERNEL_BROKEN: return arena_printf(a, _("cannot start: %s does not work"), u->k.python);
    case KERNEL_OTHER: return arena_printf(a, _("starts the Python of another environment: %s"), u->k.python);
    case KERNEL_MIXED: return arena_printf(a, _("starts %s, but mixes in the packages of %s (its VIRTUAL_ENV)"), u->k.python, u->virtual_env);
    case KERNEL_NO_IPYKERNEL: return arena_printf(a, _("cannot start: %s has no ipykernel"), u->k.python);
    }
    if (!u->is_python)
        return arena_printf(a, _("not Python: %s"), u->program);
    return u->k.python ? python_of(a, u) : arena_printf(a, _("starts the %s of the Jupyter that it is chosen in"), u->program);
}

static const char *advice(struct arena *a, const struct kernel_use *u)
{
    if (u->fault == KERNEL_NO_IPYKERNEL)
        return arena_printf(a, _("to mend it: %s -m pip install ipykernel"), u->k.python);
    if (!is_stale(u))
        return NULL;
    return u->should ? arena_printf(a, _("'tfgpu jupyter repair' lets it start %s"), u->should) : _("'tfgpu jupyter repair' removes it");
}

static void line(struct cmd_ctx *c, struct buf *out, const char *text)
{
    buf_adds(out, "    ");
    wrap_text(out, text, 4, 4, c->term.width);
    buf_addc(out, '\n');
}

static void list_text(struct cmd_ctx *c, const struct kernels *ks, struct buf *out)
{
    bool bad = false;
    if (ks->n == 0)
        buf_add_line(out, "%s", _("no Jupyter kernel was found"));
    for (size_t i = 0; i < ks->n; i++) {
        const struct kernel_use *u = &ks->v[i];
        const char *more = advice(c->a, u);
        bad = bad || u->fault != KERNEL_FINE;
        buf_adds(out, u->fault == KERNEL_FINE ? "  " : "! ");
        wrap_text(out, arena_printf(c->a, "%s: %s", u->k.name, state_of(c->a, u)), 2, 4, c->term.width);
        buf_addc(out, '\n');
        if (u->fault == KERNEL_FINE && u->is_python && u->k.python)
            line(c, out, u->k.python);
        line(c, out, u->is_hidden ? arena_printf(c->a, _("%s (Jupyter takes the one above)"), u->k.file) : u->k.file);
        if (more)
            line(c, out, more);
    }
    if (bad)
        buf_addf(out, "\n%s\n", _("! is a kernel that does not start what it should"));
}

static int list(struct cmd_ctx *c, const struct kernels *ks)
{
    struct buf out;
    if (c->n_args > 1 || c->o.env || c->o.dry_run || c->o.yes)
        return cmd_fail(c, EXIT_USAGE, _("'tfgpu jupyter list' takes no kernels and changes nothing"));
    buf_init(&out, 0);
    if (c->o.format == FORMAT_JSON)
        list_json(ks, &out);
    else
        list_text(c, ks, &out);
    int r = cmd_print(c, &out);
    buf_done(&out);
    return r;
}

/* -- repair ---------------------------------------------------------------------------------------------------------------- */

/* Its file can be changed by this user, and no link leads away on the way. */
static bool is_ours(struct probe *p, const struct kernel_use *u)
{
    struct root_stat st;
    return root_lstat(p->root, u->k.folder, &st) == 0 && st.type == ROOT_DIR && root_access(p->root, u->k.folder, W_OK | X_OK) == 0;
}

static int add(struct cmd_ctx *c, struct probe *p, const struct kernel_use *u, const char *to, struct plan *plan)
{
    struct err e = {0};
    if (!is_ours(p, u))
        return cmd_fail(c, EXIT_BROKEN, _("%s: this user may not change it, or it is a link"), u->k.folder);
    if (jupyter_repair(c->a, p->root, u, to, plan, &e) < 0)
        return cmd_fail(c, EXIT_UNDETERMINED, "%s", e.msg);
    return EXIT_GOOD;
}

static const struct kernel_use *named(const struct kernels *ks, const char *name)
{
    const struct kernel_use *first = NULL;
    for (size_t i = 0; i < ks->n; i++)
        if (strcasecmp(ks->v[i].k.name, name) == 0) {
            if (is_stale(&ks->v[i]))
                return &ks->v[i];
            first = first ? first : &ks->v[i];
        }
    return first;
}

static int add_named(struct cmd_ctx *c, struct probe *p, const struct kernels *ks, const char *to, struct plan *plan)
{
    int r = EXIT_GOOD;
    for (size_t i = 1; r == EXIT_GOOD && i < c->n_args; i++) {
        const struct kernel_use *u = named(ks, c->args[i]);
        if (!u)
            return cmd_fail(c, EXIT_USAGE, _("there is no Jupyter kernel '%s'; 'tfgpu jupyter list' shows what there is"), c->args[i]);
        if (to && !u->is_python)
            return cmd_fail(c, EXIT_BROKEN, _("kernel '%s' is none that is pointed to a Python: %s"), u->k.name, state_of(c->a, u));
        if (!to && u->fault == KERNEL_NO_IPYKERNEL)
            return cmd_fail(c, EXIT_BROKEN, _("kernel '%s': %s; %s"), u->k.name, state_of(c->a, u), advice(c->a, u));
        if (!to && !is_stale(u))
            return cmd_fail(c, EXIT_BROKEN, _("kernel '%s' needs no repair, or none that its file can give: %s"), u->k.name, state_of(c->a, u));
        r = add(c, p, u, to ? to : u->should, plan);
    }
    return r;
}

/* All that are stale; those that this user may not change are told and left. */
static int add_stale(struct cmd_ctx *c, struct probe *p, const struct kernels *ks, struct plan *plan)
{
    int left = EXIT_GOOD;
    for (size_t i = 0; i < ks->n; i++) {
        int r = is_stale(&ks->v[i]) ? add(c, p, &ks->v[i], ks->v[i].should, plan) : EXIT_GOOD;
        left = r == EXIT_GOOD ? left : r;
    }
    return plan->n_steps ? EXIT_GOOD : left;
}

static int carry_out(struct cmd_ctx *c, const struct plan *plan)
{
    struct act x;
    int r = action_run(c, plan, &x);
    return r == EXIT_GOOD ? action_finish(c, &x) : r;
}

/* One that was cut short is taken to its end first: it was agreed to. */
static int finish_earlier(struct cmd_ctx *c, const struct plan *plan, bool *ret)
{
    struct err e = {0};
    if (act_is_pending(c->a, plan, ret, NULL, &e) < 0)
        return cmd_fail(c, EXIT_UNDETERMINED, "%s", e.msg);
    return *ret && !c->o.dry_run ? carry_out(c, plan) : EXIT_GOOD;
}

static int done(struct cmd_ctx *c, const char *text)
{
    struct buf out;
    buf_init(&out, 0);
    buf_add_line(&out, "%s", text);
    int r = cmd_print(c, &out);
    buf_done(&out);
    return r;
}

static int look(struct cmd_ctx *c, struct probe *p, struct kernels *ks)
{
    *p = (struct probe){0};
    int r = cmd_probe(c, NEED_PYTHON, p);
    if (r == EXIT_GOOD)
        kernel_uses(p, &ks->v, &ks->n);
    return r;
}

static int repair(struct cmd_ctx *c, struct probe *p, struct kernels *ks)
{
    const char *subject = jupyter_folder(c->a, p->root), *to;
    struct plan plan = {.command = "tfgpu jupyter repair", .subject = subject ? subject : "/"};
    bool earlier = false, go = false;
    if (c->o.root || c->o.format != FORMAT_TEXT)
        return cmd_fail(c, EXIT_USAGE, _("'tfgpu jupyter repair' works on this machine and takes no --root and no --format"));
    if (c->o.env && c->n_args < 2)
        return cmd_fail(c, EXIT_USAGE, _("which kernel is to start it? tfgpu jupyter repair KERNEL --env %s"), c->o.env);
    int r = finish_earlier(c, &plan, &earlier);
    if (r == EXIT_GOOD && earlier) { /* what the root has read is kept; now it is otherwise */
        root_close(p->root);
        r = look(c, p, ks);
    }
    if (r != EXIT_GOOD)
        return r;
    to = c->o.env ? p->f->python.exe : NULL;
    if (to && !kernel_can_run(p, to))
        return cmd_fail(c, EXIT_BROKEN, _("%s has no ipykernel, or does not work; first: %s -m pip install ipykernel"), to, to);
    r = c->n_args > 1 ? add_named(c, p, ks, to, &plan) : add_stale(c, p, ks, &plan);
    if (r != EXIT_GOOD)
        return r;
    if (plan.n_steps == 0)
        return done(c, _("no kernel needs repair"));
    r = action_agree(c, &plan, &go);
    return r == EXIT_GOOD && go ? carry_out(c, &plan) : r;
}

int cmd_jupyter(struct cmd_ctx *c)
{
    struct probe p = {0};
    struct kernels ks = {0};
    bool repairs = str_eq(c->args[0], "repair");
    if (!repairs && !str_eq(c->args[0], "list"))
        return cmd_fail(c, EXIT_USAGE, _("unknown action '%s'; there are 'tfgpu jupyter list' and 'tfgpu jupyter repair'"), c->args[0]);
    int r = look(c, &p, &ks);
    if (r != EXIT_GOOD)
        return r;
    r = repairs ? repair(c, &p, &ks) : list(c, &ks);
    root_close(p.root);
    return r;
}
