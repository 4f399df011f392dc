/* SPDX-License-Identifier: Apache-2.0 */
/* syspath_code - what lines of code in .pth files do to sys.path, to the environment and to the interpreter itself. */
#include <string.h>
#include "formats/pthcode.h"
#include "probe/syspath_internal.h"

enum { CODE_DEPTH_MAX = 8, CODE_MAX = 4096 };

/* The script's folder is put before sys.path only after site has run. */
static size_t first_of_path(const struct builder *b)
{
    return b->s->n_dirs && strcmp(b->s->dirs[0].origin, "script-dir") == 0;
}

/* As Python takes an index of a list. */
static size_t clamp(const struct builder *b, int32_t at)
{
    size_t first = first_of_path(b), n = b->s->n_dirs - first;
    if (at < 0)
        return (size_t)-(int64_t)at < n ? first + n - (size_t)-(int64_t)at : first;
    return first + ((size_t)at < n ? (size_t)at : n);
}

/* An empty element is the working folder, and what is not absolute is taken from there. */
static const char *as_dir(const struct builder *b, const char *item)
{
    return *item == '/' ? arena_strdup(b->a, item) : interp_abspath(b->r, b->a, item);
}

static bool is_there(const struct builder *b, const char *item)
{
    const char *dir = as_dir(b, item);
    for (size_t i = first_of_path(b); i < b->s->n_dirs; i++)
        if (strcmp(b->s->dirs[i].dir, dir) == 0)
            return true;
    return false;
}

static void splice(struct builder *b, const struct pthcode_effect *x, const char *origin)
{
    struct syspath *s = b->s;
    size_t from = clamp(b, x->from), to = clamp(b, x->to);
    to = to < from ? from : to;
    memmove(s->dirs + from, s->dirs + to, (s->n_dirs - to) * sizeof *s->dirs);
    s->n_dirs -= to - from;
    for (size_t i = 0; i < x->n_items; i++, from++) {
        struct root_stat st;
        (void)ARENA_PUSH(b->a, s->dirs, s->n_dirs);
        memmove(s->dirs + from + 1, s->dirs + from, (s->n_dirs - 1 - from) * sizeof *s->dirs);
        struct sysdir d = {.dir = as_dir(b, x->items[i]), .origin = origin, .unseen = true};
        d.exists = root_stat(b->r, d.dir, &st) == 0;
        d.is_dir = d.exists && st.type == ROOT_DIR;
        s->dirs[from] = d;
    }
}

static bool remove_entry(struct builder *b, const char *item)
{
    struct syspath *s = b->s;
    const char *dir = as_dir(b, item);
    for (size_t i = first_of_path(b); i < s->n_dirs; i++)
        if (strcmp(s->dirs[i].dir, dir) == 0) {
            memmove(s->dirs + i, s->dirs + i + 1, (--s->n_dirs - i) * sizeof *s->dirs);
            return true;
        }
    return false;
}

/* What was appended since the mark goes to the front, behind what went there before. */
static void mark_to_front(struct builder *b)
{
    struct syspath *s = b->s;
    size_t n = b->mark < s->n_dirs ? s->n_dirs - b->mark : 0, at = first_of_path(b) + b->front;
    if (n == 0 || at > b->mark)
        return;
    struct sysdir *moved = arena_array(b->a, n, sizeof *moved);
    memcpy(moved, s->dirs + b->mark, n * sizeof *moved);
    memmove(s->dirs + at + n, s->dirs + at, (b->mark - at) * sizeof *moved);
    memcpy(s->dirs + at, moved, n * sizeof *moved);
    b->front += n;
}

void syspath_note_unknown(struct builder *b, const char *where, size_t from)
{
    if (!b->s->unknown_code || from < b->s->unknown_from) {
        b->s->unknown_code = where;
        b->s->unknown_from = from;
    }
}

/* site.addsitedir, called by code: whatever is on sys.path is known to it. */
static void add_site_by_code(struct builder *b, const char *item, const char *origin)
{
    const char *dir = path_clean(b->a, as_dir(b, item));
    b->code_depth++;
    struct sysdir *d = syspath_find(b, dir);
    if (!d) {
        d = syspath_add(b, dir, origin, false);
        d->unseen = true;
    }
    if (d->is_dir)
        syspath_add_site(b, dir, origin);
    b->code_depth--;
}

void syspath_note_end(struct builder *b, const char *where, enum fact_start_end how, const char *signal)
{
    if (b->s->end != FACT_START_END_NONE)
        return;
    b->s->end = how;
    b->s->end_at = where;
    b->s->end_signal = signal;
}

/* dlopen by code. A name without a folder is looked for by the loader, later. false: it is sure to fail. */
static bool load(struct builder *b, const char *item, const char *where)
{
    char head[4];
    struct rfile *f;
    const char *name = strchr(item, '/') ? as_dir(b, item) : arena_strdup(b->a, item);
    if (*name == '/') {
        if (root_open(b->r, name, &f, NULL) < 0)
            return false;
        long n = rfile_pread(f, head, sizeof head, 0);
        rfile_close(f);
        if (n != sizeof head || memcmp(head, "\x7f" "ELF", sizeof head) != 0)
            return false;
    }
    *ARENA_PUSH(b->a, b->s->loads, b->s->n_loads) = (struct fact_pth_load){.name = name, .where = where};
    return true;
}

