/* SPDX-License-Identifier: Apache-2.0 */
/* pthcode - what the statements of a line in a .pth file do to sys.path and the environment. What they are made of: pthcode_expr.c. */
#include "formats/pthcode.h"
#include <errno.h>
#include <string.h>
#include "formats/pthcode_internal.h"

enum { LINE_MAX_BYTES = 1 << 14 };

static bool sys_path(struct parser *p)
{
    const struct tok *at = p->t;
    struct value v;
    if (pthcode_primary(p, &v) && v.kind == K_SYS_PATH)
        return true;
    p->t = at;
    return false;
}

/* An index: a number, or the length of sys.path. */
static bool index_of(struct parser *p, int32_t *ret)
{
    if (TAKE(p, "len", "("))
        return *ret = PTHCODE_END, sys_path(p) && pthcode_take(p, ")");
    bool minus = pthcode_take(p, "-");
    if (pthcode_at_end(p) || p->t->kind != TOK_NUMBER || p->t->number < 0)
        return false;
    *ret = minus ? -p->t->number : p->t->number;
    p->t++;
    return true;
}

/* "[a:b]", "[a]": `one` tells them apart. */
static bool slice(struct parser *p, int32_t *from, int32_t *to, bool *one)
{
    *from = 0;
    *to = PTHCODE_END;
    *one = false;
    if (!pthcode_take(p, "[") || (p->t < p->end && !pthcode_is(p->t, ":") && !index_of(p, from)))
        return false;
    if (pthcode_take(p, "]")) {
        *one = true;
        return *from != PTHCODE_END;
    }
    return pthcode_take(p, ":") && ((p->t < p->end && pthcode_is(p->t, "]")) || index_of(p, to)) && pthcode_take(p, "]");
}

/* -- statements: true when understood as a whole ------------------------------------------------------------------------------ */

struct pthcode_effect *pthcode_effect(struct parser *p, enum pthcode_op op)
{
    struct pthcode_effect *x = ARENA_PUSH(p->a, p->out, p->n_out);
    *x = (struct pthcode_effect){.op = op}; /* may have been taken back */
    return x;
}

static bool done(struct parser *p, enum pthcode_op op, int32_t from, int32_t to, struct strings items)
{
    if (!pthcode_at_end(p))
        return false;
    struct pthcode_effect *x = pthcode_effect(p, op);
    x->from = from;
    x->to = to;
    x->items = items.v;
    x->n_items = items.n;
    return true;
}

/* Calls of sys.path's own methods; the position is behind the dot. */
static bool method(struct parser *p)
{
    struct strings items = {0};
    int32_t at;
    if (TAKE(p, "insert", "("))
        return index_of(p, &at) && pthcode_take(p, ",") && pthcode_string_list(p, ")", &items) && items.n == 1 && done(p, PTHCODE_SPLICE, at, at, items);
    if (TAKE(p, "append", "(")) {
        const struct tok *args = p->t;
        if (pthcode_string_list(p, ")", &items) && items.n == 1)
            return done(p, PTHCODE_SPLICE, PTHCODE_END, PTHCODE_END, items);
        p->t = args;
        pthcode_effect(p, PTHCODE_APPEND_UNKNOWN);
        return true;
    }
    if (TAKE(p, "extend", "(")) {
        if (pthcode_list(p, &items) && (pthcode_take(p, ",") || true) && pthcode_take(p, ")"))
            return done(p, PTHCODE_SPLICE, PTHCODE_END, PTHCODE_END, items);
        pthcode_effect(p, PTHCODE_APPEND_UNKNOWN);
        return true;
    }
    if (TAKE(p, "remove", "("))
        return pthcode_string_list(p, ")", &items) && items.n == 1 && done(p, PTHCODE_REMOVE, 0, 0, items);
    return false;
}

