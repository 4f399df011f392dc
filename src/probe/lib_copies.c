/* SPDX-License-Identifier: Apache-2.0 */
/* lib_copies - where copies of a CUDA library are installed, reachable or not, and whose they are. */
#include "probe/lib_copies.h"
#include "probe/tf_record.h"
#include <errno.h>
#include <string.h>
#include "base/i18n.h"
#include "base/util.h"
#include "knowledge/layout.h"
#include "probe/libversion.h"

enum { MAX_PARTS = 512, MAX_CUDA_MAJOR = 2 };

static bool is_dir(struct probe *p, const char *path)
{
    struct root_stat st;
    return root_stat(p->root, path, &st) == 0 && st.type == ROOT_DIR;
}

void lib_places_find(struct probe *p, struct lib_places *ret)
{
    const struct fact_tensorflow *t = &p->f->tensorflow;
    *ret = (struct lib_places){.site = t->package_dir ? path_dir(p->a, t->package_dir) : NULL};
    struct root_dirent *d;
    size_t n = 0;
    const char *nvidia = ret->site ? path_join(p->a, ret->site, "nvidia") : NULL;
    if (nvidia && root_readdir(p->root, nvidia, MAX_PARTS, p->a, &d, &n) == 0)
        for (size_t i = 0; i < n; i++)
            if (d[i].type != ROOT_FILE && d[i].name[0] != '_')
                *ARENA_PUSH(p->a, ret->wheels, ret->n_wheels) = arena_printf(p->a, "%s/%s/lib", nvidia, d[i].name);
    if (p->f->python.kind == FACT_ENV_KIND_CONDA && p->f->python.prefix)
        *ARENA_PUSH(p->a, ret->others, ret->n_others) = path_join(p->a, p->f->python.prefix, "lib");
    const char *cuda = t->build.cuda_version, *dot = cuda ? strchr(cuda, '.') : NULL;
    size_t series = !cuda ? 0 : dot ? (size_t)(dot - cuda) + 1 + strcspn(dot + 1, ".") : strlen(cuda);
    struct layout_vars v = {.site = ret->site, .prefix = p->f->python.prefix,
                            .cuda = cuda ? arena_strndup(p->a, cuda, series) : NULL,
                            .major = cuda ? arena_strndup(p->a, cuda, strcspn(cuda, ".")) : NULL};
    const char *dir;
    for (unsigned i = 0; (dir = layout_dir(p->a, LAYOUT_TOOLKIT_DIRS, &v, i)); i++)
        if (*dir && is_dir(p, dir))
            *ARENA_PUSH(p->a, ret->others, ret->n_others) = dir;
}

/* "cuda_runtime" is the wheel nvidia-cuda-runtime-cu12: compare letters and digits, '_' like '-'. */
static bool wheel_is(const char *package, const char *part, size_t n)
{
    if (!str_starts(package, "nvidia-"))
        return false;
    package += strlen("nvidia-");
    for (size_t i = 0; i < n; i++)
        if (package[i] != (part[i] == '_' ? '-' : part[i]))
            return false;
    return package[n] == '\0' || str_starts(package + n, "-cu");
}

