/* SPDX-License-Identifier: Apache-2.0 */
/* learn_env - an installed distribution as a set of files, listed by its RECORD. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/i18n.h"
#include "formats/metadata.h"
#include "formats/record.h"
#include "knowledge/pydata.h"
#include "knowledge/wheel_kinds.h"
#include "probe/learn.h"

struct site { struct root *root; struct arena *a; const char *dir; };

static void close_file(void *handle)
{
    rfile_close(handle);
}

static int open_file(void *ctx, const char *path, struct open_file *ret, struct err *e)
{
    struct site *s = ctx;
    struct rfile *f;
    int rc = root_open(s->root, path_join(s->a, s->dir, path), &f, e);
    if (rc == 0)
        *ret = (struct open_file){.src = rfile_src(f), .close = close_file, .handle = f};
    return rc;
}

static int by_text(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static int list_objects(const struct files *files, struct arena *a, struct learn_in *in, struct err *e)
{
    struct open_file f;
    struct record r;
    struct str line;
    struct record_entry en;
    const char *path = path_join(a, in->info, "RECORD");
    int rc = files_open(files, path, &f, e);
    if (rc < 0)
        return rc;
    record_init(&r, &f.src, arena_raw(a, RECORD_WINDOW));
    while ((rc = record_line(&r, &line)) == 1) {
        if (!memmem(line.p, line.n, ".so", 3) || !record_parse(line, &en))
            continue;
        const char *p = arena_strndup(a, en.path.p, en.path.n);
        if (learn_is_object(p) && p[0] != '/' && p[0] != '.')
            *ARENA_PUSH(a, in->objects, in->n_objects) = p;
    }
    file_close(&f);
    if (in->n_objects)
        qsort(in->objects, in->n_objects, sizeof *in->objects, by_text);
    return rc < 0 ? err_set(e, rc, "%s: cannot be read", path) : 0;
}

static const struct fact_package *find_kind(const struct probe *p, enum fact_wheel_kind kind)
{
    for (size_t i = 0; i < p->f->n_packages; i++) {
        const struct fact_package *k = &p->f->packages[i];
        const struct wheel_kind *w = wheel_kind_find(k->name);
        bool fits = kind == FACT_WHEEL_KIND_TENSORFLOW ? pydata_tf_dist(k->name) != NULL : w && w->kind == kind;
        if (fits && k->info && !k->shadowed_by)
            return k;
    }
    return NULL;
}

static const struct fact_package *find_package(struct probe *p, const char *package)
{
    static const enum fact_wheel_kind order[] = {FACT_WHEEL_KIND_TENSORFLOW, FACT_WHEEL_KIND_TORCH, FACT_WHEEL_KIND_JAX};
    const struct fact_package *k = NULL;
    const char *name = package ? metadata_normal_name(p->a, package, strlen(package)) : NULL;
    for (size_t i = 0; !package && !k && i < TG_COUNT(order); i++)
        k = find_kind(p, order[i]);
    for (size_t i = 0; package && !k && i < p->f->n_packages; i++)
        if (str_eq(p->f->packages[i].name, name) && p->f->packages[i].info && !p->f->packages[i].shadowed_by)
            k = &p->f->packages[i];
    return k;
}

int learn_environment(struct probe *p, const char *package, struct fact_wheel *ret, struct err *e)
{
    const struct fact_package *k = find_package(p, package);
    const char *where = p->f->python.prefix ? p->f->python.prefix : "?";
    if (!k && package)
        return err_set(e, -ENOENT, _("no package %s is installed in %s"), package, where);
    if (!k)
        return err_set(e, -ENOENT, _("neither TensorFlow nor torch nor jax is installed in %s; name another package with --package"), where);
    struct site site = {p->root, p->a, k->dir};
    struct files files = {.open = open_file, .ctx = &site};
    struct learn_in in = {.files = &files, .info = path_base(k->info)};
    int rc = list_objects(&files, p->a, &in, e);
    return rc < 0 ? rc : learn_distribution(&in, p->a, ret, e);
}

/* What another part of the same framework adds: jax itself is Python alone, its CUDA code lies in a plugin. */
static void add_part(const struct fact_wheel *w, struct fact_wheel *ret)
{
    if (w->glibc && (!ret->glibc || ver_cmp(w->glibc, ret->glibc) > 0))
        ret->glibc = w->glibc;
    if (!ret->n_cpu) {
        ret->cpu = w->cpu;
        ret->n_cpu = w->n_cpu;
    }
    if (ret->cuda || !w->cuda)
        return;
    ret->cuda = w->cuda;
    ret->sass = w->sass;
    ret->n_sass = w->n_sass;
    ret->sass_exact = w->sass_exact;
    ret->n_sass_exact = w->n_sass_exact;
    ret->ptx = w->ptx;
    ret->n_ptx = w->n_ptx;
    ret->ptx_isa = w->ptx_isa;
}

int learn_framework(struct probe *p, struct fact_wheel *ret, struct err *e)
{
    int rc = learn_environment(p, NULL, ret, e);
    for (size_t i = 0; rc == 0 && ret->kind == FACT_WHEEL_KIND_JAX && i < p->f->n_packages; i++) {
        struct fact_wheel w;
        struct err why = {0};
        const struct fact_package *k = &p->f->packages[i];
        const struct wheel_kind *kind = wheel_kind_find(k->name);
        if (kind && kind->kind == ret->kind && !str_eq(k->name, ret->name) && !k->shadowed_by && learn_environment(p, k->name, &w, &why) == 0)
            add_part(&w, ret);
    }
    return rc;
}
