/* SPDX-License-Identifier: Apache-2.0 */
/* python_shell - rules of layer 3: what plain commands and notebooks run, against the environment that is judged. Pure. */
#include <string.h>
#include "base/i18n.h"
#include "rules/python_rules.h"

static bool is_python_name(const char *s)
{
    return str_eq(s, "python") || str_eq(s, "python3") || str_eq(s, "pip") || str_eq(s, "pip3");
}

/* The commands that lead elsewhere while an environment is active: one finding, python before pip. */
void py_rule_shell(struct judge *g)
{
    const struct facts *f = g->f;
    struct finding *x = NULL;
    if (!f->env_active || !f->python.prefix)
        return;
    for (size_t i = 0; i < f->n_commands; i++) {
        const struct fact_command *c = &f->commands[i];
        if (!is_python_name(c->name) || !c->prefix || str_eq(c->prefix, f->python.prefix))
            continue;
        if (!x) {
            x = judge_find(g, CAUSE_SHELL_PYTHON_NOT_ENV, c->name);
            x->tags |= c->set_in ? FIX_A : str_starts(c->name, "pip") ? FIX_B : FIX_C;
            py_bind_env(g, x);
            judge_bind(g, x, "target", "%s", c->target ? c->target : c->path ? c->path : "?");
            judge_bind(g, x, "set_in", "%s", c->set_in ? c->set_in : "");
        }
        judge_evidence(g, x, "commands.target", c->set_in ? c->set_in : c->path, "%s -> %s", c->name, c->target ? c->target : "?");
    }
}

static const struct fact_kernel *kernel_of(const struct facts *f)
{
    for (size_t i = 0; i < f->n_kernels; i++)
        if (f->kernels[i].prefix && str_eq(f->kernels[i].prefix, f->python.prefix))
            return &f->kernels[i];
    return NULL;
}

/* Letters, digits, "-", "_" and "." only: what a kernel may be called. */
static const char *kernel_name(struct judge *g, const char *prefix)
{
    char *s = arena_strdup(g->a, path_base(prefix));
    for (char *c = s; *c; c++)
        if (!((*c >= '0' && *c <= '9') || ((*c | 0x20) >= 'a' && (*c | 0x20) <= 'z') || *c == '-' || *c == '_' || *c == '.'))
            *c = '-';
    return *s == '.' || !*s ? "tf" : s;
}

void py_rule_kernel_env(struct judge *g)
{
    const struct facts *f = g->f;
    if (!py_has_tf(f) || !f->n_kernels || f->python.kernel || !f->python.prefix || kernel_of(f))
        return;
    const struct fact_kernel *k = &f->kernels[0];
    for (size_t i = 0; i < f->n_kernels; i++)
        if (str_eq(f->kernels[i].name, "python3"))
            k = &f->kernels[i];
    struct finding *x = judge_find(g, CAUSE_JUPYTER_WRONG_KERNEL_ENV, k->name);
    py_bind_env(g, x);
    judge_bind(g, x, "target", "%s", k->python ? k->python : arena_printf(g->a, _("%s (which does not exist)"), k->argv0 ? k->argv0 : "?"));
    judge_bind(g, x, "kernel_name", "%s", kernel_name(g, f->python.prefix));
    for (size_t i = 0; i < f->n_kernels; i++)
        judge_evidence(g, x, "kernels.python", f->kernels[i].file, "%s -> %s", f->kernels[i].name, f->kernels[i].python ? f->kernels[i].python : "?");
}

void py_rule_kernel_vars(struct judge *g)
{
    const struct facts *f = g->f;
    const struct fact_kernel *k = kernel_of(f);
    const struct fact_library *needs = NULL;
    if (!k || k->ld_library_path || !f->ld_library_path || f->python.kernel || !str_eq(f->ld_library_path_from, "caller"))
        return;
    for (size_t i = 0; i < f->n_libraries && !needs; i++)
        if (f->libraries[i].mandatory && str_eq(f->libraries[i].rule, "ld_library_path"))
            needs = &f->libraries[i];
    if (!needs)
        return;
    struct finding *x = judge_find(g, CAUSE_JUPYTER_KERNEL_MISSING_ENV_VARS, k->name);
    py_bind_env(g, x);
    judge_bind(g, x, "library", "%s", needs->soname);
    judge_bind(g, x, "file", "%s", k->file);
    judge_bind(g, x, "value", "%s", f->ld_library_path);
    judge_evidence(g, x, "kernels.ld_library_path", k->file, _("not set there"));
    judge_evidence(g, x, "libraries.rule", needs->path, "%s: %s", needs->soname, needs->rule);
}