/* Built into the interpreter, or in a folder of sys.path: a file, a folder, an extension. Hooks are not asked: none is there so early but
 * those of other .pth files, and these bring what their names say. */
static bool module_is_there(struct builder *b, const char *name)
{
    static const char *const builtin[] = {"atexit", "errno", "gc", "itertools", "marshal", "math", "posix", "pwd", "select", "time", "array", "binascii", "zlib", "fcntl", "grp", "resource", "syslog", "unicodedata"};
    struct root_stat st;
    if (name[0] == '_' && name[1] != '_')
        return true; /* many are built in */
    for (size_t i = 0; i < TG_COUNT(builtin); i++)
        if (str_eq(builtin[i], name))
            return true;
    for (size_t i = first_of_path(b); i < b->s->n_dirs; i++) {
        struct sysdir *d = &b->s->dirs[i];
        if (!d->is_dir && d->exists)
            return true; /* an archive */
        const char *stem = path_join(b->a, d->dir, name);
        if (d->is_dir && (root_stat(b->r, stem, &st) == 0 || root_stat(b->r, arena_printf(b->a, "%s.py", stem), &st) == 0))
            return true;
        for (size_t k = 0; d->is_dir && syspath_list(b->r, b->a, d) && k < d->n_ents; k++)
            if (str_starts(d->ents[k].name, name) && d->ents[k].name[strlen(name)] == '.')
                return true;
    }
    return false;
}

bool syspath_imports_are_there(struct builder *b)
{
    size_t n = b->n_imports;
    b->n_imports = 0;
    for (size_t i = 0; i < n; i++)
        if (!module_is_there(b, b->imports[i]))
            return false;
    return true;
}

/* false: Python raises an exception, and site passes over the rest of the file. */
static bool run_effect(struct builder *b, const struct pthcode_effect *x, const char *where, const char *origin)
{
    b->code_used += 1 + (unsigned)x->n_items;
    if (x->op == PTHCODE_IMPORT) {
        *ARENA_PUSH(b->a, b->imports, b->n_imports) = arena_strdup(b->a, x->items[0]);
        return true;
    }
    if (!syspath_imports_are_there(b))
        return false;
    if (b->code_used > CODE_MAX || (x->op == PTHCODE_SITEDIR && b->code_depth == CODE_DEPTH_MAX)) {
        syspath_note_unknown(b, where, 0);
        return true;
    }
    if (x->op == PTHCODE_SPLICE && x->unless_there && is_there(b, x->items[0]))
        return true;
    switch (x->op) {
    case PTHCODE_SPLICE:
        splice(b, x, origin);
        return true;
    case PTHCODE_REMOVE:
        return remove_entry(b, x->items[0]);
    case PTHCODE_SITEDIR:
        add_site_by_code(b, x->items[0], origin);
        return true;
    case PTHCODE_SETENV:
        *ARENA_PUSH(b->a, b->s->variables, b->s->n_variables) = (struct fact_pth_variable){
            .name = arena_strdup(b->a, x->items[0]), .value = x->n_items > 1 ? arena_strdup(b->a, x->items[1]) : NULL, .unless_set = x->unless_there, .where = where};
        return true;
    case PTHCODE_MARK:
        b->has_mark = true;
        b->mark = b->s->n_dirs;
        return true;
    case PTHCODE_MARK_FRONT:
        if (b->has_mark)
            mark_to_front(b);
        return b->has_mark;
    case PTHCODE_IMPORT:
        return true;
    case PTHCODE_EXIT:
        syspath_note_end(b, where, x->from ? FACT_START_END_SIGNAL : FACT_START_END_EXIT, pthcode_signal(x->from));
        return false;
    case PTHCODE_LOAD:
        return load(b, x->items[0], where);
    case PTHCODE_APPEND_UNKNOWN:
        syspath_note_unknown(b, where, b->s->n_dirs);
        return true;
    case PTHCODE_UNKNOWN:
        syspath_note_unknown(b, where, 0);
        return true;
    case PTHCODE_ERROR:
        return false;
    }
    return true;
}

static const char *variable(void *ctx, const char *name)
{
    const struct builder *b = ctx;
    const char *v = root_getenv(b->r, name);
    for (size_t i = 0; i < b->s->n_variables; i++) {
        const struct fact_pth_variable *x = &b->s->variables[i];
        if (str_eq(x->name, name) && !(x->unless_set && v))
            v = x->value;
    }
    return v;
}

bool syspath_run_code(struct builder *b, const char *dir, struct str line, const char *where, const char *origin)
{
    struct pthcode_scope scope = {.sitedir = dir, .cwd = root_cwd(b->r), .home = root_home(b->r), .prefix = b->in->prefix,
                                  .getenv = variable, .getenv_ctx = b};
    struct pthcode_effect *x;
    size_t n;
    bool goes_on = true;
    struct arena scratch;
    arena_init(&scratch, 0);
    pthcode_parse(line, &scope, &scratch, &x, &n);
    for (size_t i = 0; i < n && goes_on; i++)
        goes_on = run_effect(b, &x[i], where, origin);
    arena_done(&scratch);
    return goes_on;
}
