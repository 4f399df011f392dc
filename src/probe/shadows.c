/* SPDX-License-Identifier: Apache-2.0 */
/* shadows - modules that the import of TensorFlow would take from an unexpected place. */
#include "probe/shadows.h"
#include <errno.h>
#include <string.h>
#include "formats/pysource.h"
#include "knowledge/pydata.h"
#include "probe/pyarchive.h"
#include "probe/syspath.h"

enum { LISTING_MAX = 1024, SOURCE_MAX = 1 << 20 };

/* An entry of sys.path: a folder, or an archive. */
struct place { size_t i; const struct sysdir *d; const struct pyarchive *zip; };

static bool is_file(struct probe *p, const char *path)
{
    struct root_stat st;
    return root_stat(p->root, path, &st) == 0 && st.type == ROOT_FILE;
}

/* `name`: from the entry on. */
static bool has_file(struct probe *p, const struct place *at, const char *name)
{
    return at->zip ? pyarchive_has(at->zip, p->a, name) : is_file(p, path_join(p->a, at->d->dir, name));
}

/* The name that an entry can be imported under: "random.py", "x.abi3.so", a folder. 0: none. */
static size_t module_len(const char *entry)
{
    static const char *const ext[] = {".py", ".so", ".pyc"};
    size_t n = strlen(entry);
    for (size_t i = 0; i < TG_COUNT(ext); i++)
        if (str_ends(entry, ext[i]))
            return strcspn(entry, ".");
    return strchr(entry, '.') ? 0 : n;
}

/* The path of a namespace package is made of the folders of that name all along sys.path, in its order: what this one holds of the module
 * is taken before what is in `expected`. NULL: it holds nothing of it, or the module is no namespace there. */
static const char *part_of_namespace(struct probe *p, const struct place *at, const struct imported_module *m, const char *expected)
{
    if (!expected || is_file(p, path_join(p->a, path_join(p->a, expected, m->name), "__init__.py")) ||
        (at->zip && !pyarchive_has_folder(at->zip, p->a, m->name)))
        return NULL;
    for (size_t i = 0; i < TG_COUNT(m->files) && m->files[i]; i++)
        if (has_file(p, at, m->files[i]))
            return m->files[i];
    return NULL;
}

/* The module in this place, as the import system would take it: a package first, then an extension, then a file. A folder without
 * __init__.py counts only when nothing else is found, so it hides nothing but parts of another such folder. An archive gives no extension. */
static const char *module_in(struct probe *p, const struct place *at, const struct root_dirent *d, const struct imported_module *m, const char *expected)
{
    if (strchr(d->name, '.')) {
        bool file = d->type == ROOT_FILE || (d->type != ROOT_DIR && has_file(p, at, d->name));
        return file && !(at->zip && str_ends(d->name, ".so")) ? d->name : NULL;
    }
    if (d->type == ROOT_FILE)
        return NULL;
    bool compiled = at->zip && has_file(p, at, path_join(p->a, d->name, "__init__.pyc"));
    return compiled || has_file(p, at, path_join(p->a, d->name, "__init__.py")) ? d->name : part_of_namespace(p, at, m, expected);
}

/* Folder of sys.path that a module should come from. NULL: it is not there, or unknown. */
static const char *expected_dir(const struct probe *p, const struct imported_module *m)
{
    const struct facts *f = p->f;
    if (m->stdlib)
        return f->python.stdlib;
    if (str_eq(m->name, "tensorflow") && f->tensorflow.package_dir)
        return path_dir(p->a, f->tensorflow.package_dir);
    for (size_t i = 0; i < f->n_packages; i++)
        if (str_eq(f->packages[i].name, m->dist) && !f->packages[i].shadowed_by)
            return f->packages[i].dir;
    return NULL;
}

static size_t index_of(const struct syspath *s, const char *dir)
{
    for (size_t i = 0; dir && i < s->n_dirs; i++)
        if (str_eq(s->dirs[i].dir, dir) && !str_eq(s->dirs[i].origin, "script-dir"))
            return i;
    return dir ? s->n_dirs : SIZE_MAX;
}

static int read_text(struct probe *p, const struct place *at, const char *name, struct arena *a, const char **ret, size_t *ret_n)
{
    return at->zip ? pyarchive_read(at->zip, name, SOURCE_MAX, a, ret, ret_n)
                   : root_read(p->root, path_join(a, at->d->dir, name), SOURCE_MAX, a, ret, ret_n);
}

/* What code in the module's file is sure to raise; NULL: nothing is sure. `name`: what module_in gave. */
static const char *raises(struct probe *p, const struct place *at, const char *name)
{
    const char *file = str_ends(name, ".py") ? name : path_join(p->a, name, "__init__.py"), *text, *ret = NULL;
    struct arena tmp;
    struct pysource s;
    struct str what;
    size_t n;
    arena_init(&tmp, 0);
    if (read_text(p, at, file, &tmp, &text, &n) == 0) {
        pysource_read((struct str){text, n}, &tmp, &s);
        if (s.fault != PYSOURCE_OK)
            ret = "SyntaxError";
        else if (pysource_raises((struct str){text, n}, &what))
            ret = what.n ? arena_strndup(p->a, what.p, what.n) : "Exception";
    }
    arena_done(&tmp);
    return ret;
}

