/* SPDX-License-Identifier: Apache-2.0 */
/* py_import - the import statements of TensorFlow's Python files, and what changed ones among them do to the import. */
#include "probe/py_import.h"
#include <stdlib.h>
#include <string.h>
#include "formats/pysource.h"
#include "formats/record.h"

static const char package[] = "tensorflow/", root_file[] = "tensorflow/__init__.py", init_file[] = "/__init__.py";
enum { SOURCE_MAX = 1 << 24, PATH_MAX_BYTES = 4096, LISTING_MAX = 4096, PYC_HEAD = 16 };

enum reach { REACH_NONE, REACH_MAYBE, REACH_SURE };

struct edge { uint32_t to; bool sure; };
struct want { uint32_t from; struct str name; bool sure, sets; }; /* `from` takes this name from a changed file, or puts it there */

struct node {
    const char *path;
    enum reach reach;
    bool is_read;
    struct fact_tampered *changed;  /* NULL: as installed, as far as is known */
    struct edge *edges; size_t n_edges;
    struct want *wants; size_t n_wants;
};

struct graph {
    struct probe *p;
    const char *site;
    struct arena *a;        /* for as long as the graph lives */
    struct node *nodes; size_t n_nodes; /* sorted by path */
    bool has_gaps;          /* a file could not be read: what it imports is not known */
};

static bool is_python(const char *path)
{
    return str_starts(path, package) && str_ends(path, ".py");
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct node *)a)->path, ((const struct node *)b)->path);
}

static struct node *find(const struct graph *g, const char *path)
{
    const struct node key = {.path = path};
    return g->n_nodes ? bsearch(&key, g->nodes, g->n_nodes, sizeof key, by_path) : NULL;
}

static void list_files(struct graph *g, const char *info)
{
    struct rfile *file;
    if (root_open(g->p->root, path_join(g->a, info, "RECORD"), &file, NULL) < 0)
        return;
    struct bytesrc src = rfile_src(file);
    struct record rec;
    record_init(&rec, &src, arena_raw(g->a, RECORD_WINDOW));
    struct record_entry en;
    while (record_next(&rec, &en) > 0)
        if (en.path.n > 3 && !memcmp(en.path.p + en.path.n - 3, ".py", 3) && en.path.n > sizeof package - 1 && !memcmp(en.path.p, package, sizeof package - 1))
            ARENA_PUSH(g->a, g->nodes, g->n_nodes)->path = arena_strndup(g->a, en.path.p, en.path.n);
    rfile_close(file);
    if (g->n_nodes)
        qsort(g->nodes, g->n_nodes, sizeof *g->nodes, by_path);
}

/* -- edges --------------------------------------------------------------------------------------------------------------------------------- */

/* A module's path without its end: "tensorflow/python/framework/config". */
struct modpath { char p[PATH_MAX_BYTES]; size_t n; };

static bool add_part(struct modpath *m, struct str s)
{
    if (m->n + s.n + sizeof init_file >= sizeof m->p)
        return false;
    if (m->n)
        m->p[m->n++] = '/';
    memcpy(m->p + m->n, s.p, s.n);
    m->n += s.n;
    return true;
}

static struct node *module_at(const struct graph *g, struct modpath *m)
{
    memcpy(m->p + m->n, init_file, sizeof init_file);
    struct node *n = find(g, m->p);
    if (!n) {
        memcpy(m->p + m->n, ".py", sizeof ".py");
        n = find(g, m->p);
    }
    return n;
}

static void add_edge(struct graph *g, struct node *from, const struct node *to, bool sure)
{
    if (to && to != from)
        *ARENA_PUSH(g->a, from->edges, from->n_edges) = (struct edge){(uint32_t)(to - g->nodes), sure};
}

/* The folder that a relative import starts from. false: it leads out of the package. */
static bool start_of(const struct node *from, unsigned level, struct modpath *m)
{
    const char *end = from->path + strlen(from->path);
    m->n = 0;
    for (unsigned i = 0; i < level && end; i++)
        end = memrchr(from->path, '/', (size_t)(end - from->path));
    return !level || (end && add_part(m, (struct str){from->path, (size_t)(end - from->path)}));
}

static void push_want(struct graph *g, struct node *whose, const struct node *from, struct str name, bool sure, bool sets)
{
    *ARENA_PUSH(g->a, whose->wants, whose->n_wants) =
        (struct want){(uint32_t)(from - g->nodes), {arena_strndup(g->a, name.p, name.n), name.n}, sure, sets};
}

