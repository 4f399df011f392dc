/* SPDX-License-Identifier: Apache-2.0 */
/* pthcode - what a line of code in a .pth file does to sys.path. */
#include "formats/pthcode.h"
#include <errno.h>
#include <string.h>
#include "formats/pthcode_internal.h"

enum { NAMES_MAX = 32, NEST_MAX = 16, TEXT_MAX = 4096, LINE_MAX_BYTES = 1 << 14 };

/* What a name or an expression stands for. */
enum kind { K_UNKNOWN, K_SYS, K_SITE, K_OS, K_ENVIRON, K_OS_PATH, K_SYS_PATH, K_ADDSITEDIR, K_LOCALS, K_STR };
struct value { enum kind kind; const char *text; };
struct binding { struct str name; struct value v; };
struct strings { const char **v; size_t n; };

struct parser {
    struct arena *a;
    const struct pthcode_scope *scope;
    const struct tok *t;    /* next token */
    const struct tok *end;  /* of the statement */
    struct binding names[NAMES_MAX];
    size_t n_names;
    unsigned nest;
    struct pthcode_effect *out;
    size_t n_out;
};

static bool is(const struct tok *t, const char *s)
{
    return t->src.n == strlen(s) && !memcmp(t->src.p, s, t->src.n) && t->kind != TOK_STRING && t->kind != TOK_OPAQUE_STRING;
}

static bool take(struct parser *p, const char *s)
{
    bool yes = p->t < p->end && is(p->t, s);
    p->t += yes;
    return yes;
}

/* All of these in a row, or none. */
static bool take_all(struct parser *p, const char *const *words)
{
    const struct tok *at = p->t;
    for (; *words; words++)
        if (!take(p, *words)) {
            p->t = at;
            return false;
        }
    return true;
}
#define TAKE(p, ...) take_all(p, (const char *const[]){__VA_ARGS__, NULL})

static bool at_end(const struct parser *p)
{
    return p->t >= p->end;
}

static struct value *lookup(struct parser *p, struct str name)
{
    for (size_t i = p->n_names; i-- > 0;)
        if (p->names[i].name.n == name.n && !memcmp(p->names[i].name.p, name.p, name.n))
            return &p->names[i].v;
    return NULL;
}

static void bind(struct parser *p, struct str name, struct value v)
{
    struct value *old = lookup(p, name);
    if (old)
        *old = v;
    else if (p->n_names < NAMES_MAX)
        p->names[p->n_names++] = (struct binding){name, v};
}

/* -- expressions: each returns false, the position anywhere, for what it does not know --------------------------------------------------- */

static bool string(struct parser *p, const char **ret);

/* Strings up to the closer; a comma may follow the last one. */
static bool string_list(struct parser *p, const char *closer, struct strings *ret)
{
    *ret = (struct strings){0};
    while (!take(p, closer)) {
        const char *s;
        if (!string(p, &s))
            return false;
        *ARENA_PUSH(p->a, ret->v, ret->n) = s;
        if (!take(p, ","))
            return take(p, closer);
    }
    return true;
}

static const char *absolute(const struct parser *p, const char *s)
{
    return *s == '/' ? s : p->scope->cwd ? path_join(p->a, p->scope->cwd, s) : NULL;
}

/* A text that grows up to TEXT_MAX, longer than any path may be. */
struct text { char p[TEXT_MAX]; size_t n; bool full; };

static void text_add(struct text *t, const char *s, size_t n)
{
    t->full |= n > sizeof t->p - t->n;
    if (!t->full && n)
        memcpy(t->p + t->n, s, n);
    t->n += t->full ? 0 : n;
}

static const char *text_done(struct parser *p, const struct text *t)
{
    return t->full ? NULL : arena_strndup(p->a, t->p, t->n);
}

/* os.path.join: an absolute part begins anew. */
static const char *join(struct parser *p, const struct strings *s)
{
    struct text t = {.n = 0};
    for (size_t i = 0; i < s->n; i++) {
        if (*s->v[i] == '/')
            t.n = 0;
        else if (t.n && t.p[t.n - 1] != '/')
            text_add(&t, "/", 1);
        text_add(&t, s->v[i], strlen(s->v[i]));
    }
    return text_done(p, &t);
}

static const char *dirname(struct parser *p, const char *s)
{
    const char *slash = strrchr(s, '/');
    if (!slash)
        return "";
    size_t n = (size_t)(slash - s) + 1, full = n;
    while (n && s[n - 1] == '/')
        n--;
    return arena_strndup(p->a, s, n ? n : full);
}