/* sys.path = [a] + sys.path + [b], sys.path = [a]: what is not there twice is spliced around what is. */
static bool rebuild(struct parser *p)
{
    struct strings before = {0}, after = {0};
    bool kept = false;
    do {
        struct strings part;
        if (sys_path(p)) {
            if (kept || (p->t < p->end && pthcode_is(p->t, "[") && !TAKE(p, "[", ":", "]")))
                return false;
            kept = true;
        } else if (pthcode_list(p, &part)) {
            struct strings *to = kept ? &after : &before;
            for (size_t i = 0; i < part.n; i++)
                *ARENA_PUSH(p->a, to->v, to->n) = part.v[i];
        } else {
            return false;
        }
    } while (pthcode_take(p, "+"));
    if (!kept)
        return done(p, PTHCODE_SPLICE, 0, PTHCODE_END, before);
    return done(p, PTHCODE_SPLICE, 0, 0, before) && done(p, PTHCODE_SPLICE, PTHCODE_END, PTHCODE_END, after);
}

static bool on_sys_path(struct parser *p, bool is_name)
{
    struct strings items;
    int32_t from, to;
    bool one;
    if (pthcode_take(p, "."))
        return method(p);
    if (pthcode_take(p, "+="))
        return pthcode_list(p, &items) && done(p, PTHCODE_SPLICE, PTHCODE_END, PTHCODE_END, items);
    if (!is_name && pthcode_take(p, "="))
        return rebuild(p);
    if (!slice(p, &from, &to, &one) || !pthcode_take(p, "=") || one)
        return false;
    if (from == 0 && to == PTHCODE_END)
        return rebuild(p);
    return pthcode_list(p, &items) && done(p, PTHCODE_SPLICE, from, to, items);
}

/* Behind an effect's call: `X in sys.path or …`, `X not in sys.path and …`. */
static bool on_condition(struct parser *p)
{
    const char *want;
    size_t before = p->n_out;
    if (!pthcode_string(p, &want))
        return false;
    bool has_not = pthcode_take(p, "not");
    if (!pthcode_take(p, "in") || !sys_path(p) || !pthcode_take(p, has_not ? "and" : "or") || !sys_path(p) || !pthcode_take(p, ".") || !method(p) || p->n_out != before + 1)
        return false;
    struct pthcode_effect *x = &p->out[before];
    x->unless_there = true;
    if (x->op == PTHCODE_SPLICE && x->n_items == 1 && strcmp(x->items[0], want) == 0)
        return true;
    p->n_out = before;
    return false;
}

static bool delete(struct parser *p)
{
    int32_t from, to;
    bool one;
    if (!sys_path(p) || !slice(p, &from, &to, &one))
        return false;
    return done(p, PTHCODE_SPLICE, from, !one ? to : from == -1 ? PTHCODE_END : from + 1, (struct strings){0});
}

static struct value module(struct str name)
{
    static const struct { const char *name; enum kind kind; } known[] = {{"sys", K_SYS}, {"site", K_SITE}, {"os", K_OS}, {"os.path", K_OS_PATH}, {"posixpath", K_OS_PATH},
                                                                     {"signal", K_SIGNAL}, {"ctypes", K_CTYPES}};
    for (size_t i = 0; i < TG_COUNT(known); i++)
        if (strlen(known[i].name) == name.n && !memcmp(known[i].name, name.p, name.n))
            return (struct value){known[i].kind, NULL};
    return (struct value){K_UNKNOWN, NULL};
}

/* "a.b.c": its text (blanks inside are not looked through), or n 0. */
static struct str dotted(struct parser *p)
{
    const struct tok *first = p->t;
    do {
        if (pthcode_at_end(p) || p->t->kind != TOK_NAME)
            return (struct str){0};
        p->t++;
    } while (pthcode_take(p, "."));
    const struct tok *last = p->t - 1;
    return (struct str){first->src.p, (size_t)(last->src.p + last->src.n - first->src.p)};
}

/* Modules that every Python has, and that run no code of others, need no look. */
static void has_to_be_there(struct parser *p, struct str name)
{
    static const char *const always[] = {"sys", "os", "site", "types", "importlib", "ctypes", "glob", "re", "io", "warnings", "signal", "pathlib", "builtins", "time"};
    struct strings items = {0};
    name.n = strcspn(name.p, ". \t;,)") < name.n ? strcspn(name.p, ". \t;,)") : name.n;
    for (size_t i = 0; i < TG_COUNT(always); i++)
        if (name.n == strlen(always[i]) && !memcmp(name.p, always[i], name.n))
            return;
    *ARENA_PUSH(p->a, items.v, items.n) = arena_strndup(p->a, name.p, name.n);
    struct pthcode_effect *x = pthcode_effect(p, PTHCODE_IMPORT);
    x->items = items.v;
    x->n_items = 1;
}