static const char *below(const char *path, const char *dir)
{
    size_t n = dir ? strlen(dir) : 0;
    return n && strncmp(path, dir, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

static const struct fact_package *package_of(const struct probe *p, const char *site, const char *path)
{
    const char *rest = path ? below(path, site) : NULL;
    if (!rest || !str_starts(rest, "nvidia/"))
        return NULL;
    rest += strlen("nvidia/");
    size_t n = strcspn(rest, "/");
    for (size_t i = 0; i < p->f->n_packages; i++) {
        const struct fact_package *k = &p->f->packages[i];
        if (!k->shadowed_by && wheel_is(k->name, rest, n))
            return k;
    }
    return NULL;
}

const char *lib_package(const struct probe *p, const char *site, const char *path)
{
    const struct fact_package *k = package_of(p, site, path);
    return k ? arena_printf(p->a, "%s==%s", k->name, k->version) : NULL;
}

/* Of the size that the wheel's RECORD states, and not written to since that was made. (The times of a capture say nothing.) */
static bool is_as_installed(struct probe *p, const struct fact_package *k, const char *site, const char *path, const struct root_stat *st)
{
    const char *rest = below(path, site);
    const struct tf_record *r = k->info && str_eq(k->dir, site) ? tf_record_libraries(p, k) : NULL;
    for (size_t i = 0; r && i < r->n_files; i++)
        if (str_eq(r->files[i].path, rest))
            return r->files[i].has_size && r->files[i].size == st->size && st->mtime_ns <= r->mtime_ns;
    return false;
}

/* The wheel that a file is as installed from; NULL also where more is to be looked at (-v, --deep). */
static const struct fact_package *intact_wheel(struct probe *p, const char *site, const char *path, const char *plain)
{
    const struct fact_package *k = root_is_live(p->root) && !p->verbose && !p->deep ? package_of(p, site, plain) : NULL;
    struct rfile *f;
    if (!k || root_open(p->root, path, &f, NULL) < 0)
        return NULL;
    const struct root_stat st = *rfile_stat(f);
    rfile_close(f);
    return is_as_installed(p, k, site, plain, &st) ? k : NULL;
}

const void *lib_intact_wheel(void *ctx, const char *path)
{
    struct probe *p = ctx;
    const char *package_dir = p->f->tensorflow.package_dir;
    return package_dir ? intact_wheel(p, path_dir(p->a, package_dir), path, path_clean(p->a, path)) : NULL;
}

static bool version_by_wheel(struct probe *p, const char *site, const char *path, const char *plain, bool want_cuda, struct libversion *ret)
{
    const struct fact_package *k = intact_wheel(p, site, path, plain);
    return k && libversion_of_wheel(p->a, path_base(plain), k->name, k->version, want_cuda, ret);
}

bool lib_version(struct probe *p, const char *site, const char *path, const char *plain, const struct elf *e, bool want_cuda, struct libversion *ret)
{
    return version_by_wheel(p, site, path, plain, want_cuda, ret) || libversion_read(p->root, p->a, path, e, want_cuda, ret);
}

enum fact_lib_origin lib_origin(const struct probe *p, const char *site, const char *path)
{
    const char *rest = path ? below(path, site) : NULL;
    if (!path)
        return FACT_LIB_ORIGIN_UNKNOWN;
    if (rest)
        return str_starts(rest, "nvidia/") ? FACT_LIB_ORIGIN_PIP : FACT_LIB_ORIGIN_TENSORFLOW;
    if (strstr(path, "/site-packages/nvidia/") || strstr(path, "/dist-packages/nvidia/"))
        return FACT_LIB_ORIGIN_PIP;
    if (p->f->python.kind == FACT_ENV_KIND_CONDA && below(path, p->f->python.prefix))
        return FACT_LIB_ORIGIN_CONDA;
    if (str_starts(path, "/usr/lib/wsl/"))
        return FACT_LIB_ORIGIN_WSL;
    if (str_starts(path, "/usr/local/cuda") || str_starts(path, "/opt/cuda"))
        return FACT_LIB_ORIGIN_CUDA_TOOLKIT;
    if (str_starts(path, "/usr/lib") || str_starts(path, "/lib"))
        return FACT_LIB_ORIGIN_SYSTEM_PACKAGE;
    return FACT_LIB_ORIGIN_UNKNOWN;
}

static void add_copy(struct probe *p, const struct lib_places *at, struct fact_library *l, const char *soname, const char *path)
{
    struct root_stat st;
    if (root_lstat(p->root, path, &st) < 0)
        return;
    for (size_t i = 0; i < l->n_copies; i++)
        if (str_eq(l->copies[i].path, path))
            return;
    struct fact_copy *c = ARENA_PUSH(p->a, l->copies, l->n_copies);
    *c = (struct fact_copy){.path = path, .soname = soname, .origin = lib_origin(p, at->site, path), .package = lib_package(p, at->site, path)};
    const struct elf *e = NULL;
    const char *why = NULL;
    int rc = root_stat(p->root, path, &st);
    if (rc == 0 && st.type != ROOT_FILE)
        why = _("not a regular file");
    else if (rc == 0)
        rc = root_access(p->root, path, 4);
    if (rc == -ENOENT)
        why = _("a link to a file that does not exist");
    else if (rc < 0)
        why = rc == -EACCES ? _("this user may not read it") : strerror(-rc);
    else if (!why && !(e = ldso_elf(p->proc, path)))
        why = _("cannot be read");
    else if (!why && e->verdict != ELF_OK)
        why = elf_verdict_text(e->verdict);
    c->usable = why == NULL;
    if (why && !l->culprit_detail)
        l->culprit_detail = why;
    struct libversion v;
    if (c->usable && lib_version(p, at->site, path, path, e, false, &v))
        c->version = v.version;
}

/* Sonames of other major versions near this one: libcublas.so.12 has libcublas.so.10, .11, .13, .14; cudart's older ones end in .0. */
static void other_majors(struct probe *p, const struct lib_places *at, struct fact_library *l, const char *dir, const char *soname)
{
    const char *so = strstr(soname, ".so.");
    uint64_t major;
    if (!so || str_to_u64(so + 4, strcspn(so + 4, "."), 10, &major) < 0 || major > 1000)
        return;
    for (int d = -MAX_CUDA_MAJOR; d <= MAX_CUDA_MAJOR; d++) {
        if (d == 0 || (int)major + d < 1)
            continue;
        const char *name = arena_printf(p->a, "%.*s.so.%d", (int)(so - soname), soname, (int)major + d);
        add_copy(p, at, l, name, path_join(p->a, dir, name));
        if (d == -1) {
            name = arena_printf(p->a, "%s.0", name);
            add_copy(p, at, l, name, path_join(p->a, dir, name));
        }
    }
}

void lib_copies_add(struct probe *p, const struct lib_places *at, struct fact_library *l, const char *soname, const char *winner, bool majors)
{
    const struct { const char **dirs; size_t n; } lists[] = {{at->wheels, at->n_wheels}, {at->others, at->n_others}};
    for (size_t k = 0; k < TG_COUNT(lists); k++)
        for (size_t i = 0; i < lists[k].n; i++) {
            const char *path = path_join(p->a, lists[k].dirs[i], soname);
            if (!str_eq(path, winner))
                add_copy(p, at, l, soname, path);
        }
    const char *cached = ldso_cache_path(p->proc, soname);
    if (cached && !str_eq(cached, winner))
        add_copy(p, at, l, soname, cached);
    for (size_t i = 0; majors && i < l->n_copies; i++)
        if (l->copies[i].usable)
            majors = false; /* the right one is there: others do not matter */
    for (size_t k = 0; majors && k < TG_COUNT(lists); k++)
        for (size_t i = 0; i < lists[k].n; i++)
            other_majors(p, at, l, lists[k].dirs[i], soname);
}

const char *lib_owner_by_record(struct probe *p, const char *soname)
{
    const char *end = arena_printf(p->a, "/lib/%s", soname);
    for (size_t i = 0; i < p->f->n_packages; i++) {
        const struct fact_package *k = &p->f->packages[i];
        if (!str_starts(k->name, "nvidia-") || k->shadowed_by || !k->info)
            continue;
        const struct tf_record *r = tf_record_libraries(p, k);
        for (size_t n = 0; n < r->n_files; n++)
            if (str_ends(r->files[n].path, end))
                return arena_printf(p->a, "%s==%s", k->name, k->version);
    }
    return NULL;
}
