/* SPDX-License-Identifier: Apache-2.0 */
/* learn_elf - the shared objects of a distribution: what the import loads of them, what they need, what GPU code they carry. */
#include <errno.h>
#include <string.h>
#include "formats/elf.h"
#include "formats/fatbin.h"
#include "knowledge/wheel_kinds.h"
#include "probe/learn.h"

struct object {
    struct fact_wheel_library l;
    bool is_loaded; /* by the import */
    bool has_code;  /* for GPUs */
    bool is_elf;
};

struct gather {
    const struct learn_in *in;
    struct arena *a;
    struct fact_wheel *w;
    struct object *v; /* [in->n_objects] */
    uint32_t isa;     /* of all notes */
};

static void add_number(struct arena *a, uint32_t **list, size_t *n, uint32_t v)
{
    size_t at = 0;
    while (at < *n && (*list)[at] < v)
        at++;
    if (at < *n && (*list)[at] == v)
        return;
    *list = arena_grow(a, *list, *n, sizeof **list);
    memmove(*list + at + 1, *list + at, (*n - at) * sizeof **list);
    (*list)[at] = v;
    (*n)++;
}

static void add_text(struct arena *a, const char ***list, size_t *n, const char *s)
{
    for (size_t i = 0; i < *n; i++)
        if (strcmp((*list)[i], s) == 0)
            return;
    *ARENA_PUSH(a, *list, *n) = s;
}

/* Folders of a search path, each once. */
static void split(struct arena *a, const char *path, const char ***list, size_t *n)
{
    for (size_t len; path && *path; path += len + (path[len] == ':')) {
        len = strcspn(path, ":");
        add_text(a, list, n, arena_strndup(a, path, len));
    }
}

static void take_code(struct gather *g, struct object *o, const struct fatbin *fb)
{
    struct fact_wheel_library *l = &o->l;
    struct fact_wheel *w = g->w;
    const char *isa = NULL;
    o->has_code = fb->has_code;
    l->damaged = fb->bad_off != 0;
    for (size_t i = 0; i < fb->n_archs; i++) {
        const struct fatbin_arch *k = &fb->archs[i];
        bool exact = k->variant == 'a';
        if (k->kind == FATBIN_SASS) {
            add_number(g->a, exact ? &l->sass_exact : &l->sass, exact ? &l->n_sass_exact : &l->n_sass, k->sm);
            add_number(g->a, exact ? &w->sass_exact : &w->sass, exact ? &w->n_sass_exact : &w->n_sass, k->sm);
            continue;
        }
        ver_highest(&isa, arena_printf(g->a, "%u.%u", k->isa_major, k->isa_minor), "");
        if (exact)
            continue;
        add_number(g->a, &l->ptx, &l->n_ptx, k->sm);
        add_number(g->a, &w->ptx, &w->n_ptx, k->sm);
    }
    l->ptx_isa = isa;
    if (isa)
        ver_highest(&w->ptx_isa, isa, "");
}

static void take_elf(struct gather *g, struct object *o, const struct elf *e)
{
    struct fact_wheel_library *l = &o->l;
    struct fact_wheel *w = g->w;
    o->is_elf = true;
    l->soname = e->soname;
    l->needed = e->needed;
    l->n_needed = e->n_needed;
    split(g->a, e->rpath, &l->rpath, &l->n_rpath);
    split(g->a, e->runpath, &l->runpath, &l->n_runpath);
    for (size_t i = 0; i < e->n_verneed; i++) {
        ver_highest(&w->glibc, e->verneed[i].version, "GLIBC_");
        ver_highest(&w->glibcxx, e->verneed[i].version, "GLIBCXX_");
        ver_highest(&w->cxxabi, e->verneed[i].version, "CXXABI_");
    }
    g->isa |= e->isa_needed;
    w->elf_files++;
    w->other_machine += e->verdict == ELF_WRONG_MACHINE || e->verdict == ELF_WRONG_CLASS;
}

