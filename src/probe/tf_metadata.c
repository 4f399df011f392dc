/* SPDX-License-Identifier: Apache-2.0 */
/* tf_metadata - which distribution owns the folder tensorflow/, and what its METADATA, WHEEL and RECORD state. */
#include <errno.h>
#include <string.h>
#include "formats/metadata.h"
#include "formats/pep440.h"
#include "formats/pep508.h"
#include "knowledge/pydata.h"
#include "probe/probe.h"
#include "probe/tf_record.h"
#include "probe/vendored.h"

enum { HEAD_FIRST = 8192, HEAD_MAX = 1 << 20, WHEEL_MAX = 1 << 16, INSTALLER_MAX = 256 };

struct owner { const struct fact_package *pkg; struct tf_record record; unsigned score; int64_t installed; };

/* How many of the files that RECORD lists are there with the size that it states. */
static unsigned score(struct probe *p, const char *site, const struct tf_record *r)
{
    unsigned same = 0;
    for (size_t i = 0; i < r->n_files; i++) {
        struct root_stat st;
        same += r->files[i].has_size && root_stat(p->root, path_join(p->a, site, r->files[i].path), &st) == 0 && st.size == r->files[i].size;
    }
    return same;
}

static bool in_site(const struct fact_package *k, const char *site)
{
    return !site || str_eq(k->dir, site);
}

/* Distributions that may own the folder, with their RECORD; those that list it come first in `ret`. */
static size_t find_owners(struct probe *p, const char *site, struct owner **ret)
{
    struct owner *v = NULL;
    size_t n = 0;
    for (size_t i = 0; i < p->f->n_packages; i++) {
        const struct fact_package *k = &p->f->packages[i];
        if (!pydata_tf_dist(k->name) || !in_site(k, site) || !k->info)
            continue;
        struct owner *o = ARENA_PUSH(p->a, v, n);
        o->pkg = k;
        tf_record_read(p, k->info, RECORD_TENSORFLOW, &o->record);
    }
    *ret = v;
    return n;
}

/* Who wrote the files that are there: most files of the stated size; of equals the one installed last. */
static const struct owner *choose(struct probe *p, struct owner *v, size_t n)
{
    struct owner *best = NULL;
    size_t listing = 0;
    for (size_t i = 0; i < n; i++)
        listing += v[i].record.lists_package;
    for (size_t i = 0; i < n; i++) {
        struct owner *o = &v[i];
        if (listing && !o->record.lists_package)
            continue;
        if (listing > 1) {
            struct root_stat st;
            o->score = score(p, o->pkg->dir, &o->record);
            o->installed = root_stat(p->root, o->record.path, &st) == 0 ? st.mtime_ns : 0;
        }
        if (!best || o->score > best->score || (o->score == best->score && o->installed > best->installed))
            best = o;
    }
    return best;
}

static const char *read_head(struct probe *p, const char *path, struct arena *a, size_t *ret_len)
{
    struct rfile *f;
    if (root_open(p->root, path, &f, NULL) < 0)
        return NULL;
    uint64_t size = rfile_stat(f)->size;
    char *text = NULL;
    long got = 0;
    for (size_t n = HEAD_FIRST; n <= HEAD_MAX; n *= 8) {
        text = arena_raw(a, n);
        got = rfile_pread(f, text, n, 0);
        if (got < 0 || (uint64_t)got >= size || metadata_head_complete(text, (size_t)got))
            break;
    }
    rfile_close(f);
    *ret_len = got < 0 ? 0 : (size_t)got;
    return got < 0 ? NULL : text;
}

static const struct fact_package *installed(const struct probe *p, const char *name)
{
    for (size_t i = 0; i < p->f->n_packages; i++)
        if (str_eq(p->f->packages[i].name, name) && !p->f->packages[i].shadowed_by)
            return &p->f->packages[i];
    return NULL;
}

