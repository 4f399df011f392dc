/* SPDX-License-Identifier: Apache-2.0 */
/* pthcode_cond - conditions on variables of the environment: `os.environ.get('X') and …`, `'X' in os.environ or …`. */
#include <string.h>
#include "formats/pthcode_internal.h"

static const char *variable(const struct parser *p, const char *name)
{
    return p->scope->getenv(p->scope->getenv_ctx, name);
}

/* os.environ.get(NAME[, DEFAULT]), os.getenv(…): NULL in *ret is None. */
static bool get(struct parser *p, const char **ret)
{
    struct value v;
    struct strings args;
    if (!pthcode_primary(p, &v) || !(v.kind == K_GETENV || (v.kind == K_ENVIRON && TAKE(p, ".", "get"))) || !pthcode_take(p, "("))
        return false;
    const struct tok *at = p->t;
    if (!pthcode_string_list(p, ")", &args)) {
        p->t = at;
        args = (struct strings){0};
        const char *name;
        if (!pthcode_string(p, &name) || !TAKE(p, ",", "None", ")"))
            return false;
        *ARENA_PUSH(p->a, args.v, args.n) = name;
    }
    if (args.n != 1 && args.n != 2)
        return false;
    *ret = variable(p, args.v[0]);
    *ret = *ret || args.n == 1 ? *ret : args.v[1];
    return true;
}

/* == 'x', != 'x', is None, is not None, or nothing: is it filled? */
static bool compared(struct parser *p, const char *have, bool *ret)
{
    const char *want;
    bool equal = pthcode_take(p, "==");
    if (equal || pthcode_take(p, "!=")) {
        if (!pthcode_string(p, &want))
            return false;
        *ret = str_eq(have, want) == equal;
        return true;
    }
    if (pthcode_take(p, "is")) {
        bool has_not = pthcode_take(p, "not");
        *ret = (have == NULL) != has_not;
        return pthcode_take(p, "None");
    }
    *ret = have && *have;
    return true;
}

static bool is_in(struct parser *p, bool *ret)
{
    const char *name;
    struct value v;
    if (!pthcode_string(p, &name))
        return false;
    bool has_not = pthcode_take(p, "not");
    if (!pthcode_take(p, "in") || !pthcode_primary(p, &v) || v.kind != K_ENVIRON)
        return false;
    *ret = (variable(p, name) != NULL) != has_not;
    return true;
}

bool pthcode_condition(struct parser *p, bool *ret)
{
    const struct tok *at = p->t;
    const char *have;
    if (!p->scope->getenv)
        return false;
    bool has_not = pthcode_take(p, "not");
    const struct tok *from = p->t;
    bool known = get(p, &have) && compared(p, have, ret);
    if (!known) {
        p->t = from;
        known = is_in(p, ret);
    }
    *ret = known && *ret != has_not;
    if (known && (pthcode_take(p, "and") || pthcode_take(p, "or"))) {
        bool is_and = pthcode_is(p->t - 1, "and");
        *ret = *ret == is_and;
        return true;
    }
    p->t = at;
    return false;
}