static const char *expanduser(struct parser *p, const char *s)
{
    if (*s != '~')
        return s;
    if (!p->scope->home || (s[1] && s[1] != '/'))
        return NULL;
    return s[1] ? arena_printf(p->a, "%s%s", strcmp(p->scope->home, "/") == 0 ? "" : p->scope->home, s + 1) : p->scope->home;
}

/* Behind `os.path.`: a function of strings. */
static bool os_path_call(struct parser *p, const char **ret)
{
    const struct tok *fn = p->t++;
    struct strings args;
    *ret = NULL;
    if (fn >= p->end || !take(p, "(") || !string_list(p, ")", &args) || !args.n)
        return false;
    if (is(fn, "join"))
        *ret = join(p, &args);
    else if (args.n != 1)
        return false;
    else if (is(fn, "dirname"))
        *ret = dirname(p, args.v[0]);
    else if (is(fn, "expanduser"))
        *ret = expanduser(p, args.v[0]);
    else if (is(fn, "normpath") && *args.v[0] == '/')
        *ret = path_clean(p->a, args.v[0]);
    else if (is(fn, "abspath") && absolute(p, args.v[0]))
        *ret = path_clean(p->a, absolute(p, args.v[0]));
    return *ret != NULL;
}

/* A name with what follows its dots, as far as it is known. */
static bool primary(struct parser *p, struct value *ret)
{
    const struct tok *t = p->t;
    *ret = (struct value){K_UNKNOWN, NULL};
    if (at_end(p) || t->kind != TOK_NAME)
        return false;
    p->t++;
    const struct value *known = lookup(p, t->src);
    if (known)
        *ret = *known;
    else if (is(t, "__import__") && take(p, "(") && p->t->kind == TOK_STRING && p->t + 1 < p->end)
        *ret = (struct value){str_eq(arena_strndup(p->a, p->t->text.p, p->t->text.n), "sys") ? K_SYS : K_UNKNOWN, NULL}, p->t += 2;
    else
        return false;
    while (p->t + 1 < p->end && is(p->t, ".") && p->t[1].kind == TOK_NAME && ret->kind != K_STR) {
        const struct tok *m = p->t + 1;
        struct value v = {K_UNKNOWN, NULL};
        if (ret->kind == K_SYS && is(m, "path"))
            v.kind = K_SYS_PATH;
        else if (ret->kind == K_OS && (is(m, "path") || is(m, "environ")))
            v.kind = is(m, "path") ? K_OS_PATH : K_ENVIRON;
        else if (ret->kind == K_SITE && is(m, "addsitedir"))
            v.kind = K_ADDSITEDIR;
        else if (ret->kind == K_SYS && p->scope->prefix && (is(m, "prefix") || is(m, "exec_prefix")))
            v = (struct value){K_STR, p->scope->prefix};
        else if ((ret->kind == K_OS || ret->kind == K_OS_PATH) && is(m, "sep"))
            v = (struct value){K_STR, "/"};
        else if (ret->kind == K_SYS && TAKE(p, ".", "_getframe", "(", "1", ")", ".", "f_locals"))
            v.kind = K_LOCALS;
        else
            break;
        if (v.kind != K_LOCALS)
            p->t += 2;
        *ret = v;
    }
    return true;
}

static bool string_atom(struct parser *p, const char **ret)
{
    struct value v;
    *ret = "";
    if (at_end(p))
        return false;
    if (p->t->kind == TOK_STRING) { /* neighbours are one string */
        struct text t = {.n = 0};
        for (; !at_end(p) && p->t->kind == TOK_STRING; p->t++)
            text_add(&t, p->t->text.p, p->t->text.n);
        *ret = text_done(p, &t);
        return *ret && (at_end(p) || p->t->kind != TOK_OPAQUE_STRING);
    }
    if (take(p, "("))
        return string(p, ret) && take(p, ")");
    if (TAKE(p, "str", "("))
        return string(p, ret) && take(p, ")");
    if (!primary(p, &v))
        return false;
    *ret = v.text;
    if (v.kind == K_OS_PATH && take(p, "."))
        return os_path_call(p, ret);
    if (v.kind == K_LOCALS && take(p, "[")) {
        bool own = p->t->kind == TOK_STRING && p->t->text.n == 7 && !memcmp(p->t->text.p, "sitedir", 7) && p->scope->sitedir;
        *ret = p->scope->sitedir;
        p->t++;
        return own && take(p, "]");
    }
    return v.kind == K_STR;
}

