/* SPDX-License-Identifier: Apache-2.0 */
/* packages - installed distributions: what importlib.metadata would find on sys.path, read from folder names. */
#include <stdlib.h>
#include <string.h>
#include "formats/distname.h"
#include "formats/metadata.h"
#include "probe/probe.h"
#include "probe/syspath.h"

enum { META_HEAD = 8 << 10, CONDA_MAX = 20000, MAX_PACKAGES = 200000 };

/* Names that were seen: open addressing, at most half full. Values are index+1 into f->packages. */
struct names { uint32_t *slots; size_t n_slots, used; };

static uint32_t hash(const char *s)
{
    uint32_t h = 2166136261u; /* FNV-1a */
    for (; *s; s++)
        h = (h ^ (unsigned char)*s) * 16777619u;
    return h;
}

static uint32_t *slot_of(const struct names *t, const struct fact_package *pk, const char *name)
{
    size_t i = hash(name) & (t->n_slots - 1);
    while (t->slots[i] && strcmp(pk[t->slots[i] - 1].name, name) != 0)
        i = (i + 1) & (t->n_slots - 1);
    return &t->slots[i];
}

static void names_grow(struct probe *p, struct names *t)
{
    struct names bigger = {.n_slots = t->n_slots ? t->n_slots * 2 : 256, .used = t->used};
    bigger.slots = arena_array(p->a, bigger.n_slots, sizeof *bigger.slots);
    for (size_t i = 0; i < t->n_slots; i++)
        if (t->slots[i])
            *slot_of(&bigger, p->f->packages, p->f->packages[t->slots[i] - 1].name) = t->slots[i];
    *t = bigger;
}

static struct fact_package *add(struct probe *p, struct names *t, const char *name, const char *version)
{
    if (t->used * 2 >= t->n_slots)
        names_grow(p, t);
    uint32_t *slot = slot_of(t, p->f->packages, name), first = *slot;
    struct fact_package *k = ARENA_PUSH(p->a, p->f->packages, p->f->n_packages);
    k->name = name;
    k->version = version;
    if (first) {
        k->shadowed_by = p->f->packages[first - 1].version ? p->f->packages[first - 1].version : "unknown version";
    } else {
        *slot = (uint32_t)p->f->n_packages;
        t->used++;
    }
    return k;
}

/* Head of METADATA or PKG-INFO; an egg-info may be the file itself. */
static bool read_head(struct probe *p, const char *info, struct metadata *ret)
{
    static const char *const names[] = {"METADATA", "PKG-INFO", NULL};
    char *buf = arena_raw(p->a, META_HEAD);
    for (size_t i = 0; i < TG_COUNT(names); i++) {
        struct rfile *f;
        if (root_open(p->root, names[i] ? path_join(p->a, info, names[i]) : info, &f, NULL) < 0)
            continue;
        long n = rfile_pread(f, buf, META_HEAD, 0);
        rfile_close(f);
        return n > 0 && metadata_parse(buf, (size_t)n, p->a, ret, NULL) == 0;
    }
    return false;
}

static void add_dist(struct probe *p, struct names *t, const struct sysdir *d, const char *entry)
{
    struct distname n;
    struct metadata m = {0};
    if (distname_parse(entry, &n) == DIST_NONE || p->f->n_packages >= MAX_PACKAGES)
        return;
    const char *info = path_join(p->a, d->dir, entry);
    const char *version = n.version.n ? arena_strndup(p->a, n.version.p, n.version.n) : NULL;
    const char *name = metadata_normal_name(p->a, n.name.p, n.name.n);
    if (n.unsure && read_head(p, info, &m)) {
        name = m.name ? metadata_normal_name(p->a, m.name, strlen(m.name)) : name;
        version = m.version ? m.version : version;
    }
    struct fact_package *k = add(p, t, name, version);
    k->dir = d->dir;
    k->info = info;
}

/* Packages of a conda environment that no dist-info names (CUDA libraries above all). */
static void add_conda(struct probe *p, struct names *t)
{
    const char *dir = path_join(p->a, p->f->python.prefix, "conda-meta");
    struct root_dirent *ents;
    size_t n;
    if (root_readdir(p->root, dir, CONDA_MAX, p->a, &ents, &n) < 0)
        return;
    for (size_t i = 0; i < n; i++) {
        struct condaname c;
        if (!condaname_parse(ents[i].name, &c))
            continue;
        const char *name = metadata_normal_name(p->a, c.name.p, c.name.n);
        if (t->n_slots && *slot_of(t, p->f->packages, name))
            continue;
        struct fact_package *k = add(p, t, name, arena_strndup(p->a, c.version.p, c.version.n));
        k->dir = dir;
        k->info = path_join(p->a, dir, ents[i].name);
        k->installer = "conda";
    }
}

static bool holds_packages(const struct sysdir *d)
{
    return d->is_dir && strcmp(d->origin, "script-dir") != 0 && strcmp(d->origin, "stdlib") != 0 && strcmp(d->origin, "dynload") != 0;
}

static void note_customize(struct probe *p, const struct sysdir *d)
{
    static const char *const names[] = {"sitecustomize.py", "usercustomize.py"};
    for (size_t i = 0; i < TG_COUNT(names); i++)
        if (syspath_has(d, names[i])) {
            const char **c = ARENA_PUSH(p->a, p->f->python.customize, p->f->python.n_customize);
            *c = path_join(p->a, d->dir, names[i]);
        }
}

void probe_packages(struct probe *p)
{
    struct names t = {0};
    for (size_t i = 0; p->sys && i < p->sys->n_dirs; i++) {
        struct sysdir *d = &p->sys->dirs[i];
        if (!holds_packages(d) || !syspath_list(p->root, p->a, d))
            continue;
        note_customize(p, d);
        for (size_t k = 0; k < d->n_ents; k++)
            add_dist(p, &t, d, d->ents[k].name);
    }
    if (p->f->python.kind == FACT_ENV_KIND_CONDA)
        add_conda(p, &t);
}
