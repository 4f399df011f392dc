/* SPDX-License-Identifier: Apache-2.0 */
/* syspath - sys.path of an interpreter as getpath and site build it. */
#include "probe/syspath.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "formats/pth.h"
#include "formats/pthcode.h"

enum { PTH_MAX = 1 << 20, SITE_PY_MAX = 256 << 10, CODE_DEPTH_MAX = 8, CODE_MAX = 4096 };

struct builder {
    struct root *r;
    struct arena *a;
    const struct interp *in;
    const struct pyvars *vars;
    struct syspath *s;
    const char *lib;      /* "python3.11" */
    bool debian;          /* site.py knows dist-packages */
    bool fedora;          /* site.py adds /usr/local */
    bool skip_hidden;     /* .pth files whose name starts with a dot are not read */
    unsigned code_depth;  /* site.addsitedir called by code inside a folder that code had added */
    unsigned code_used;   /* entries and folders that code had its part in, at most CODE_MAX */
    bool has_mark;        /* easy-install.pth: sys.__plen is set, to `mark`; sys.__egginsert is `front` */
    size_t mark, front;
};

static int cmp_dirent(const void *x, const void *y)
{
    return strcmp(((const struct root_dirent *)x)->name, ((const struct root_dirent *)y)->name);
}

bool syspath_list(struct root *r, struct arena *a, struct sysdir *d)
{
    if (d->listed)
        return true;
    int rc = d->is_dir ? root_readdir(r, d->dir, SYSPATH_MAX_ENTRIES, a, &d->ents, &d->n_ents) : -ENOTDIR;
    if (rc == -EACCES)
        d->ents = NULL, d->n_ents = 0; /* Python finds nothing in what it may not list, either: FileFinder._fill_cache */
    else if (rc < 0)
        return false;
    if (d->n_ents)
        qsort(d->ents, d->n_ents, sizeof *d->ents, cmp_dirent);
    d->listed = true;
    return true;
}

bool syspath_has(const struct sysdir *d, const char *name)
{
    struct root_dirent key = {.name = name};
    return d->listed && d->n_ents && bsearch(&key, d->ents, d->n_ents, sizeof *d->ents, cmp_dirent);
}

static struct sysdir *find(const struct builder *b, const char *dir)
{
    for (size_t i = 0; i < b->s->n_dirs; i++)
        if (strcmp(b->s->dirs[i].dir, dir) == 0 && strcmp(b->s->dirs[i].origin, "script-dir") != 0 && !(b->s->dirs[i].unseen && !b->code_depth))
            return &b->s->dirs[i];
    return NULL;
}

/* Append unless it is there; `must_exist` as for the lines of .pth files. Returns its entry, or NULL. */
static struct sysdir *add(struct builder *b, const char *dir, const char *origin, bool must_exist)
{
    struct root_stat st;
    struct sysdir *d = find(b, dir);
    if (d)
        return d;
    bool exists = root_stat(b->r, dir, &st) == 0;
    if (must_exist && !exists)
        return NULL;
    d = ARENA_PUSH(b->a, b->s->dirs, b->s->n_dirs);
    d->dir = dir;
    d->origin = origin;
    d->exists = exists;
    d->is_dir = exists && st.type == ROOT_DIR;
    return d;
}

static void add_site(struct builder *b, const char *dir, const char *origin);

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

static void note_unknown(struct builder *b, const char *where, size_t from)
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
    struct sysdir *d = find(b, dir);
    if (!d) {
        d = add(b, dir, origin, false);
        d->unseen = true;
    }
    if (d->is_dir)
        add_site(b, dir, origin);
    b->code_depth--;
}

/* false: Python raises an exception, and site passes over the rest of the file. */
static bool run_effect(struct builder *b, const struct pthcode_effect *x, const char *where, const char *origin)
{
    b->code_used += 1 + (unsigned)x->n_items;
    if (b->code_used > CODE_MAX || (x->op == PTHCODE_SITEDIR && b->code_depth == CODE_DEPTH_MAX)) {
        note_unknown(b, where, 0);
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
    case PTHCODE_APPEND_UNKNOWN:
        note_unknown(b, where, b->s->n_dirs);
        return true;
    case PTHCODE_UNKNOWN:
        note_unknown(b, where, 0);
        return true;
    case PTHCODE_ERROR:
        return false;
    }
    return true;
}

