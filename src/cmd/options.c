/* SPDX-License-Identifier: Apache-2.0 */
/* options - one generic parser for all commands' option tables. */
#include "cmd/options.h"
#include <errno.h>
#include <string.h>
#include "base/i18n.h"
#include "base/util.h"

enum { NAME_MAX_COMPARED = 32 };

struct parse {
    struct arena *a;
    const struct opt *const *tables;
    int argc, i;
    char **argv;
    void *values;
    struct err *e;
};

static const struct opt *opt_at(const struct opt *const *tables, size_t want)
{
    for (; *tables; tables++)
        for (const struct opt *o = *tables; o->name; o++)
            if (o->help && want-- == 0)
                return o;
    return NULL;
}

static const char *opt_name(const void *tables, size_t i)
{
    return opt_at(tables, i)->name;
}

static size_t opt_count(const struct opt *const *tables)
{
    size_t n = 0;
    while (opt_at(tables, n))
        n++;
    return n;
}

static const struct opt *find_long(const struct parse *p, const char *name, size_t n)
{
    for (const struct opt *const *t = p->tables; *t; t++)
        for (const struct opt *o = *t; o->name; o++)
            if (strlen(o->name) == n && memcmp(o->name, name, n) == 0)
                return o;
    return NULL;
}

static const struct opt *find_letter(const struct parse *p, char c)
{
    for (const struct opt *const *t = p->tables; *t; t++)
        for (const struct opt *o = *t; o->name; o++)
            if (o->letter && o->letter == c)
                return o;
    return NULL;
}

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t m = a < b ? a : b;
    return m < c ? m : c;
}

/* Levenshtein distance; names beyond the limit are simply far away. */
static size_t distance(const char *a, const char *b)
{
    size_t row[NAME_MAX_COMPARED + 1], la = strlen(a), lb = strlen(b);
    if (la > NAME_MAX_COMPARED || lb > NAME_MAX_COMPARED)
        return NAME_MAX_COMPARED;
    for (size_t j = 0; j <= lb; j++)
        row[j] = j;
    for (size_t i = 1; i <= la; i++) {
        size_t diag = row[0];
        row[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            size_t up = row[j];
            row[j] = min3(up + 1, row[j - 1] + 1, diag + (a[i - 1] != b[j - 1]));
            diag = up;
        }
    }
    return row[lb];
}

const char *nearest_name(const char *typed, size_t n, const char *(*name)(const void *ctx, size_t i), const void *ctx)
{
    const char *best = NULL;
    size_t best_d = 3; /* two slips at most */
    for (size_t i = 0; i < n; i++) {
        const char *s = name(ctx, i);
        bool begins = strlen(typed) >= 2 && str_starts(s, typed);
        size_t d = begins ? 1 : distance(typed, s);
        if (d < best_d && d < strlen(s)) {
            best = s;
            best_d = d;
        }
    }
    return best;
}

static int unknown_option(const struct parse *p, const char *arg, size_t n)
{
    char name[NAME_MAX_COMPARED + 1];
    const char *best = NULL;
    if (str_starts(arg, "--") && n - 2 <= NAME_MAX_COMPARED) {
        memcpy(name, arg + 2, n - 2);
        name[n - 2] = '\0';
        best = nearest_name(name, opt_count(p->tables), opt_name, p->tables);
    }
    if (best)
        return err_set(p->e, -EINVAL, _("unknown option '%.*s'; did you mean '--%s'?"), (int)n, arg, best);
    return err_set(p->e, -EINVAL, _("unknown option '%.*s'"), (int)n, arg);
}