/* What an import names, and each package on the way to it, is loaded: an edge for each. NULL: no module of TensorFlow.
 * *ret_whole: what the name is taken from when it is no module itself. */
static struct node *walk(struct graph *g, struct node *from, const struct pysource_import *im, struct node **ret_whole)
{
    struct modpath m;
    struct node *at = NULL;
    *ret_whole = NULL;
    if (!start_of(from, im->level, &m))
        return NULL;
    if (im->level && (at = module_at(g, &m)) != NULL)
        add_edge(g, from, at, im->sure);
    for (size_t i = 0, n; i < im->module.n; i += n + 1) {
        const char *dot = memchr(im->module.p + i, '.', im->module.n - i);
        n = dot ? (size_t)(dot - im->module.p) - i : im->module.n - i;
        if (!add_part(&m, (struct str){im->module.p + i, n}))
            return NULL;
        at = module_at(g, &m);
        if (!at && m.n < sizeof package - 1)
            return NULL; /* of another package */
        if (at)
            add_edge(g, from, at, im->sure);
    }
    if (!im->name.n)
        return at;
    *ret_whole = at;
    at = add_part(&m, im->name) ? module_at(g, &m) : NULL;
    if (at)
        add_edge(g, from, at, im->sure);
    return at;
}

static void follow(struct graph *g, struct node *from, const struct pysource_import *im, const struct pysource *s)
{
    struct node *whole, *at = walk(g, from, im, &whole);
    if (!at && whole && whole->changed && im->name.p[0] != '*')
        push_want(g, whole, from, im->name, im->sure, false);
    if (!at || !at->changed || !im->sure)
        return;
    for (size_t i = 0; i < s->n_uses; i++) /* the module as a whole: what is taken from it later */
        if (s->uses[i].name.n == im->bound.n && !memcmp(s->uses[i].name.p, im->bound.p, im->bound.n))
            push_want(g, at, from, s->uses[i].attr, true, s->uses[i].sets);
}

static void read_node(struct graph *g, struct node *n)
{
    struct arena scratch;
    const char *text;
    size_t len;
    struct pysource s;
    n->is_read = true;
    arena_init(&scratch, 0);
    if (root_read(g->p->root, path_join(&scratch, g->site, n->path), SOURCE_MAX, &scratch, &text, &len) < 0) {
        g->has_gaps |= !n->changed;
    } else {
        pysource_read((struct str){text, len}, &scratch, &s);
        for (size_t i = 0; i < s.n_imports; i++)
            follow(g, n, &s.imports[i], &s);
    }
    arena_done(&scratch);
}

/* Raise all that can be reached from those of this level. */
static void spread(struct graph *g, enum reach level)
{
    uint32_t *todo = arena_array(g->a, g->n_nodes, sizeof *todo);
    size_t n = 0;
    for (size_t i = 0; i < g->n_nodes; i++)
        if (g->nodes[i].reach >= level)
            todo[n++] = (uint32_t)i;
    while (n) {
        struct node *at = &g->nodes[todo[--n]];
        if (!at->is_read)
            read_node(g, at);
        for (size_t i = 0; i < at->n_edges; i++) {
            struct node *to = &g->nodes[at->edges[i].to];
            if (to->reach >= level || (level == REACH_SURE && !at->edges[i].sure))
                continue;
            to->reach = level;
            todo[n++] = at->edges[i].to;
        }
    }
}

/* -- changed files ------------------------------------------------------------------------------------------------------------------------- */

