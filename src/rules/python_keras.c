/* SPDX-License-Identifier: Apache-2.0 */
/* python_keras - a setting of Keras at which the import of TensorFlow ends. Pure. */
#include "base/i18n.h"
#include "rules/python_rules.h"

static const char *reason(struct arena *a, const struct fact_keras_config *c)
{
    if (str_eq(c->key, "backend"))
        return arena_printf(a, _("the installed Keras has no backend '%s'"), c->value);
    if (str_eq(c->key, "number"))
        return arena_printf(a, _("'%s' is no whole number"), c->value);
    if (str_eq(c->key, "document"))
        return arena_printf(a, _("it holds %s, and no object {…}"), c->value);
    if (str_eq(c->key, "unreadable"))
        return arena_printf(a, _("it cannot be read: %s"), c->value);
    if (c->number)
        return arena_printf(a, _("\"%s\" is %s, which needs a point or an exponent, as in 1e-07"), c->key, c->value);
    return arena_printf(a, _("\"%s\" cannot be %s"), c->key, c->value);
}

void py_rule_keras_config(struct judge *g)
{
    const struct fact_keras_config *c = &g->f->tensorflow.keras_config;
    const char *where = c->variable ? c->variable : c->path;
    if (!py_has_tf(g->f) || !c->key)
        return;
    if (c->unclear) {
        judge_unknown(g, 3, _("%s: %s; whether the import goes on with it shows only when it is tried: tfgpu check --prove"), where, reason(g->a, c));
        return;
    }
    struct finding *x = judge_find(g, CAUSE_KERAS_CONFIG_INVALID, where);
    x->tags |= c->variable ? FIX_A : FIX_B;
    py_bind_env(g, x);
    judge_bind(g, x, "reason", "%s", reason(g->a, c));
    judge_evidence(g, x, "tensorflow.keras_config", c->path, "%s: %s", c->variable ? c->variable : c->key, c->value);
}