static bool string_sum(struct parser *p, const char **ret)
{
    struct text t = {.n = 0};
    if (!string_atom(p, ret))
        return false;
    if (at_end(p) || !is(p->t, "+"))
        return true;
    text_add(&t, *ret, strlen(*ret));
    while (take(p, "+")) {
        if (!string_atom(p, ret))
            return false;
        text_add(&t, *ret, strlen(*ret));
    }
    *ret = text_done(p, &t);
    return *ret;
}

static bool string(struct parser *p, const char **ret)
{
    if (p->nest == NEST_MAX)
        return false;
    p->nest++;
    bool known = string_sum(p, ret);
    p->nest--;
    return known;
}

static bool list(struct parser *p, struct strings *ret)
{
    if (take(p, "["))
        return string_list(p, "]", ret);
    return take(p, "(") && string_list(p, ")", ret) && ret->n != 1; /* (x) is x itself; (x,) is left alone */
}

static bool sys_path(struct parser *p)
{
    const struct tok *at = p->t;
    struct value v;
    if (primary(p, &v) && v.kind == K_SYS_PATH)
        return true;
    p->t = at;
    return false;
}

/* An index: a number, or the length of sys.path. */
static bool index_of(struct parser *p, int32_t *ret)
{
    if (TAKE(p, "len", "("))
        return *ret = PTHCODE_END, sys_path(p) && take(p, ")");
    bool minus = take(p, "-");
    if (at_end(p) || p->t->kind != TOK_NUMBER || p->t->number < 0)
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
    if (!take(p, "[") || (p->t < p->end && !is(p->t, ":") && !index_of(p, from)))
        return false;
    if (take(p, "]")) {
        *one = true;
        return *from != PTHCODE_END;
    }
    return take(p, ":") && ((p->t < p->end && is(p->t, "]")) || index_of(p, to)) && take(p, "]");
}

/* -- statements: true when understood as a whole ------------------------------------------------------------------------------ */

static struct pthcode_effect *effect(struct parser *p, enum pthcode_op op)
{
    struct pthcode_effect *x = ARENA_PUSH(p->a, p->out, p->n_out);
    *x = (struct pthcode_effect){.op = op}; /* may have been taken back */
    return x;
}

static bool done(struct parser *p, enum pthcode_op op, int32_t from, int32_t to, struct strings items)
{
    if (!at_end(p))
        return false;
    struct pthcode_effect *x = effect(p, op);
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
        return index_of(p, &at) && take(p, ",") && string_list(p, ")", &items) && items.n == 1 && done(p, PTHCODE_SPLICE, at, at, items);
    if (TAKE(p, "append", "(")) {
        const struct tok *args = p->t;
        if (string_list(p, ")", &items) && items.n == 1)
            return done(p, PTHCODE_SPLICE, PTHCODE_END, PTHCODE_END, items);
        p->t = args;
        effect(p, PTHCODE_APPEND_UNKNOWN);
        return true;
    }
    if (TAKE(p, "extend", "(")) {
        if (list(p, &items) && (take(p, ",") || true) && take(p, ")"))
            return done(p, PTHCODE_SPLICE, PTHCODE_END, PTHCODE_END, items);
        effect(p, PTHCODE_APPEND_UNKNOWN);
        return true;
    }
    if (TAKE(p, "remove", "("))
        return string_list(p, ")", &items) && items.n == 1 && done(p, PTHCODE_REMOVE, 0, 0, items);
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
            if (kept || (p->t < p->end && is(p->t, "[") && !TAKE(p, "[", ":", "]")))
                return false;
            kept = true;
        } else if (list(p, &part)) {
            struct strings *to = kept ? &after : &before;
            for (size_t i = 0; i < part.n; i++)
                *ARENA_PUSH(p->a, to->v, to->n) = part.v[i];
        } else {
            return false;
        }
    } while (take(p, "+"));
    if (!kept)
        return done(p, PTHCODE_SPLICE, 0, PTHCODE_END, before);
    return done(p, PTHCODE_SPLICE, 0, 0, before) && done(p, PTHCODE_SPLICE, PTHCODE_END, PTHCODE_END, after);
}

static bool on_sys_path(struct parser *p, bool is_name)
{
    struct strings items;
    int32_t from, to;
    bool one;
    if (take(p, "."))
        return method(p);
    if (take(p, "+="))
        return list(p, &items) && done(p, PTHCODE_SPLICE, PTHCODE_END, PTHCODE_END, items);
    if (!is_name && take(p, "="))
        return rebuild(p);
    if (!slice(p, &from, &to, &one) || !take(p, "=") || one)
        return false;
    if (from == 0 && to == PTHCODE_END)
        return rebuild(p);
    return list(p, &items) && done(p, PTHCODE_SPLICE, from, to, items);
}