static bool import(struct parser *p)
{
    do {
        const struct tok *first = p->t;
        struct str name = dotted(p);
        if (!name.n)
            return false;
        has_to_be_there(p, first->src);
        if (!pthcode_take(p, "as")) {
            pthcode_bind(p, first->src, module(first->src)); /* a.b binds a */
        } else if (!pthcode_at_end(p)) {
            pthcode_bind(p, p->t->src, module(name));
            p->t++;
        }
    } while (pthcode_take(p, ","));
    return pthcode_at_end(p);
}

static bool import_from(struct parser *p)
{
    struct str name = dotted(p);
    enum kind from = name.n ? module(name).kind : K_UNKNOWN;
    if (!pthcode_take(p, "import"))
        return false;
    has_to_be_there(p, name);
    bool paren = pthcode_take(p, "(");
    do {
        const struct tok *what = p->t;
        struct value v = {K_UNKNOWN, NULL};
        if (pthcode_at_end(p) || what->kind != TOK_NAME)
            return false;
        p->t++;
        v.kind = pthcode_member(from, what);
        struct str as = what->src;
        if (pthcode_take(p, "as") && !pthcode_at_end(p))
            as = (p->t++)->src;
        pthcode_bind(p, as, v);
    } while (pthcode_take(p, ","));
    return (!paren || pthcode_take(p, ")")) && pthcode_at_end(p);
}

/* NAME = expression. What cannot be told leaves the name unknown. */
static bool assign(struct parser *p)
{
    struct str name = p->t->src;
    if (p->t->kind != TOK_NAME || p->t + 1 >= p->end || !pthcode_is(p->t + 1, "="))
        return false;
    p->t += 2;
    const struct tok *at = p->t;
    struct value v = {K_UNKNOWN, NULL};
    const char *text;
    bool known = pthcode_string(p, &text) && pthcode_at_end(p);
    if (known) {
        v = (struct value){K_STR, text};
    } else {
        p->t = at;
        known = pthcode_primary(p, &v) && pthcode_at_end(p) && v.kind != K_UNKNOWN;
    }
    pthcode_bind(p, name, known ? v : (struct value){K_UNKNOWN, NULL});
    return known;
}

static bool call_addsitedir(struct parser *p)
{
    struct value v;
    struct strings items;
    const struct tok *at = p->t;
    if (!pthcode_primary(p, &v) || v.kind != K_ADDSITEDIR || !pthcode_take(p, "(")) {
        p->t = at;
        return false;
    }
    if (pthcode_string_list(p, ")", &items) && items.n == 1)
        return done(p, PTHCODE_SITEDIR, 0, 0, items);
    pthcode_effect(p, PTHCODE_APPEND_UNKNOWN);
    return true;
}

/* os.environ['X'] = 'y', .setdefault('X', 'y'), .pop('X', None), os.putenv('X', 'y'). */
static bool on_environ(struct parser *p)
{
    struct value v;
    struct strings items = {0};
    const char *text;
    bool given = pthcode_primary(p, &v) && v.kind == K_ENVIRON && TAKE(p, ".", "setdefault", "(");
    if (given || (v.kind == K_OS && TAKE(p, ".", "putenv", "("))) {
        if (!pthcode_string_list(p, ")", &items) || items.n != 2 || !done(p, PTHCODE_SETENV, 0, 0, items))
            return false;
        p->out[p->n_out - 1].unless_there = given;
        return true;
    }
    bool pop = v.kind == K_ENVIRON && TAKE(p, ".", "pop", "(");
    if (v.kind != K_ENVIRON || !(pop || pthcode_take(p, "[")) || !pthcode_string(p, &text))
        return false;
    *ARENA_PUSH(p->a, items.v, items.n) = text;
    if (pop)
        return TAKE(p, ",", "None", ")") && done(p, PTHCODE_SETENV, 0, 0, items);
    if (!TAKE(p, "]", "=") || !pthcode_string(p, &text))
        return false;
    *ARENA_PUSH(p->a, items.v, items.n) = text;
    return done(p, PTHCODE_SETENV, 0, 0, items);
}