static bool run_code(struct builder *b, const char *dir, struct str line, const char *where, const char *origin)
{
    struct pthcode_scope scope = {.sitedir = dir, .cwd = root_cwd(b->r), .home = root_home(b->r), .prefix = b->in->prefix};
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

static void add_pth(struct builder *b, const char *dir, const char *name)
{
    const char *file = path_join(b->a, dir, name), *text, *origin = NULL;
    size_t len, pos = 0;
    uint32_t line = 0;
    struct pth_line l;
    bool goes_on = true;
    if (root_read(b->r, file, PTH_MAX, b->a, &text, &len) < 0)
        return;
    while (goes_on && pth_next(text, len, &pos, &line, &l)) {
        origin = origin ? origin : arena_printf(b->a, "pth:%s", file);
        if (l.kind == PTH_CODE) {
            const char **code = ARENA_PUSH(b->a, b->s->pth_code, b->s->n_pth_code);
            *code = arena_printf(b->a, "%s:%u", file, l.line);
            goes_on = run_code(b, dir, l.text, *code, origin);
        } else if (!memchr(l.text.p, '\0', l.text.n)) {
            size_t before = b->s->n_dirs;
            struct sysdir *d = add(b, path_clean(b->a, path_join(b->a, dir, arena_strndup(b->a, l.text.p, l.text.n))), origin, true);
            if (d && b->s->n_dirs > before)
                d->unseen = b->code_depth > 0;
        }
    }
}

/* site.addsitedir: the folder itself, then what its .pth files name, in the order of their names. */
static void add_site(struct builder *b, const char *dir, const char *origin)
{
    dir = path_clean(b->a, dir);
    struct root_stat st;
    struct sysdir *d = find(b, dir);
    if (!d && (root_stat(b->r, dir, &st) < 0 || st.type != ROOT_DIR))
        return;
    d = d ? d : add(b, dir, origin, false);
    if (!syspath_list(b->r, b->a, d))
        return;
    struct root_dirent *ents = d->ents; /* `d` moves when the list grows */
    for (size_t i = 0, n = d->n_ents; i < n; i++)
        if (str_ends(ents[i].name, ".pth") && !(b->skip_hidden && ents[i].name[0] == '.'))
            add_pth(b, dir, ents[i].name);
}

static void add_site_folders(struct builder *b, const char *prefix, bool in_venv)
{
    struct arena *a = b->a;
    const char *site = b->debian ? "dist-packages" : "site-packages";
    const char *libs[] = {b->in->platlibdir, "lib"};
    if (b->debian) {
        if (in_venv)
            add_site(b, arena_printf(a, "%s/lib/%s/site-packages", prefix, b->lib), "site");
        add_site(b, arena_printf(a, "%s/local/lib/%s/dist-packages", prefix, b->lib), "dist-packages");
        add_site(b, arena_printf(a, "%s/lib/python3/dist-packages", prefix), "dist-packages");
    }
    for (size_t i = strcmp(libs[0], libs[1]) == 0; i < TG_COUNT(libs); i++)
        add_site(b, arena_printf(a, "%s/%s/%s/%s", prefix, libs[i], b->lib, site), b->debian ? "dist-packages" : "site");
}

static void add_user_site(struct builder *b)
{
    struct syspath *s = b->s;
    const char *base = b->vars->user_base, *home = root_home(b->r);
    if (!base && home)
        base = path_join(b->a, home, ".local");
    if (base && base[0] == '~' && base[1] == '/' && home)
        base = path_join(b->a, home, base + 2);
    if (!base) {
        s->no_user_site_why = "no home directory";
        s->user_site_enabled = TRI_NO;
        return;
    }
    s->user_site = arena_printf(b->a, "%s/lib/%s/site-packages", base, b->lib);
    s->user_site_enabled = TRI_NO;
    if (b->vars->no_user_site) {
        s->no_user_site_why = "PYTHONNOUSERSITE is set";
    } else {
        const char *dir = path_clean(b->a, s->user_site);
        add_site(b, dir, "user-site");
        s->user_site_enabled = find(b, dir) ? TRI_YES : TRI_NO;
        if (!find(b, dir))
            s->no_user_site_why = "the folder does not exist";
    }
}

/* site.main(): the environment's own folders, the user's, the system's. */
static void run_site(struct builder *b)
{
    const struct interp *in = b->in;
    bool venv = in->cfg_path, system_site = !venv || in->cfg.system_site, in_venv = strcmp(in->prefix, in->base_prefix) != 0;
    b->s->isolated = !system_site;
    if (venv)
        add_site_folders(b, in->prefix, in_venv);
    if (!system_site) {
        b->s->user_site_enabled = TRI_NO;
        b->s->no_user_site_why = "the environment is isolated (include-system-site-packages = false)";
        return;
    }
    add_user_site(b);
    if (venv)
        add_site_folders(b, in->prefix, in_venv);
    if (b->fedora && b->s->user_site_enabled == TRI_YES)
        add_site_folders(b, "/usr/local", in_venv);
    add_site_folders(b, in->base_prefix, in_venv);
    if (strcmp(in->base_exec_prefix, in->base_prefix) != 0)
        add_site_folders(b, in->base_exec_prefix, in_venv);
}

/* What distributions changed in site.py is read from it: its path says nothing reliable about who built this Python. */
static void read_site_py(struct builder *b)
{
    static const char hidden[] = "not name.startswith(\".\")";
    const char *text;
    size_t len;
    struct arena scratch;
    arena_init(&scratch, 0);
    if (root_read(b->r, path_join(b->a, b->in->stdlib, "site.py"), SITE_PY_MAX, &scratch, &text, &len) < 0) {
        b->skip_hidden = b->in->minor >= 13;
    } else {
        b->debian = memmem(text, len, "dist-packages", strlen("dist-packages"));
        b->fedora = memmem(text, len, "RPM_BUILD_ROOT", strlen("RPM_BUILD_ROOT"));
        b->skip_hidden = memmem(text, len, hidden, strlen(hidden));
    }
    arena_done(&scratch);
}

/* PYTHONPATH: an empty element is the working folder. */
static void add_pythonpath(struct builder *b)
{
    for (const char *p = b->vars->path; p;) {
        size_t n = strcspn(p, ":");
        const char *dir = arena_strndup(b->a, p, n);
        add(b, interp_abspath(b->r, b->a, dir), "PYTHONPATH", false);
        p = p[n] ? p + n + 1 : NULL;
    }
}

/* A ._pth replaces everything, the environment's variables included. */
static void run_isolated_pth(struct builder *b)
{
    const struct interp *in = b->in;
    size_t pos = 0;
    uint32_t line = 0;
    struct pth_line l;
    const char *dir = path_dir(b->a, in->pth_file);
    while (pth_next_isolated(in->pth.p, in->pth.n, &pos, &line, &l))
        if (l.kind == PTH_PATH && !memchr(l.text.p, '\0', l.text.n))
            add(b, path_clean(b->a, path_join(b->a, dir, arena_strndup(b->a, l.text.p, l.text.n))), "._pth", false);
    if (in->pth_site)
        run_site(b);
    b->s->safe_path = b->s->isolated = true;
}

void syspath_build(struct root *r, struct arena *a, const struct interp *in, const struct pyvars *vars, struct syspath *ret)
{
    *ret = (struct syspath){0};
    if (!in->base_prefix)
        return;
    struct builder b = {.r = r, .a = a, .in = in, .vars = vars, .s = ret};
    b.lib = arena_printf(a, "python%u.%u%s", in->major, in->minor, in->abi_thread);
    read_site_py(&b);
    if (in->pth_file) {
        run_isolated_pth(&b);
        return;
    }
    ret->safe_path = vars->safe_path && in->minor >= 11;
    if (!ret->safe_path)
        add(&b, root_cwd(r), "script-dir", false);
    add_pythonpath(&b);
    const char *zip = arena_printf(a, "%s/python%u%u%s.zip", in->platlibdir, in->major, in->minor, in->abi_thread);
    add(&b, path_clean(a, path_join(a, in->base_prefix, zip)), "stdlib", false);
    add(&b, path_clean(a, in->stdlib), "stdlib", false);
    add(&b, path_clean(a, in->dynload), "dynload", false);
    run_site(&b);
}
