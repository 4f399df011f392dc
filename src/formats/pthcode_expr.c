/* SPDX-License-Identifier: Apache-2.0 */
/* pthcode_expr - what expressions in a line of a .pth file stand for: strings, modules, functions of os.path. It knows nothing of effects. */
#include <string.h>
#include "formats/pthcode_internal.h"

enum { NEST_MAX = 16, TEXT_MAX = 4096 };

bool pthcode_is(const struct tok *t, const char *s)
{
    return t->src.n == strlen(s) && !memcmp(t->src.p, s, t->src.n) && t->kind != TOK_STRING && t->kind != TOK_OPAQUE_STRING;
}

bool pthcode_take(struct parser *p, const char *s)
{
    bool yes = p->t < p->end && pthcode_is(p->t, s);
    p->t += yes;
    return yes;
}

/* All of these in a row, or none. */
bool pthcode_take_all(struct parser *p, const char *const *words)
{
    const struct tok *at = p->t;
    for (; *words; words++)
        if (!pthcode_take(p, *words)) {
            p->t = at;
            return false;
        }
    return true;
}

bool pthcode_at_end(const struct parser *p)
{
    return p->t >= p->end;
}

struct value *pthcode_lookup(struct parser *p, struct str name)
{
    for (size_t i = p->n_names; i-- > 0;)
        if (p->names[i].name.n == name.n && !memcmp(p->names[i].name.p, name.p, name.n))
            return &p->names[i].v;
    return NULL;
}

void pthcode_bind(struct parser *p, struct str name, struct value v)
{
    struct value *old = pthcode_lookup(p, name);
    if (old)
        *old = v;
    else if (p->n_names < PTHCODE_NAMES_MAX)
        p->names[p->n_names++] = (struct binding){name, v};
}

/* -- expressions: each returns false, the position anywhere, for what it does not know --------------------------------------------------- */