static void add(struct probe *p, const struct place *at, const struct imported_module *m, const char *name, const char *expected)
{
    struct fact_tensorflow *t = &p->f->tensorflow;
    for (size_t i = 0; i < t->n_shadows; i++)
        if (str_eq(t->shadows[i].module, m->name))
            return; /* an earlier folder wins */
    struct fact_shadow *s = ARENA_PUSH(p->a, t->shadows, t->n_shadows);
    *s = (struct fact_shadow){.module = m->name, .path = path_join(p->a, at->d->dir, name), .origin = at->d->origin, .dir = at->d->dir,
                              .expected = expected, .raises = m->breaks ? NULL : raises(p, at, name)};
}

/* Does a later folder of sys.path hold the module too? Site folders are listed already. */
static const char *also_in(struct probe *p, size_t after, const char *name)
{
    for (size_t i = after + 1; i < p->sys->n_dirs; i++)
        if (p->sys->dirs[i].listed && syspath_has(&p->sys->dirs[i], name))
            return p->sys->dirs[i].dir;
    return NULL;
}

/* What is not installed may be there all the same; a file without a fault does no harm then. */
static void add_if_it_raises(struct probe *p, const struct place *at, const struct imported_module *m, const struct root_dirent *e)
{
    const char *name = module_in(p, at, e, m, NULL);
    if (name && raises(p, at, name))
        add(p, at, m, name, NULL);
}

static void consider(struct probe *p, const struct place *at, const struct root_dirent *e)
{
    const struct sysdir *d = at->d;
    size_t n = module_len(e->name), i = at->i;
    const struct imported_module *m = n ? pydata_module(e->name, n) : NULL;
    if (!m)
        return;
    const char *expected = expected_dir(p, m);
    if (m->optional && !expected) {
        add_if_it_raises(p, at, m, e);
        return;
    }
    size_t right = index_of(p->sys, expected);
    bool user_copy = right == i && str_eq(d->origin, "user-site");
    if (user_copy)
        expected = also_in(p, i, m->name);
    if ((right <= i && !user_copy) || (user_copy && !expected) || (!expected && !str_eq(m->name, "tensorflow")))
        return;
    const char *name = module_in(p, at, e, m, expected);
    if (name)
        add(p, at, m, name, expected);
}

/* A folder too large to list: ask for each name. */
static void ask_names(struct probe *p, const struct place *at)
{
    size_t n;
    const struct imported_module *m = pydata_modules(&n);
    for (size_t k = 0; k < n; k++) {
        const char *file = arena_printf(p->a, "%s.py", m[k].name);
        if (has_file(p, at, file))
            consider(p, at, &(struct root_dirent){file, ROOT_FILE});
        else
            consider(p, at, &(struct root_dirent){m[k].name, ROOT_DIR});
    }
}

/* The working folder may be a place that is on sys.path anyway: then it hides nothing. */
static bool same_as_later(struct probe *p, size_t i)
{
    struct root_stat a, b;
    if (root_stat(p->root, p->sys->dirs[i].dir, &a) < 0)
        return true; /* not there */
    for (size_t k = i + 1; k < p->sys->n_dirs; k++)
        if (p->sys->dirs[k].is_dir && root_stat(p->root, p->sys->dirs[k].dir, &b) == 0 && a.dev == b.dev && a.ino == b.ino)
            return true;
    return false;
}

static void look_into(struct probe *p, size_t i)
{
    struct sysdir *d = &p->sys->dirs[i];
    const struct place at = {.i = i, .d = d};
    struct root_dirent *ents = d->ents;
    size_t n = d->n_ents;
    struct arena scratch;
    arena_init(&scratch, 0);
    int rc = d->listed ? 0 : root_readdir(p->root, d->dir, LISTING_MAX, &scratch, &ents, &n);
    if (rc == -E2BIG)
        ask_names(p, &at);
    for (size_t k = 0; rc == 0 && k < n; k++)
        consider(p, &at, &ents[k]);
    arena_done(&scratch);
}

static void look_into_archive(struct probe *p, size_t i)
{
    struct pyarchive zip;
    struct root_dirent *ents;
    size_t n;
    struct arena scratch;
    arena_init(&scratch, 0);
    int rc = pyarchive_open(p->root, &scratch, p->sys->dirs[i].dir, &zip);
    if (rc == 0) {
        const struct place at = {.i = i, .d = &p->sys->dirs[i], .zip = &zip};
        pyarchive_list(&zip, &scratch, &ents, &n);
        for (size_t k = 0; k < n; k++)
            consider(p, &at, &ents[k]);
        pyarchive_close(&zip);
    } else if (rc != -ENOENT && !p->f->tensorflow.unclear_archive) {
        p->f->tensorflow.unclear_archive = p->sys->dirs[i].dir;
    }
    arena_done(&scratch);
}

void shadows_find(struct probe *p)
{
    struct syspath *s = p->sys;
    const struct fact_tensorflow *t = &p->f->tensorflow;
    if (!s)
        return;
    /* Behind the folder that holds TensorFlow nothing can hide anything that matters. */
    size_t last = t->package_dir ? index_of(s, path_dir(p->a, t->package_dir)) : s->n_dirs;
    for (size_t i = 0; i < s->n_dirs && i < last; i++) {
        const char *o = s->dirs[i].origin;
        bool own = str_eq(o, "stdlib") || str_eq(o, "dynload"), script = str_eq(o, "script-dir");
        if (own || (script && same_as_later(p, i)))
            continue;
        if (s->dirs[i].is_dir || script)
            look_into(p, i);
        else
            look_into_archive(p, i);
    }
}