static struct pep508_env marker_env(struct probe *p)
{
    const struct fact_python *py = &p->f->python;
    bool cpython = !py->implementation || str_eq(py->implementation, "cpython");
    return (struct pep508_env){
        .python_version = py->major ? arena_printf(p->a, "%u.%u", py->major, py->minor) : NULL, .python_full_version = py->version,
        .os_name = "posix", .sys_platform = "linux", .platform_system = "Linux", .platform_machine = root_arch(p->root),
        .platform_release = root_kernel_release(p->root), .implementation_name = cpython ? "cpython" : py->implementation,
        .platform_python_implementation = cpython ? "CPython" : NULL, .implementation_version = cpython ? py->version : NULL,
    };
}

/* The extra that a requirement belongs to: "" none, NULL when its marker does not hold for any. */
static const char *extra_of(const struct metadata *m, const struct pep508 *q, const struct pep508_env *env)
{
    if (!q->marker)
        return "";
    size_t n = strlen(q->marker);
    if (pep508_marker(q->marker, n, env, NULL) != TRI_NO)
        return "";
    for (size_t i = 0; i < m->n_provides_extra; i++)
        if (pep508_marker(q->marker, n, env, m->provides_extra[i]) == TRI_YES)
            return m->provides_extra[i];
    return NULL;
}

static bool has_module(struct probe *p, const char *dir, const struct imported_module *m)
{
    struct root_stat st;
    const char *file = m->files[0] && !strchr(m->files[0], '{') ? m->files[0] : arena_printf(p->a, "%s/__init__.py", m->name);
    return root_stat(p->root, path_join(p->a, dir, file), &st) == 0 ||
           root_stat(p->root, path_join(p->a, dir, arena_printf(p->a, "%s.py", m->name)), &st) == 0;
}

/* Its metadata is not there, but a module of its name is. */
static bool importable(struct probe *p, const char *dist)
{
    const struct imported_module *m = pydata_module_of(dist);
    for (size_t i = 0; m && i < p->f->python.n_sys_path; i++) {
        const struct fact_path_dir *d = &p->f->python.sys_path[i];
        if (d->dir && d->exists && has_module(p, d->dir, m))
            return true;
    }
    const char *vendored = m ? vendored_dir(p) : NULL;
    return vendored && has_module(p, vendored, m);
}

static void add_requirement(struct probe *p, const struct pep508 *q, const char *extra, const char *by)
{
    struct fact_tensorflow *t = &p->f->tensorflow;
    for (size_t i = 0; i < t->n_requirements; i++)
        if (str_eq(t->requirements[i].name, q->name) && str_eq(t->requirements[i].spec, q->spec) && str_eq(t->requirements[i].by, by))
            return;
    const struct fact_package *k = installed(p, q->name);
    struct fact_requirement *r = ARENA_PUSH(p->a, t->requirements, t->n_requirements);
    *r = (struct fact_requirement){.name = q->name, .spec = q->spec, .extra = *extra ? extra : NULL, .by = by,
                                    .installed = k ? k->version : NULL, .importable = !k && importable(p, q->name)};
    if (!k)
        r->met = TRI_NO;
    else if (!k->version)
        r->met = *q->spec ? TRI_UNKNOWN : TRI_YES;
    else
        r->met = pep440_match((struct str){k->version, strlen(k->version)}, (struct str){q->spec, strlen(q->spec)});
}

/* Requirements that hold here, and those of each extra of which at least one package is installed. */
static void gather_requirements(struct probe *p, const struct metadata *m)
{
    struct fact_tensorflow *t = &p->f->tensorflow;
    struct pep508_env env = marker_env(p);
    struct pep508 *reqs = arena_array(p->a, m->n_requires_dist, sizeof *reqs);
    const char **extras = arena_array(p->a, m->n_requires_dist, sizeof *extras);
    for (size_t i = 0; i < m->n_requires_dist; i++) {
        const char *s = m->requires_dist[i];
        if (pep508_parse(s, strlen(s), p->a, &reqs[i], NULL) == 0)
            extras[i] = extra_of(m, &reqs[i], &env);
        if (extras[i] && !*extras[i])
            add_requirement(p, &reqs[i], "", NULL);
    }
    for (size_t x = 0; x < m->n_provides_extra; x++) {
        bool used = false, cuda = false;
        for (size_t i = 0; i < m->n_requires_dist; i++)
            if (extras[i] == m->provides_extra[x]) {
                used |= installed(p, reqs[i].name) != NULL;
                cuda |= str_starts(reqs[i].name, "nvidia-");
            }
        for (size_t i = 0; used && i < m->n_requires_dist; i++)
            if (extras[i] == m->provides_extra[x])
                add_requirement(p, &reqs[i], extras[i], NULL);
        t->cuda_extra_in_use |= used && cuda;
    }
}