/* Behind an effect's call: `X in sys.path or …`, `X not in sys.path and …`. */
static bool on_condition(struct parser *p)
{
    const char *want;
    size_t before = p->n_out;
    if (!string(p, &want))
        return false;
    bool has_not = take(p, "not");
    if (!take(p, "in") || !sys_path(p) || !take(p, has_not ? "and" : "or") || !sys_path(p) || !take(p, ".") || !method(p) || p->n_out != before + 1)
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
    static const struct { const char *name; enum kind kind; } known[] = {{"sys", K_SYS}, {"site", K_SITE}, {"os", K_OS}, {"os.path", K_OS_PATH}, {"posixpath", K_OS_PATH}};
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
        if (at_end(p) || p->t->kind != TOK_NAME)
            return (struct str){0};
        p->t++;
    } while (take(p, "."));
    const struct tok *last = p->t - 1;
    return (struct str){first->src.p, (size_t)(last->src.p + last->src.n - first->src.p)};
}

static bool import(struct parser *p)
{
    do {
        const struct tok *first = p->t;
        struct str name = dotted(p);
        if (!name.n)
            return false;
        if (!take(p, "as")) {
            bind(p, first->src, module(first->src)); /* a.b binds a */
        } else if (!at_end(p)) {
            bind(p, p->t->src, module(name));
            p->t++;
        }
    } while (take(p, ","));
    return at_end(p);
}

static bool import_from(struct parser *p)
{
    struct str name = dotted(p);
    enum kind from = name.n ? module(name).kind : K_UNKNOWN;
    if (!take(p, "import"))
        return false;
    bool paren = take(p, "(");
    do {
        const struct tok *what = p->t;
        struct value v = {K_UNKNOWN, NULL};
        if (at_end(p) || what->kind != TOK_NAME)
            return false;
        p->t++;
        if (is(what, "path"))
            v.kind = from == K_SYS ? K_SYS_PATH : from == K_OS ? K_OS_PATH : K_UNKNOWN;
        if (from == K_SITE && is(what, "addsitedir"))
            v.kind = K_ADDSITEDIR;
        if (from == K_OS && is(what, "environ"))
            v.kind = K_ENVIRON;
        struct str as = what->src;
        if (take(p, "as") && !at_end(p))
            as = (p->t++)->src;
        bind(p, as, v);
    } while (take(p, ","));
    return (!paren || take(p, ")")) && at_end(p);
}

/* NAME = expression. What cannot be told leaves the name unknown. */
static bool assign(struct parser *p)
{
    struct str name = p->t->src;
    if (p->t->kind != TOK_NAME || p->t + 1 >= p->end || !is(p->t + 1, "="))
        return false;
    p->t += 2;
    const struct tok *at = p->t;
    struct value v = {K_UNKNOWN, NULL};
    const char *text;
    bool known = string(p, &text) && at_end(p);
    if (known) {
        v = (struct value){K_STR, text};
    } else {
        p->t = at;
        known = primary(p, &v) && at_end(p) && v.kind != K_UNKNOWN;
    }
    bind(p, name, known ? v : (struct value){K_UNKNOWN, NULL});
    return known;
}

static bool call_addsitedir(struct parser *p)
{
    struct value v;
    struct strings items;
    const struct tok *at = p->t;
    if (!primary(p, &v) || v.kind != K_ADDSITEDIR || !take(p, "(")) {
        p->t = at;
        return false;
    }
    if (string_list(p, ")", &items) && items.n == 1)
        return done(p, PTHCODE_SITEDIR, 0, 0, items);
    effect(p, PTHCODE_APPEND_UNKNOWN);
    return true;
}