static bool statement(struct parser *p)
{
    const struct tok *at = p->t;
    if (pthcode_take(p, "import"))
        return import(p);
    if (pthcode_take(p, "from"))
        return import_from(p);
    if (pthcode_take(p, "del"))
        return delete(p);
    if (pthcode_take(p, "pass"))
        return pthcode_at_end(p);
    if (TAKE(p, "sys", ".", "__plen", "=", "len", "(", "sys", ".", "path", ")") && pthcode_at_end(p)) {
        pthcode_effect(p, PTHCODE_MARK);
        return true;
    }
    p->t = at;
    if (pthcode_ends(p) || pthcode_loads(p))
        return true;
    if (assign(p))
        return true;
    p->t = at;
    if (call_addsitedir(p))
        return true;
    p->t = at;
    if (on_environ(p))
        return true;
    p->t = at;
    bool is_name = p->t + 1 >= p->end || !pthcode_is(p->t + 1, ".");
    if (sys_path(p))
        return on_sys_path(p, is_name);
    p->t = at;
    return on_condition(p);
}

/* -- what is not understood ------------------------------------------------------------------------------------------- */

/* Statements of several lines cannot follow another on its line. */
static bool begins_block(const struct tok *t)
{
    static const char *const words[] = {"if", "for", "while", "try", "with", "def", "class", "async", "@", "else", "elif", "except", "finally", "return", "break", "continue"};
    for (size_t i = 0; i < TG_COUNT(words); i++)
        if (pthcode_is(t, words[i]))
            return true;
    return false;
}

static bool mentions(struct str s, const char *what)
{
    return memmem(s.p, s.n, what, strlen(what)) != NULL;
}

/* Could this change a variable that CUDA or TensorFlow reads? */
static bool is_risky_setting(const struct tok *t, const struct tok *end)
{
    static const char *const prefixes[] = {"CUDA_", "TF_", "NVIDIA_", "XLA_"};
    bool names_one = false, writes = false;
    for (; t < end; t++) {
        for (size_t i = 0; (t->kind == TOK_STRING || t->kind == TOK_OPAQUE_STRING) && i < TG_COUNT(prefixes); i++)
            names_one |= mentions(t->text, prefixes[i]);
        names_one |= t->kind == TOK_NAME && (!memcmp(t->src.p, "CUDA_", t->src.n < 5 ? t->src.n : 5) && t->src.n > 5); /* update(CUDA_…=) */
        writes |= pthcode_is(t, "=") || pthcode_is(t, "update") || pthcode_is(t, "setdefault") || pthcode_is(t, "pop") || pthcode_is(t, "putenv") || pthcode_is(t, "unsetenv") || pthcode_is(t, "exec");
    }
    return names_one && writes;
}

/* Could this change where modules come from? Import hooks of editable installs and namespace packages bring modules of their own and are
 * asked behind sys.path; code in strings is looked through as text. */
static bool is_risky(const struct tok *t, const struct tok *end)
{
    static const char *const names[] = {"addsitedir", "addpackage", "addsitepackages", "meta_path", "path_hooks", "runpy", "execfile", "SystemExit", "_exit", "execv", "chdir"};
    static const char *const texts[] = {"sys.path", "addsitedir", "meta_path"};
    for (; t < end; t++) {
        for (size_t i = 0; t->kind == TOK_NAME && i < TG_COUNT(names); i++)
            if (pthcode_is(t, names[i]))
                return true;
        if (t->kind == TOK_STRING || t->kind == TOK_OPAQUE_STRING)
            for (size_t i = 0; i < TG_COUNT(texts); i++)
                if (mentions(t->text, texts[i]))
                    return true;
        bool call = t + 2 < end && pthcode_is(t + 1, "(");
        if (call && (pthcode_is(t, "exec") || pthcode_is(t, "eval")) && t[2].kind != TOK_STRING)
            return true;
        if (t + 2 < end && pthcode_is(t, "sys") && pthcode_is(t + 1, ".") && (pthcode_is(t + 2, "path") || pthcode_is(t + 2, "exit")))
            return true;
        if (t + 3 < end && pthcode_is(t, "sys") && pthcode_is(t + 1, ".") && pthcode_is(t + 2, "modules") && pthcode_is(t + 3, "["))
            return true;
    }
    return false;
}

