/* SPDX-License-Identifier: Apache-2.0 */
/* pthcode_calls - statements that end the interpreter, raise an exception or load a library. It knows nothing of sys.path. */
#include <string.h>
#include "formats/pthcode_internal.h"

/* What lies between here and the bracket that closes, which has to be the end of the statement. */
static bool rest_of_call(struct parser *p)
{
    unsigned depth = 1;
    for (; !pthcode_at_end(p) && depth; p->t++) {
        depth += pthcode_is(p->t, "(") || pthcode_is(p->t, "[") || pthcode_is(p->t, "{");
        depth -= pthcode_is(p->t, ")") || pthcode_is(p->t, "]") || pthcode_is(p->t, "}");
    }
    return !depth && pthcode_at_end(p);
}

static const struct { const char *name; int32_t number; } signals[] = {
    {"SIGHUP", 1}, {"SIGINT", 2}, {"SIGQUIT", 3}, {"SIGILL", 4}, {"SIGABRT", 6}, {"SIGBUS", 7}, {"SIGFPE", 8}, {"SIGKILL", 9}, {"SIGSEGV", 11}, {"SIGTERM", 15},
};

const char *pthcode_signal(int32_t number)
{
    for (size_t i = 0; i < TG_COUNT(signals); i++)
        if (signals[i].number == number)
            return signals[i].name;
    return NULL;
}

/* A number, or its name in the module `signal`. SIGINT is an exception in Python. */
static bool signal_number(struct parser *p, int32_t *ret)
{
    if (!pthcode_at_end(p) && p->t->kind == TOK_NUMBER) {
        *ret = p->t++->number;
        return pthcode_signal(*ret) && *ret != 2;
    }
    struct value *v = pthcode_at_end(p) ? NULL : pthcode_lookup(p, p->t->src);
    if (!v || v->kind != K_SIGNAL || p->t + 2 >= p->end || !pthcode_is(p->t + 1, "."))
        return false;
    p->t += 2;
    for (size_t i = 0; i < TG_COUNT(signals); i++)
        if (pthcode_take(p, signals[i].name)) {
            *ret = signals[i].number;
            return *ret != 2;
        }
    return false;
}

/* Another program in the place of this one; a Python may go on with the import. */
static bool another_program(struct parser *p)
{
    const char *program;
    return pthcode_string(p, &program) && *program == '/' && !strstr(path_base(program), "python") && !pthcode_at_end(p) && rest_of_call(p);
}

/* sys.exit(…), os._exit(…), os.abort(), os.kill(os.getpid(), …), signal.raise_signal(…) */
static bool ends(struct parser *p, int32_t *ret_signal)
{
    struct value v, w;
    *ret_signal = 0;
    if (!pthcode_primary(p, &v) || !pthcode_take(p, "("))
        return false;
    switch (v.kind) {
    case K_EXIT:
        return rest_of_call(p);
    case K_EXEC:
        return another_program(p);
    case K_ABORT:
        *ret_signal = 6;
        return rest_of_call(p);
    case K_KILL:
        return pthcode_primary(p, &w) && w.kind == K_GETPID && TAKE(p, "(", ")", ",") && signal_number(p, ret_signal) && rest_of_call(p);
    case K_RAISE_SIGNAL:
        return signal_number(p, ret_signal) && rest_of_call(p);
    default:
        return false;
    }
}

/* site takes every exception but those that are not of the class Exception. */
static bool raises(struct parser *p, bool *ret_ends)
{
    static const char *const base[] = {"SystemExit", "KeyboardInterrupt", "GeneratorExit", "BaseException"};
    static const char *const others[] = {"Error", "Exception", "Warning", "StopIteration"};
    if (pthcode_at_end(p) || p->t->kind != TOK_NAME || pthcode_lookup(p, p->t->src))
        return false;
    struct str name = p->t++->src;
    bool known = false;
    *ret_ends = false;
    for (size_t i = 0; i < TG_COUNT(base); i++)
        *ret_ends |= name.n == strlen(base[i]) && !memcmp(name.p, base[i], name.n);
    for (size_t i = 0; i < TG_COUNT(others); i++) {
        size_t n = strlen(others[i]);
        known |= name.n >= n && !memcmp(name.p + name.n - n, others[i], n);
    }
    return (known || *ret_ends) && (pthcode_at_end(p) || pthcode_is(p->t, "(") || pthcode_is(p->t, "from"));
}

bool pthcode_ends(struct parser *p)
{
    int32_t signal;
    bool leaves;
    const struct tok *at = p->t;
    if (pthcode_take(p, "raise")) {
        if (!raises(p, &leaves))
            return false;
        pthcode_effect(p, leaves ? PTHCODE_EXIT : PTHCODE_ERROR);
        return true;
    }
    if (!ends(p, &signal)) {
        p->t = at;
        return false;
    }
    pthcode_effect(p, PTHCODE_EXIT)->from = signal;
    return true;
}

/* ctypes.CDLL('x'), ctypes.cdll.LoadLibrary('x'), the result bound to a name or not. */
bool pthcode_loads(struct parser *p)
{
    struct value v;
    const char *text;
    struct strings items = {0};
    const struct tok *at = p->t;
    if (p->t->kind == TOK_NAME && p->t + 1 < p->end && pthcode_is(p->t + 1, "="))
        p->t += 2;
    bool load = pthcode_primary(p, &v) && v.kind == K_CDLL && pthcode_take(p, "(") && pthcode_string(p, &text) &&
                (pthcode_take(p, ")") ? pthcode_at_end(p) : pthcode_take(p, ",") && rest_of_call(p));
    if (!load) {
        p->t = at;
        return false;
    }
    *ARENA_PUSH(p->a, items.v, items.n) = text;
    struct pthcode_effect *x = pthcode_effect(p, PTHCODE_LOAD);
    x->items = items.v;
    x->n_items = 1;
    return true;
}
