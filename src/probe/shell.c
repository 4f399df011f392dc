/* SPDX-License-Identifier: Apache-2.0 */
/* shell - what plain python, python3, pip, pip3 and jupyter lead to, and the Jupyter kernels. */
#include <string.h>
#include "probe/interp.h"
#include "probe/kernels.h"
#include "probe/probe.h"
#include "probe/rcfiles.h"
#include "probe/which.h"

enum { MAX_ALIASES = 4, MAX_KNOWN = 64 };

/* Prefixes of interpreters that were looked at. The prefix hangs on the file and on the folder that it is called in. */
struct known { struct { const char *exe, *dir, *real, *prefix; } v[MAX_KNOWN]; size_t n; };

static const char *prefix_of(struct probe *p, struct known *k, const char *exe)
{
    const char *dir = path_dir(p->a, exe), *real;
    if (str_eq(exe, p->f->python.exe))
        return p->f->python.prefix;
    for (size_t i = 0; i < k->n; i++)
        if (strcmp(k->v[i].exe, exe) == 0)
            return k->v[i].prefix;
    if (root_realpath(p->root, exe, p->a, &real) < 0)
        real = exe;
    for (size_t i = 0; i < k->n; i++)
        if (strcmp(k->v[i].dir, dir) == 0 && strcmp(k->v[i].real, real) == 0)
            return k->v[i].prefix;
    struct pyvars vars = pyvars_load(p->root);
    struct interp in;
    interp_base(p->root, p->a, exe, &vars, &in);
    if (k->n < MAX_KNOWN) {
        k->v[k->n].exe = exe;
        k->v[k->n].dir = dir;
        k->v[k->n].real = real;
        k->v[k->n++].prefix = in.prefix;
    }
    return in.prefix;
}

static bool is_interpreter_name(const char *name)
{
    return str_starts(path_base(name), "python");
}

/* First word that names a program in an alias or a function's body. */
static const char *first_word(struct arena *a, const char *text)
{
    static const char *const skipped[] = {"command", "exec", "env", "nohup", "time"};
    size_t len = strlen(text);
    for (size_t pos = 0; pos < len;) {
        while (pos < len && strchr(" \t\n;&|(){}", text[pos]))
            pos++;
        size_t end = shell_word_end(text, len, pos);
        if (end == pos)
            return NULL;
        const char *w = arena_strndup(a, text + pos, end - pos);
        bool skip = strchr(w, '=');
        for (size_t i = 0; i < TG_COUNT(skipped); i++)
            skip = skip || strcmp(w, skipped[i]) == 0;
        if (!skip)
            return w;
        pos = end;
    }
    return NULL;
}

/* Aliases are expanded again, but not the one that is being expanded. */
static void follow_alias(struct probe *p, struct which_at *at, struct fact_command *c, struct which *w)
{
    const char *name = c->name;
    for (unsigned i = 0; i < MAX_ALIASES; i++) {
        const struct fact_shell_file *d = rc_definition(p->f, name);
        if (!d || (i > 0 && strcmp(d->name, c->name) == 0))
            break;
        if (i == 0) {
            c->kind = strcmp(d->what, "alias") == 0 ? FACT_CMD_KIND_ALIAS : FACT_CMD_KIND_FUNCTION;
            c->set_in = arena_printf(p->a, "%s:%u", d->file, d->line);
            c->value = d->value;
        }
        const char *word = d->value ? first_word(p->a, d->value) : NULL;
        if (!word) {
            *w = (struct which){.kind = FACT_CMD_KIND_MISSING};
            return;
        }
        if (strcmp(word, name) == 0)
            break;
        name = word;
    }
    if (strcmp(name, c->name) == 0)
        return;
    if (strchr(name, '/'))
        which_path(at, interp_abspath(p->root, p->a, name), w);
    else
        which_find(at, name, w);
}

static void command(struct probe *p, struct which_at *at, struct known *k, const char *name)
{
    struct which w;
    struct root_stat st;
    struct fact_command *c = ARENA_PUSH(p->a, p->f->commands, p->f->n_commands);
    which_find(at, name, &w);
    c->name = name;
    c->kind = w.kind;
    c->path = w.path;
    follow_alias(p, at, c, &w);
    c->pyenv_version = w.pyenv_version;
    c->pyenv_origin = w.pyenv_origin;
    c->state = c->kind == FACT_CMD_KIND_MISSING ? FACT_ABSENT : FACT_PRESENT;
    c->source = c->set_in ? c->set_in : c->path;
    if (w.program && root_stat(p->root, w.program, &st) == 0) {
        const char *script = which_shebang(at, w.program);
        c->target = script ? script : is_interpreter_name(w.program) ? w.program : NULL;
    }
    if (c->target && is_interpreter_name(c->target))
        c->prefix = prefix_of(p, k, c->target);
}

static void kernels(struct probe *p, struct known *known)
{
    struct kernel *k;
    size_t n;
    const char *server = p->f->commands[p->f->n_commands - 1].target; /* jupyter's */
    kernels_list(p->root, p->a, p->f->python.prefix, server ? server : "", &k, &n);
    for (size_t i = 0; i < n; i++) {
        struct fact_kernel *f = ARENA_PUSH(p->a, p->f->kernels, p->f->n_kernels);
        f->state = k[i].state;
        f->source = f->file = k[i].file;
        f->name = k[i].name;
        if (k[i].state != FACT_PRESENT)
            continue;
        const char *ld = kernelspec_getenv(&k[i].spec, "LD_LIBRARY_PATH");
        f->display = k[i].spec.display_name;
        f->argv0 = k[i].spec.argv[0];
        f->python = k[i].python;
        f->prefix = f->python && is_interpreter_name(f->python) ? prefix_of(p, known, f->python) : NULL;
        f->ld_library_path = ld ? kernel_expand(p->root, p->a, ld) : NULL;
    }
}

void probe_shell(struct probe *p)
{
    static const char *const names[] = {"python", "python3", "pip", "pip3", "jupyter"}; /* jupyter last */
    struct known known = {.n = 0};
    struct which_at at = {.r = p->root, .a = p->a};
    rc_scan(p);
    for (size_t i = 0; i < TG_COUNT(names); i++)
        command(p, &at, &known, names[i]);
    kernels(p, &known);
}