static int set_choice(const struct parse *p, const struct opt *o, const char *value)
{
    char list[128];
    size_t len = 0;
    for (unsigned i = 0; o->choices[i]; i++) {
        if (str_eq(o->choices[i], value)) {
            *(unsigned *)(void *)((char *)p->values + o->offset) = i;
            return 0;
        }
        size_t n = strlen(o->choices[i]);
        if (len + n + 3 > sizeof list)
            continue;
        if (len) {
            memcpy(list + len, ", ", 2);
            len += 2;
        }
        memcpy(list + len, o->choices[i], n);
        len += n;
    }
    return err_set(p->e, -EINVAL, _("option '--%s' does not know '%s'; it takes one of: %.*s"), o->name, value, (int)len, list);
}

/* value: what follows "=" or the letter, NULL when nothing does */
static int set_option(struct parse *p, const struct opt *o, const char *value)
{
    void *at = (char *)p->values + o->offset;
    if (o->kind == OPT_FLAG) {
        if (value)
            return err_set(p->e, -EINVAL, _("option '--%s' takes no value"), o->name);
        *(bool *)at = true;
        return 0;
    }
    bool follows = p->i + 1 < p->argc && !(o->bare && p->argv[p->i + 1][0] == '-');
    if (!value && !follows && o->bare)
        value = o->bare;
    else if (!value && follows)
        value = p->argv[++p->i];
    if (!value || !*value)
        return err_set(p->e, -EINVAL, _("option '--%s' needs a value"), o->name);
    if (o->kind == OPT_CHOICE)
        return set_choice(p, o, value);
    if (o->kind == OPT_LIST && *(const char **)at)
        value = arena_printf(p->a, "%s,%s", *(const char **)at, value);
    *(const char **)at = value;
    return 0;
}

static int parse_letters(struct parse *p, const char *arg)
{
    for (const char *c = arg + 1; *c; c++) {
        const struct opt *o = find_letter(p, *c);
        if (!o)
            return unknown_option(p, arg, strlen(arg));
        bool ends = o->kind != OPT_FLAG && c[1];
        int r = set_option(p, o, ends ? c + 1 : NULL);
        if (r < 0 || o->kind != OPT_FLAG)
            return r;
    }
    return 0;
}

static int parse_long(struct parse *p, const char *arg)
{
    const char *eq = strchr(arg, '=');
    size_t n = eq ? (size_t)(eq - arg) : strlen(arg);
    const struct opt *o = find_long(p, arg + 2, n - 2);
    if (!o)
        return unknown_option(p, arg, n);
    return set_option(p, o, eq ? eq + 1 : NULL);
}

int opts_parse(struct arena *a, const struct opt *const *tables, int argc, char **argv, bool stop, void *values,
               const char ***ret_args, size_t *ret_n_args, int *ret_used, struct err *e)
{
    struct parse p = {.a = a, .tables = tables, .argc = argc, .argv = argv, .values = values, .e = e};
    const char **args = NULL;
    size_t n_args = 0;
    bool only_args = false;
    for (; p.i < argc; p.i++) {
        const char *arg = argv[p.i];
        int r = 0;
        if (only_args || arg[0] != '-' || arg[1] == '\0') {
            if (stop)
                break;
            *ARENA_PUSH(a, args, n_args) = arg;
        } else if (str_eq(arg, "--")) {
            only_args = true;
        } else {
            r = arg[1] == '-' ? parse_long(&p, arg) : parse_letters(&p, arg);
        }
        if (r < 0) {
            *ret_used = p.i;
            return r;
        }
    }
    *ret_args = args;
    *ret_n_args = n_args;
    *ret_used = p.i;
    return 0;
}

const char *opt_usage(struct arena *a, const struct opt *o)
{
    const char *text = arena_printf(a, "--%s", o->name);
    if (o->letter)
        text = arena_printf(a, "-%c, %s", o->letter, text);
    if (o->kind == OPT_TEXT || o->kind == OPT_LIST)
        return o->bare ? arena_printf(a, "%s [%s]", text, o->arg) : arena_printf(a, "%s %s", text, o->arg);
    for (size_t i = 0; o->kind == OPT_CHOICE && o->choices[i]; i++)
        text = arena_printf(a, "%s%c%s", text, i ? '|' : ' ', o->choices[i]);
    return text;
}