static bool uses_name_of_path(struct parser *p, const struct tok *t)
{
    for (; t < p->end; t++) {
        const struct value *v = t->kind == TOK_NAME ? pthcode_lookup(p, t->src) : NULL;
        if (v && (v->kind == K_SYS_PATH || v->kind == K_ADDSITEDIR) && !(t > p->t && pthcode_is(t - 1, ".")))
            return true;
    }
    return false;
}

static const char front_line[] = "import sys; new=sys.path[sys.__plen:]; del sys.path[sys.__plen:]; p=getattr(sys,'__egginsert',0); "
                                 "sys.path[p:p]=new; sys.__egginsert = p+len(new)";

static void one_statement(struct parser *p)
{
    const struct tok *first = p->t;
    size_t before = p->n_out;
    bool runs = true;
    if (pthcode_at_end(p) || statement(p))
        return;
    p->n_out = before;
    p->t = first;
    if (pthcode_condition(p, &runs) && (!runs || statement(p)))
        return;
    p->n_out = before;
    p->t = first;
    if (is_risky(first, p->end) || is_risky_setting(first, p->end) || uses_name_of_path(p, first))
        pthcode_effect(p, PTHCODE_UNKNOWN);
}

/* Names that exec() finds in site.addpackage. `addsitedir`, too, but only a line that names it needs that. */
static void bind_site(struct parser *p)
{
    static const struct { const char *name; enum kind kind; } names[] = {{"sys", K_SYS}, {"os", K_OS}, {"addsitedir", K_ADDSITEDIR}};
    for (size_t i = 0; i < TG_COUNT(names); i++)
        pthcode_bind(p, (struct str){names[i].name, strlen(names[i].name)}, (struct value){names[i].kind, NULL});
    if (p->scope->sitedir)
        pthcode_bind(p, (struct str){"sitedir", 7}, (struct value){K_STR, p->scope->sitedir});
}

void pthcode_parse(struct str line, const struct pthcode_scope *scope, struct arena *a, struct pthcode_effect **ret, size_t *ret_n)
{
    struct parser p = {.a = a, .scope = scope};
    struct tok *t;
    size_t n;
    line = str_trim(line);
    int rc = line.n > LINE_MAX_BYTES ? -E2BIG : 0;
    if (!rc)
        rc = line.n == sizeof front_line - 1 && !memcmp(line.p, front_line, line.n) ? 1 : pthcode_lex(line, a, &t, &n);
    if (rc)
        pthcode_effect(&p, rc > 0 ? PTHCODE_MARK_FRONT : rc == -EBADMSG ? PTHCODE_ERROR : PTHCODE_UNKNOWN);
    else
        bind_site(&p);
    for (size_t i = 0, from = 0, depth = 0; rc == 0 && i < n; i++) {
        depth += pthcode_is(&t[i], "(") || pthcode_is(&t[i], "[") || pthcode_is(&t[i], "{");
        depth -= pthcode_is(&t[i], ")") || pthcode_is(&t[i], "]") || pthcode_is(&t[i], "}");
        if (depth || (t[i].kind != TOK_END && !pthcode_is(&t[i], ";")))
            continue;
        if (begins_block(&t[from])) {
            p.n_out = 0; /* compiled as a whole before anything runs */
            pthcode_effect(&p, PTHCODE_ERROR);
            break;
        }
        p.t = t + from;
        p.end = t + i;
        p.nest = 0;
        one_statement(&p);
        from = i + 1;
    }
    *ret = p.out;
    *ret_n = p.n_out;
}
