/* SPDX-License-Identifier: Apache-2.0 */
/* ask - what the options of solve and setup state. */
#include "cmd/ask.h"
#include <errno.h>
#include <string.h>
#include "base/i18n.h"
#include "base/util.h"
#include "probe/why.h"

/* "1.2.3": digits and dots, as drivers, glibc and Pythons are numbered. */
static bool is_number(const char *s)
{
    uint32_t major;
    return strspn(s, "0123456789.") == strlen(s) && strlen(s) < 32 && !strstr(s, "..") && s[strlen(s) - 1] != '.' && ver_major(s, &major);
}

/* The parts of a list with commas, blanks around them gone. A comma before "<", ">", "=", "!" or "~" belongs to a specifier. */
static const char **parts(struct arena *a, const char *s, size_t *ret_n)
{
    const char **v = NULL;
    for (*ret_n = 0; *s;) {
        size_t n = strcspn(s, ",");
        while (s[n] && strchr("<>=!~", s[n + 1 + strspn(s + n + 1, " ")]))
            n += 1 + strcspn(s + n + 1, ",");
        struct str t = str_trim((struct str){s, n});
        if (t.n)
            *ARENA_PUSH(a, v, *ret_n) = arena_strndup(a, t.p, t.n);
        s += n + (s[n] == ',');
    }
    return v;
}

static int gpus(struct cmd_ctx *c, struct solve_ask *ask)
{
    size_t n;
    const char **v = parts(c->a, c->o.gpus, &n);
    struct solve_gpu *g = arena_array(c->a, n, sizeof *g);
    for (size_t i = 0; i < n; i++) {
        int r = solve_gpu_named(c->a, v[i], &g[i]);
        if (r == -EEXIST)
            return cmd_fail(c, EXIT_USAGE, _("option '--gpu': '%s' names several GPUs; write its whole name or its compute capability (8.9)"), v[i]);
        if (r < 0)
            return cmd_fail(c, EXIT_USAGE, _("option '--gpu': '%s' is no GPU of the tables; write its compute capability (8.9)"), v[i]);
    }
    ask->gpus = g;
    ask->n_gpus = n;
    return EXIT_GOOD;
}

static int with(struct cmd_ctx *c, struct solve_ask *ask)
{
    enum { MOST = 4 };
    size_t n;
    const char **v = parts(c->a, c->o.with, &n);
    struct solve_want *w = arena_array(c->a, n, sizeof *w);
    if (n > MOST)
        return cmd_fail(c, EXIT_USAGE, _("option '--with' takes at most %d frameworks"), (int)MOST);
    for (size_t i = 0; i < n; i++) {
        int r = solve_with(c->a, v[i], &w[i]);
        if (r == -ENOENT)
            return cmd_fail(c, EXIT_USAGE, _("option '--with' does not know '%s'; it knows torch and jax"), v[i]);
        if (r < 0)
            return cmd_fail(c, EXIT_USAGE, _("option '--with': '%s' is no version"), v[i]);
        for (size_t k = 0; k < i; k++)
            if (str_eq(w[k].name, w[i].name))
                return cmd_fail(c, EXIT_USAGE, _("option '--with' names %s twice"), w[i].name);
    }
    ask->with = w;
    ask->n_with = n;
    return EXIT_GOOD;
}

int ask_stated(struct cmd_ctx *c, struct solve_ask *ask)
{
    const struct { const char *name, *value; const char **to; } numbers[] = {
        {"--driver", c->o.driver, &ask->driver}, {"--glibc", c->o.glibc, &ask->glibc}, {"--python", c->o.python, &ask->python}};
    for (size_t i = 0; i < TG_COUNT(numbers); i++) {
        if (numbers[i].value && !is_number(numbers[i].value))
            return cmd_fail(c, EXIT_USAGE, _("option '%s' takes a version, not '%s'"), numbers[i].name, numbers[i].value);
        if (numbers[i].value)
            *numbers[i].to = numbers[i].value;
    }
    if (ask->python && (!str_starts(ask->python, "3.") || str_eq(ask->python, "3.")))
        return cmd_fail(c, EXIT_USAGE, _("option '--python' takes a Python 3, such as 3.11, not '%s'"), ask->python);
    if (c->o.tf && !(ask->tf = solve_specs(c->a, c->o.tf)))
        return cmd_fail(c, EXIT_USAGE, _("option '--tf': '%s' is no version and no range of versions, such as 2.20 or '>=2.18,<2.21'"), c->o.tf);
    if (c->o.wsl && c->o.os && c->o.os != OS_WSL)
        return cmd_fail(c, EXIT_USAGE, _("options '--wsl' and '--os' do not agree"));
    if (c->o.wsl || c->o.os)
        ask->os = c->o.os == OS_MACOS ? SOLVE_MACOS : c->o.wsl || c->o.os == OS_WSL ? SOLVE_WSL : SOLVE_LINUX;
    ask->engine_asked = c->o.engine;
    ask->engine = c->o.engine ? (enum solve_engine)(c->o.engine - 1) : SOLVE_UV;
    int r = c->o.gpus ? gpus(c, ask) : EXIT_GOOD;
    return r == EXIT_GOOD && c->o.with ? with(c, ask) : r;
}

const char *ask_glibc(struct probe *p)
{
    const struct why_query q = {.program = "/bin/sh", .soname = "libc.so.6"};
    struct why y;
    struct err e = {0};
    return why_gather(p, &q, &y, &e) == 0 && ldso_glibc_version(y.proc) ? arena_strdup(p->a, ldso_glibc_version(y.proc)) : NULL;
}