/* What the extension modules that TensorFlow loads with it ask of NumPy. */
static void gather_numpy_users(struct probe *p)
{
    struct pep508_env env = marker_env(p);
    struct arena scratch;
    arena_init(&scratch, 0);
    for (const struct numpy_user *u = pydata_numpy_users(); u->dist; u++) {
        const struct fact_package *k = installed(p, u->dist);
        struct metadata m;
        size_t len;
        const char *text = k && k->info ? read_head(p, path_join(p->a, k->info, "METADATA"), &scratch, &len) : NULL;
        if (!text || metadata_parse(text, len, p->a, &m, NULL) < 0)
            continue;
        for (size_t i = 0; i < m.n_requires_dist; i++) {
            struct pep508 q;
            const char *s = m.requires_dist[i];
            if (str_starts(s, "numpy") && pep508_parse(s, strlen(s), p->a, &q, NULL) == 0 && str_eq(q.name, "numpy") &&
                (!q.marker || pep508_marker(q.marker, strlen(q.marker), &env, NULL) == TRI_YES))
                add_requirement(p, &q, "", k->name);
        }
    }
    arena_done(&scratch);
}

static void read_metadata(struct probe *p, const char *info)
{
    struct fact_tensorflow *t = &p->f->tensorflow;
    struct metadata m;
    struct err e;
    size_t len;
    struct arena scratch;
    arena_init(&scratch, 0);
    const char *text = read_head(p, path_join(p->a, info, "METADATA"), &scratch, &len);
    if (!text)
        text = read_head(p, path_join(p->a, info, "PKG-INFO"), &scratch, &len);
    if (text && metadata_parse(text, len, p->a, &m, &e) == 0) {
        t->requires_python = m.requires_python;
        gather_requirements(p, &m);
        gather_numpy_users(p);
    }
    arena_done(&scratch);
    text = NULL;
    if (root_read(p->root, path_join(p->a, info, "WHEEL"), WHEEL_MAX, p->a, &text, &len) == 0)
        (void)metadata_parse_wheel(text, len, p->a, &t->wheel_tags, &t->n_wheel_tags, &e); /* without tags nothing is judged by them */
}

/* Who installed it decides which tool puts it right. */
static void read_installer(struct probe *p, const struct fact_package *own)
{
    const char *text;
    size_t len;
    if (own->installer || root_read(p->root, path_join(p->a, own->info, "INSTALLER"), INSTALLER_MAX, p->a, &text, &len) < 0)
        return;
    struct str name = {text, strcspn(text, "\r\n")};
    name = str_trim(name);
    for (size_t i = 0; name.n && i < p->f->n_packages; i++)
        if (&p->f->packages[i] == own)
            p->f->packages[i].installer = arena_strndup(p->a, name.p, name.n);
}

void probe_tf_metadata(struct probe *p)
{
    struct fact_tensorflow *t = &p->f->tensorflow;
    const char *site = t->package_dir ? path_dir(p->a, t->package_dir) : NULL;
    struct owner *owners;
    size_t n = find_owners(p, site, &owners);
    const struct owner *own = choose(p, owners, n);
    if (!own) {
        probe_tf_pyabi(p);
        return;
    }
    t->dist = own->pkg->name;
    t->version = own->pkg->version;
    t->info = own->pkg->info;
    struct tf_record *r = ARENA_NEW(p->a, struct tf_record);
    *r = own->record;
    p->record = r;
    for (size_t i = 0; i < n; i++)
        if (&owners[i] != own && owners[i].record.lists_package && own->record.lists_package)
            *ARENA_PUSH(p->a, t->other_dists, t->n_other_dists) =
                arena_printf(p->a, "%s==%s", owners[i].pkg->name, owners[i].pkg->version ? owners[i].pkg->version : "?");
    read_metadata(p, own->pkg->info);
    read_installer(p, own->pkg);
    probe_tf_pyabi(p);
}