/* os.environ['X'] = 'y', .setdefault('X', 'y'), .pop('X', None), os.putenv('X', 'y'). */
static bool on_environ(struct parser *p)
{
    struct value v;
    struct strings items = {0};
    const char *text;
    bool given = primary(p, &v) && v.kind == K_ENVIRON && TAKE(p, ".", "setdefault", "(");
    if (given || (v.kind == K_OS && TAKE(p, ".", "putenv", "("))) {
        if (!string_list(p, ")", &items) || items.n != 2 || !done(p, PTHCODE_SETENV, 0, 0, items))
            return false;
        p->out[p->n_out - 1].unless_there = given;
        return true;
    }
    bool pop = v.kind == K_ENVIRON && TAKE(p, ".", "pop", "(");
    if (v.kind != K_ENVIRON || !(pop || take(p, "[")) || !string(p, &text))
        return false;
    *ARENA_PUSH(p->a, items.v, items.n) = text;
    if (pop)
        return TAKE(p, ",", "None", ")") && done(p, PTHCODE_SETENV, 0, 0, items);
    if (!TAKE(p, "]", "=") || !string(p, &text))
        return false;
    *ARENA_PUSH(p->a, items.v, items.n) = text;
    return done(p, PTHCODE_SETENV, 0, 0, items);
}

static bool statement(struct parser *p)
{
    const struct tok *at = p->t;
    if (take(p, "import"))
        return import(p);
    if (take(p, "from"))
        return import_from(p);
    if (take(p, "del"))
        return delete(p);
    if (take(p, "pass"))
        return at_end(p);
    if (TAKE(p, "sys", ".", "__plen", "=", "len", "(", "sys", ".", "path", ")") && at_end(p)) {
        effect(p, PTHCODE_MARK);
        return true;
    }
    p->t = at;
    if (assign(p))
        return true;
    p->t = at;
    if (call_addsitedir(p))
        return true;
    p->t = at;
    if (on_environ(p))
        return true;
    p->t = at;
    bool is_name = p->t + 1 >= p->end || !is(p->t + 1, ".");
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
        if (is(t, words[i]))
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
        writes |= is(t, "=") || is(t, "update") || is(t, "setdefault") || is(t, "pop") || is(t, "putenv") || is(t, "unsetenv") || is(t, "exec");
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
            if (is(t, names[i]))
                return true;
        if (t->kind == TOK_STRING || t->kind == TOK_OPAQUE_STRING)
            for (size_t i = 0; i < TG_COUNT(texts); i++)
                if (mentions(t->text, texts[i]))
                    return true;
        bool call = t + 2 < end && is(t + 1, "(");
        if (call && (is(t, "exec") || is(t, "eval")) && t[2].kind != TOK_STRING)
            return true;
        if (t + 2 < end && is(t, "sys") && is(t + 1, ".") && (is(t + 2, "path") || is(t + 2, "exit")))
            return true;
        if (t + 3 < end && is(t, "sys") && is(t + 1, ".") && is(t + 2, "modules") && is(t + 3, "["))
            return true;
    }
    return false;
}

static bool uses_name_of_path(struct parser *p, const struct tok *t)
{
    for (; t < p->end; t++) {
        const struct value *v = t->kind == TOK_NAME ? lookup(p, t->src) : NULL;
        if (v && (v->kind == K_SYS_PATH || v->kind == K_ADDSITEDIR) && !(t > p->t && is(t - 1, ".")))
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
    if (at_end(p) || statement(p))
        return;
    p->n_out = before;
    p->t = first;
    if (is_risky(first, p->end) || is_risky_setting(first, p->end) || uses_name_of_path(p, first))
        effect(p, PTHCODE_UNKNOWN);
}

/* Names that exec() finds in site.addpackage. `addsitedir`, too, but only a line that names it needs that. */
static void bind_site(struct parser *p)
{
    static const struct { const char *name; enum kind kind; } names[] = {{"sys", K_SYS}, {"os", K_OS}, {"addsitedir", K_ADDSITEDIR}};
    for (size_t i = 0; i < TG_COUNT(names); i++)
        bind(p, (struct str){names[i].name, strlen(names[i].name)}, (struct value){names[i].kind, NULL});
    if (p->scope->sitedir)
        bind(p, (struct str){"sitedir", 7}, (struct value){K_STR, p->scope->sitedir});
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
        effect(&p, rc > 0 ? PTHCODE_MARK_FRONT : rc == -EBADMSG ? PTHCODE_ERROR : PTHCODE_UNKNOWN);
    else
        bind_site(&p);
    for (size_t i = 0, from = 0, depth = 0; rc == 0 && i < n; i++) {
        depth += is(&t[i], "(") || is(&t[i], "[") || is(&t[i], "{");
        depth -= is(&t[i], ")") || is(&t[i], "]") || is(&t[i], "}");
        if (depth || (t[i].kind != TOK_END && !is(&t[i], ";")))
            continue;
        if (begins_block(&t[from])) {
            p.n_out = 0; /* compiled as a whole before anything runs */
            effect(&p, PTHCODE_ERROR);
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
