/* SPDX-License-Identifier: Apache-2.0 */
/* syspath - sys.path of an interpreter as getpath and site build it. */
#include "probe/syspath.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "formats/pth.h"
#include "probe/syspath_internal.h"

enum { PTH_MAX = 1 << 20, SITE_PY_MAX = 256 << 10 };

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

struct sysdir *syspath_find(const struct builder *b, const char *dir)
{
    for (size_t i = 0; i < b->s->n_dirs; i++)
        if (strcmp(b->s->dirs[i].dir, dir) == 0 && strcmp(b->s->dirs[i].origin, "script-dir") != 0 && !(b->s->dirs[i].unseen && !b->code_depth))
            return &b->s->dirs[i];
    return NULL;
}

struct sysdir *syspath_add(struct builder *b, const char *dir, const char *origin, bool must_exist)
{
    struct root_stat st;
    struct sysdir *d = syspath_find(b, dir);
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

static bool run_line(struct builder *b, const char *dir, const char *file, const struct pth_line *l, const char *origin)
{
    if (l->kind == PTH_CODE) {
        const char *where = arena_printf(b->a, "%s:%u", file, l->line);
        *ARENA_PUSH(b->a, b->s->pth_code, b->s->n_pth_code) = where;
        return syspath_run_code(b, dir, l->text, where, origin);
    }
    size_t before = b->s->n_dirs;
    if (!syspath_imports_are_there(b))
        return false;
    if (memchr(l->text.p, '\0', l->text.n))
        return true; /* there is no such folder */
    struct sysdir *d = syspath_add(b, path_clean(b->a, path_join(b->a, dir, arena_strndup(b->a, l->text.p, l->text.n))), origin, true);
    if (d && b->s->n_dirs > before)
        d->unseen = b->code_depth > 0;
    return true;
}

static void add_pth(struct builder *b, const char *dir, const char *name)
{
    enum { FIRST_CHUNK = 8192 }; /* older Pythons decode as they read */
    static const char mark[] = "\xef\xbb\xbf";
    const char *file = path_join(b->a, dir, name), *text, *origin = NULL;
    size_t len, pos, bad;
    uint32_t line = 0;
    struct pth_line l;
    bool goes_on = true;
    if (root_read(b->r, file, PTH_MAX, b->a, &text, &len) < 0)
        return;
    enum tri decodes = pth_decodes(b->r, &b->how, b->in->minor, text, len, &bad);
    if (decodes == TRI_NO && (bad < FIRST_CHUNK || b->how.utf8_first))
        syspath_note_end(b, file, FACT_START_END_ENCODING, NULL);
    if (decodes == TRI_UNKNOWN)
        syspath_note_unknown(b, file, 0);
    b->n_imports = 0;
    pos = b->how.utf8_first && len >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
    while (goes_on && b->s->end == FACT_START_END_NONE && pth_next(text, len, &pos, &line, &l)) {
        origin = origin ? origin : arena_printf(b->a, "pth:%s", file);
        goes_on = run_line(b, dir, file, &l, origin);
    }
    if (decodes == TRI_NO && goes_on)
        syspath_note_end(b, file, FACT_START_END_ENCODING, NULL);
}

void syspath_add_site(struct builder *b, const char *dir, const char *origin)
{
    dir = path_clean(b->a, dir);
    struct root_stat st;
    struct sysdir *d = syspath_find(b, dir);
    if (!d && (root_stat(b->r, dir, &st) < 0 || st.type != ROOT_DIR))
        return;
    d = d ? d : syspath_add(b, dir, origin, false);
    if (!syspath_list(b->r, b->a, d))
        return;
    struct root_dirent *ents = d->ents; /* `d` moves when the list grows */
    for (size_t i = 0, n = d->n_ents; i < n && b->s->end == FACT_START_END_NONE; i++)
        if (str_ends(ents[i].name, ".pth") && !(b->how.skip_hidden && ents[i].name[0] == '.'))
            add_pth(b, dir, ents[i].name);
}

static void add_site_folders(struct builder *b, const char *prefix, bool in_venv)
{
    struct arena *a = b->a;
    const char *site = b->debian ? "dist-packages" : "site-packages";
    const char *libs[] = {b->in->platlibdir, "lib"};
    if (b->debian) {
        if (in_venv)
            syspath_add_site(b, arena_printf(a, "%s/lib/%s/site-packages", prefix, b->lib), "site");
        syspath_add_site(b, arena_printf(a, "%s/local/lib/%s/dist-packages", prefix, b->lib), "dist-packages");
        syspath_add_site(b, arena_printf(a, "%s/lib/python3/dist-packages", prefix), "dist-packages");
    }
    for (size_t i = strcmp(libs[0], libs[1]) == 0; i < TG_COUNT(libs); i++)
        syspath_add_site(b, arena_printf(a, "%s/%s/%s/%s", prefix, libs[i], b->lib, site), b->debian ? "dist-packages" : "site");
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
        syspath_add_site(b, dir, "user-site");
        s->user_site_enabled = syspath_find(b, dir) ? TRI_YES : TRI_NO;
        if (!syspath_find(b, dir))
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
    const char *text = NULL;
    size_t len = 0;
    struct arena scratch;
    arena_init(&scratch, 0);
    if (root_read(b->r, path_join(b->a, b->in->stdlib, "site.py"), SITE_PY_MAX, &scratch, &text, &len) == 0) {
        b->debian = memmem(text, len, "dist-packages", strlen("dist-packages"));
        b->fedora = memmem(text, len, "RPM_BUILD_ROOT", strlen("RPM_BUILD_ROOT"));
    }
    b->how = pthreader_of(text, len, b->in->minor);
    arena_done(&scratch);
}

/* PYTHONPATH: an empty element is the working folder. */
static void add_pythonpath(struct builder *b)
{
    for (const char *p = b->vars->path; p;) {
        size_t n = strcspn(p, ":");
        const char *dir = arena_strndup(b->a, p, n);
        syspath_add(b, interp_abspath(b->r, b->a, dir), "PYTHONPATH", false);
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
            syspath_add(b, path_clean(b->a, path_join(b->a, dir, arena_strndup(b->a, l.text.p, l.text.n))), "._pth", false);
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
        syspath_add(&b, root_cwd(r), "script-dir", false);
    add_pythonpath(&b);
    const char *zip = arena_printf(a, "%s/python%u%u%s.zip", in->platlibdir, in->major, in->minor, in->abi_thread);
    syspath_add(&b, path_clean(a, path_join(a, in->base_prefix, zip)), "stdlib", false);
    syspath_add(&b, path_clean(a, in->stdlib), "stdlib", false);
    syspath_add(&b, path_clean(a, in->dynload), "dynload", false);
    run_site(&b);
}