static int read_object(struct gather *g, struct object *o, struct err *e)
{
    struct open_file f;
    struct elf elf;
    struct fatbin fb;
    const struct fatbin_opts full = {.full = true};
    int rc = files_open(g->in->files, o->l.path, &f, e);
    if (rc < 0)
        return rc;
    o->l.bytes = f.src.size;
    rc = elf_read(&f.src, false, g->a, &elf, e);
    bool is_elf = rc == 0 && elf.verdict != ELF_TOO_SHORT && elf.verdict != ELF_BAD_MAGIC;
    if (is_elf) {
        take_elf(g, o, &elf);
        rc = fatbin_read(&f.src, &elf, &full, g->a, &fb, e);
        if (rc == 0)
            take_code(g, o, &fb);
    }
    file_close(&f);
    return rc < 0 && e && !*e->msg ? err_set(e, rc, "%s: cannot be read", o->l.path) : rc;
}

static struct object *provider(const struct gather *g, const char *soname)
{
    for (size_t i = 0; i < g->in->n_objects; i++) {
        struct object *o = &g->v[i];
        if (o->is_elf && (str_eq(o->l.soname, soname) || strcmp(path_base(o->l.path), soname) == 0))
            return o;
    }
    return NULL;
}

/* What the import loads: its entries and, as often as something new comes in, what these need of the same distribution. */
static void mark_loaded(struct gather *g, const char *const *entries)
{
    bool more = true;
    for (size_t i = 0; i < g->in->n_objects; i++) {
        struct object *o = &g->v[i];
        o->is_loaded = o->is_elf && !entries;
        for (const char *const *p = entries; o->is_elf && p && *p; p++)
            o->is_loaded |= wheel_kind_match(*p, o->l.path);
    }
    while (more) {
        more = false;
        for (size_t i = 0; i < g->in->n_objects; i++)
            for (size_t k = 0; g->v[i].is_loaded && k < g->v[i].l.n_needed; k++) {
                struct object *o = provider(g, g->v[i].l.needed[k]);
                more |= o && !o->is_loaded;
                if (o)
                    o->is_loaded = true;
            }
    }
}

static void add_needed(struct gather *g, const struct object *o)
{
    for (size_t k = 0; k < o->l.n_needed; k++) {
        struct fact_wheel *w = g->w;
        struct fact_wheel_needed *n = NULL;
        for (size_t i = 0; i < w->n_needed && !n; i++)
            if (strcmp(w->needed[i].soname, o->l.needed[k]) == 0)
                n = &w->needed[i];
        if (!n && provider(g, o->l.needed[k]))
            continue;
        if (!n) {
            n = ARENA_PUSH(g->a, w->needed, w->n_needed);
            *n = (struct fact_wheel_needed){.soname = o->l.needed[k], .mandatory = o->is_loaded, .by = o->l.path};
        }
        n->files++;
    }
}

static void take_isa(struct gather *g)
{
    static const char *const levels[][8] = {{"cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3", NULL},
                                            {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"},
                                            {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", NULL}};
    for (size_t i = 0; i < TG_COUNT(levels); i++)
        for (size_t k = 0; g->isa >> (i + 1) && k < TG_COUNT(levels[i]) && levels[i][k]; k++)
            add_text(g->a, &g->w->cpu, &g->w->n_cpu, levels[i][k]);
    g->w->cpu_source = g->isa ? FACT_CPU_SOURCE_ISA_NOTE : FACT_CPU_SOURCE_NONE;
}

int learn_objects(const struct learn_in *in, const char *const *entries, struct arena *a, struct fact_wheel *ret, struct err *e)
{
    struct gather g = {.in = in, .a = a, .w = ret};
    g.v = arena_array(a, in->n_objects ? in->n_objects : 1, sizeof *g.v);
    for (size_t i = 0; i < in->n_objects; i++) {
        g.v[i].l.path = in->objects[i];
        int rc = read_object(&g, &g.v[i], e);
        if (rc < 0)
            return rc;
    }
    mark_loaded(&g, entries);
    for (int pass = 0; pass < 2; pass++) /* what the import loads comes first */
        for (size_t i = 0; i < in->n_objects; i++)
            if (g.v[i].is_elf && g.v[i].is_loaded == (pass == 0))
                add_needed(&g, &g.v[i]);
    for (size_t i = 0; i < in->n_objects; i++)
        if (g.v[i].is_loaded || g.v[i].has_code)
            *ARENA_PUSH(a, ret->libraries, ret->n_libraries) = g.v[i].l;
    take_isa(&g);
    return 0;
}