/* Strings up to the closer; a comma may follow the last one. */
bool pthcode_string_list(struct parser *p, const char *closer, struct strings *ret)
{
    *ret = (struct strings){0};
    while (!pthcode_take(p, closer)) {
        const char *s;
        if (!pthcode_string(p, &s))
            return false;
        *ARENA_PUSH(p->a, ret->v, ret->n) = s;
        if (!pthcode_take(p, ","))
            return pthcode_take(p, closer);
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
    if (fn >= p->end || !pthcode_take(p, "(") || !pthcode_string_list(p, ")", &args) || !args.n)
        return false;
    if (pthcode_is(fn, "join"))
        *ret = join(p, &args);
    else if (args.n != 1)
        return false;
    else if (pthcode_is(fn, "dirname"))
        *ret = dirname(p, args.v[0]);
    else if (pthcode_is(fn, "expanduser"))
        *ret = expanduser(p, args.v[0]);
    else if (pthcode_is(fn, "normpath") && *args.v[0] == '/')
        *ret = path_clean(p->a, args.v[0]);
    else if (pthcode_is(fn, "abspath") && absolute(p, args.v[0]))
        *ret = path_clean(p->a, absolute(p, args.v[0]));
    return *ret != NULL;
}

enum kind pthcode_member(enum kind of, const struct tok *name)
{
    static const struct { enum kind of; const char *name; enum kind is; } rows[] = {
        {K_SYS, "path", K_SYS_PATH}, {K_OS, "path", K_OS_PATH}, {K_OS, "environ", K_ENVIRON}, {K_SITE, "addsitedir", K_ADDSITEDIR},
        {K_SYS, "exit", K_EXIT}, {K_OS, "_exit", K_EXIT}, {K_OS, "abort", K_ABORT}, {K_OS, "kill", K_KILL}, {K_OS, "getpid", K_GETPID},
        {K_SIGNAL, "raise_signal", K_RAISE_SIGNAL}, {K_CTYPES, "CDLL", K_CDLL}, {K_CTYPES, "PyDLL", K_CDLL}, {K_CTYPES, "cdll", K_CDLLS},
        {K_OS, "execv", K_EXEC}, {K_OS, "execve", K_EXEC}, {K_OS, "execl", K_EXEC}, {K_OS, "execle", K_EXEC}, {K_OS, "getenv", K_GETENV},
        {K_CTYPES, "pydll", K_CDLLS}, {K_CDLLS, "LoadLibrary", K_CDLL},
    };
    for (size_t i = 0; i < TG_COUNT(rows); i++)
        if (rows[i].of == of && pthcode_is(name, rows[i].name))
            return rows[i].is;
    return K_UNKNOWN;
}

/* A name with what follows its dots, as far as it is known. */
bool pthcode_primary(struct parser *p, struct value *ret)
{
    const struct tok *t = p->t;
    *ret = (struct value){K_UNKNOWN, NULL};
    if (pthcode_at_end(p) || t->kind != TOK_NAME)
        return false;
    p->t++;
    const struct value *known = pthcode_lookup(p, t->src);
    if (known)
        *ret = *known;
    else if (pthcode_is(t, "__import__") && pthcode_take(p, "(") && p->t->kind == TOK_STRING && p->t + 1 < p->end)
        *ret = (struct value){str_eq(arena_strndup(p->a, p->t->text.p, p->t->text.n), "sys") ? K_SYS : K_UNKNOWN, NULL}, p->t += 2;
    else
        return false;
    while (p->t + 1 < p->end && pthcode_is(p->t, ".") && p->t[1].kind == TOK_NAME && ret->kind != K_STR) {
        const struct tok *m = p->t + 1;
        struct value v = {pthcode_member(ret->kind, m), NULL};
        if (v.kind != K_UNKNOWN)
            ;
        else if (ret->kind == K_SYS && p->scope->prefix && (pthcode_is(m, "prefix") || pthcode_is(m, "exec_prefix")))
            v = (struct value){K_STR, p->scope->prefix};
        else if ((ret->kind == K_OS || ret->kind == K_OS_PATH) && pthcode_is(m, "sep"))
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
    if (pthcode_at_end(p))
        return false;
    if (p->t->kind == TOK_STRING) { /* neighbours are one string */
        struct text t = {.n = 0};
        for (; !pthcode_at_end(p) && p->t->kind == TOK_STRING; p->t++)
            text_add(&t, p->t->text.p, p->t->text.n);
        *ret = text_done(p, &t);
        return *ret && (pthcode_at_end(p) || p->t->kind != TOK_OPAQUE_STRING);
    }
    if (pthcode_take(p, "("))
        return pthcode_string(p, ret) && pthcode_take(p, ")");
    if (TAKE(p, "str", "("))
        return pthcode_string(p, ret) && pthcode_take(p, ")");
    if (!pthcode_primary(p, &v))
        return false;
    *ret = v.text;
    if (v.kind == K_OS_PATH && pthcode_take(p, "."))
        return os_path_call(p, ret);
    if (v.kind == K_LOCALS && pthcode_take(p, "[")) {
        bool own = p->t->kind == TOK_STRING && p->t->text.n == 7 && !memcmp(p->t->text.p, "sitedir", 7) && p->scope->sitedir;
        *ret = p->scope->sitedir;
        p->t++;
        return own && pthcode_take(p, "]");
    }
    return v.kind == K_STR;
}

static bool string_sum(struct parser *p, const char **ret)
{
    struct text t = {.n = 0};
    if (!string_atom(p, ret))
        return false;
    if (pthcode_at_end(p) || !pthcode_is(p->t, "+"))
        return true;
    text_add(&t, *ret, strlen(*ret));
    while (pthcode_take(p, "+")) {
        if (!string_atom(p, ret))
            return false;
        text_add(&t, *ret, strlen(*ret));
    }
    *ret = text_done(p, &t);
    return *ret;
}

bool pthcode_string(struct parser *p, const char **ret)
{
    if (p->nest == NEST_MAX)
        return false;
    p->nest++;
    bool known = string_sum(p, ret);
    p->nest--;
    return known;
}

bool pthcode_list(struct parser *p, struct strings *ret)
{
    if (pthcode_take(p, "["))
        return pthcode_string_list(p, "]", ret);
    return pthcode_take(p, "(") && pthcode_string_list(p, ")", ret) && ret->n != 1; /* (x) is x itself; (x,) is left alone */
}