static uint32_t u32le(const unsigned char *b)
{
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* Would Python load this compiled file and never look into the source? Source: Lib/importlib/_bootstrap_external.py, SourceLoader.get_code;
 * PEP 552. */
static bool stands_for(struct probe *p, const char *pyc, const struct root_stat *source)
{
    struct rfile *f;
    unsigned char h[PYC_HEAD];
    if (root_open(p->root, pyc, &f, NULL) < 0)
        return false;
    long n = rfile_pread(f, h, sizeof h, 0);
    rfile_close(f);
    if (n != PYC_HEAD)
        return false;
    if (u32le(h + 4) & 1)
        return !(u32le(h + 4) & 2);
    return u32le(h + 8) == (uint32_t)(source->mtime_ns / 1000000000) && u32le(h + 12) == (uint32_t)source->size;
}

/* Something else that the module may be loaded from: an extension module, a folder of its name, a compiled file beside it. */
static bool has_stand_in(struct graph *g, const char *path)
{
    struct probe *p = g->p;
    const char *dir = path_dir(g->a, path), *stem = arena_strndup(g->a, path_base(path), strlen(path_base(path)) - 3);
    const char *dotted = arena_printf(g->a, "%s.", stem);
    struct root_dirent *v;
    size_t n;
    if (root_readdir(p->root, dir, LISTING_MAX, g->a, &v, &n) < 0)
        return false;
    for (size_t i = 0; i < n; i++)
        if (str_eq(v[i].name, stem) || (str_starts(v[i].name, dotted) && (str_ends(v[i].name, ".so") || str_ends(v[i].name, ".pyc"))))
            return true;
    return false;
}

/* Python has compiled a source of this time and size before, and takes that. */
static bool is_compiled(struct graph *g, const char *path)
{
    struct probe *p = g->p;
    const char *dir = path_dir(g->a, path), *cache = path_join(g->a, dir, "__pycache__");
    const char *dotted = arena_strndup(g->a, path_base(path), strlen(path_base(path)) - 2);
    struct root_stat st;
    struct root_dirent *v;
    size_t n;
    if (root_stat(p->root, path, &st) < 0)
        return false; /* compiled files in __pycache__ count for a source that is there */
    if (root_getenv(p->root, "PYTHONPYCACHEPREFIX"))
        return true;
    if (root_readdir(p->root, cache, LISTING_MAX, g->a, &v, &n) < 0)
        return false;
    for (size_t i = 0; i < n; i++)
        if (str_starts(v[i].name, dotted) && str_ends(v[i].name, ".pyc") && stands_for(p, path_join(g->a, cache, v[i].name), &st))
            return true;
    return false;
}

static const enum fact_py_fault faults[] = {
    [PYSOURCE_OK] = FACT_PY_FAULT_NONE, [PYSOURCE_NUL] = FACT_PY_FAULT_NUL, [PYSOURCE_ENCODING] = FACT_PY_FAULT_ENCODING,
    [PYSOURCE_STRING] = FACT_PY_FAULT_STRING, [PYSOURCE_BRACKET] = FACT_PY_FAULT_BRACKET, [PYSOURCE_INDENT] = FACT_PY_FAULT_INDENT,
    [PYSOURCE_CHARACTER] = FACT_PY_FAULT_CHARACTER, [PYSOURCE_SYNTAX] = FACT_PY_FAULT_SYNTAX,
};

/* A file or folder beside a package's __init__.py gives the name, too. */
static bool is_submodule(struct graph *g, const char *path, struct str name)
{
    const char *file = path_join(g->a, path_dir(g->a, path), arena_printf(g->a, "%.*s.py", (int)name.n, name.p));
    struct root_stat st;
    return str_ends(path, init_file) && (root_stat(g->p->root, file, &st) == 0 || has_stand_in(g, file));
}

static bool is_set_elsewhere(const struct node *n, struct str name)
{
    for (size_t i = 0; i < n->n_wants; i++)
        if (n->wants[i].sets && n->wants[i].name.n == name.n && !memcmp(n->wants[i].name.p, name.p, name.n))
            return true;
    return false;
}

/* A name that is taken from the file whatever happens and that its text cannot have. Without the file (a folder alone is a package, too): any. */
static void find_missing_name(struct graph *g, const struct node *n, struct str text)
{
    for (size_t i = 0; i < n->n_wants && n->changed->py_fault == FACT_PY_FAULT_NONE; i++) {
        const struct want *w = &n->wants[i];
        const struct node *from = &g->nodes[w->from];
        if (!w->sure || from->reach != REACH_SURE || pysource_may_have(text, w->name) || is_set_elsewhere(n, w->name) ||
            is_submodule(g, n->changed->path, w->name))
            continue;
        n->changed->py_fault = FACT_PY_FAULT_NAME;
        n->changed->py_name = arena_strndup(g->p->a, w->name.p, w->name.n);
        n->changed->py_by = from == n ? NULL : path_join(g->p->a, g->site, from->path);
    }
}

/* A module of Python's own. */
static bool is_standard(struct graph *g, struct str name)
{
    const char *lib = g->p->f->python.stdlib;
    struct root_stat st;
    return lib && (root_stat(g->p->root, arena_printf(g->a, "%s/%.*s.py", lib, (int)name.n, name.p), &st) == 0 ||
                   root_stat(g->p->root, arena_printf(g->a, "%s/%.*s%s", lib, (int)name.n, name.p, init_file), &st) == 0);
}

/* Shared objects of the package are others too: a file of its own build, not an edit. */
static bool is_another_build(const struct graph *g, const struct fact_tampered *d)
{
    const struct fact_tensorflow *t = &g->p->f->tensorflow;
    for (size_t i = 0; i < t->n_tampered; i++)
        if (str_eq(t->tampered[i].package, d->package) && t->tampered[i].how == FACT_TAMPER_SIZE && strstr(path_base(t->tampered[i].path), ".so"))
            return true;
    return false;
}

/* The file as another build of the same release has it, when nothing can go wrong with that. */
static bool is_harmless(struct graph *g, const struct node *n, struct str text, struct arena *scratch)
{
    struct pysource_modules m;
    bool good = is_another_build(g, n->changed) && pysource_is_plain(text, scratch, &m);
    for (size_t i = 0; good && i < n->n_wants; i++)
        good = pysource_may_have(text, n->wants[i].name);
    for (size_t i = 0; good && i < m.n_names; i++)
        good = is_standard(g, m.names[i]);
    return good;
}

/* ret: does it load, as far as the file itself goes? */
static bool look_into(struct graph *g, struct node *n, struct arena *scratch)
{
    struct fact_tampered *d = n->changed;
    bool is_init = str_eq(path_base(d->path), init_file + 1);
    const char *text = "";
    size_t len = 0;
    struct pysource s;
    int rc = root_read(g->p->root, d->path, SOURCE_MAX, scratch, &text, &len);
    if (d->how == FACT_TAMPER_MISSING && !is_init) {
        d->py_fault = FACT_PY_FAULT_NO_FILE;
    } else if (d->how == FACT_TAMPER_UNREADABLE) {
        d->py_fault = FACT_PY_FAULT_UNREADABLE;
    } else if (rc == 0 || d->how == FACT_TAMPER_MISSING) {
        pysource_read((struct str){text, len}, scratch, &s);
        d->py_fault = faults[s.fault];
        d->py_line = s.line;
        find_missing_name(g, n, (struct str){text, len});
        return rc == 0 && d->py_fault == FACT_PY_FAULT_NONE && is_harmless(g, n, (struct str){text, len}, scratch);
    }
    return false;
}

static void judge_changed(struct graph *g, struct node *n)
{
    struct fact_tampered *d = n->changed;
    struct arena scratch;
    if (n->reach == REACH_NONE && !g->has_gaps)
        return;
    if (d->how == FACT_TAMPER_MISSING && d->want_size == 0 && str_ends(n->path, init_file))
        return; /* a package without __init__.py is one with an empty one */
    d->unsure = true;
    if (n->reach != REACH_SURE || has_stand_in(g, d->path))
        return;
    arena_init(&scratch, 0);
    bool loads = look_into(g, n, &scratch);
    arena_done(&scratch);
    /* What was compiled is either what was installed, or proof that this text can be compiled. */
    if (d->py_fault != FACT_PY_FAULT_NONE && is_compiled(g, d->path) && (d->py_fault != FACT_PY_FAULT_NAME || d->have_size == d->want_size))
        d->py_fault = FACT_PY_FAULT_NONE;
    d->needed = d->py_fault != FACT_PY_FAULT_NONE;
    d->unsure = !d->needed && !loads;
}

void probe_py_import(struct probe *p, const struct target *t, const char *info)
{
    struct fact_tensorflow *tf = &p->f->tensorflow;
    struct arena a;
    struct graph g = {.p = p, .site = t->site, .a = &a};
    size_t n_changed = 0, skip = strlen(t->site) + 1;
    for (size_t i = 0; i < tf->n_tampered; i++)
        n_changed += str_eq(tf->tampered[i].package, t->package) && is_python(tf->tampered[i].path + skip);
    if (!n_changed)
        return;
    arena_init(&a, 0);
    list_files(&g, info);
    for (size_t i = 0; i < tf->n_tampered; i++) {
        struct node *n = str_eq(tf->tampered[i].package, t->package) ? find(&g, tf->tampered[i].path + skip) : NULL;
        if (n)
            n->changed = &tf->tampered[i];
    }
    struct node *root = find(&g, root_file);
    g.has_gaps = !root;
    if (root) {
        if (root->changed) /* what is asked after the import */
            push_want(&g, root, root, (struct str){"config", 6}, true, false);
        root->reach = REACH_SURE;
        spread(&g, REACH_SURE);
        spread(&g, REACH_MAYBE);
    }
    for (size_t i = 0; i < g.n_nodes; i++)
        if (g.nodes[i].changed)
            judge_changed(&g, &g.nodes[i]);
    arena_done(&a);
}
