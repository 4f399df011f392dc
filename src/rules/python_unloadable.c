/* SPDX-License-Identifier: Apache-2.0 */
/* python_unloadable - a file of the import that the loader refuses, when no rule with a better reason has said so. */
#include <string.h>
#include "rules/python_rules.h"

static bool is_explained(const struct judge *g)
{
    for (size_t i = 0; i < g->n_found; i++)
        if (g->found[i]->severity == SEV_BROKEN && g->found[i]->prevents == PREVENTS_IMPORT)
            return true;
    return false;
}

static const struct fact_module_load *failing(const struct fact_tensorflow *t)
{
    for (size_t i = 0; i < t->n_modules; i++) {
        enum fact_outcome o = t->modules[i].outcome;
        if (o == FACT_OUTCOME_MISSING || o == FACT_OUTCOME_FAILS || o == FACT_OUTCOME_KILLS)
            return &t->modules[i];
    }
    return NULL;
}

/* Does the package itself own it: a file in its folder, or a library that only it has? */
static bool is_own(const struct judge *g, const char *file, const char *name)
{
    const char *dir = g->f->tensorflow.package_dir;
    return (dir && file && str_starts(file, dir)) || str_starts(name, "libtensorflow");
}

void py_rule_unloadable(struct judge *g)
{
    const struct fact_module_load *m = failing(&g->f->tensorflow);
    if (!py_has_tf(g->f) || !m || is_explained(g))
        return;
    const char *file = m->culprit_file ? m->culprit_file : m->culprit ? NULL : m->path;
    const char *name = m->culprit ? m->culprit : path_base(file);
    const char *message = m->message ? m->message : m->signal ? m->signal : fact_outcome_id(m->outcome);
    struct finding *x = judge_find(g, CAUSE_IMPORT_LIB_UNLOADABLE, name);
    x->tags |= is_own(g, file, name) ? FIX_A : file ? FIX_C : FIX_B;
    x->dies = m->signal;
    py_bind_env(g, x);
    judge_bind(g, x, "module", "%s", path_base(m->path));
    judge_bind(g, x, "message", "%s", message);
    judge_bind(g, x, "path", "%s", file ? file : name);
    judge_evidence(g, x, "tensorflow.modules", file ? file : m->path, "%s", message);
}
