/* SPDX-License-Identifier: Apache-2.0 */
/* tensorflow - the installed TensorFlow: where it is, what it was built for, what it opens while importing. */
#include <string.h>
#include "base/util.h"
#include "knowledge/layout.h"
#include "probe/lib_copies.h"
#include "probe/plugins.h"
#include "probe/probe.h"
#include "probe/syspath.h"
#include "probe/tf_build.h"
#include "probe/tf_code.h"

static bool exists(struct probe *p, const char *path)
{
    struct root_stat st;
    return root_stat(p->root, path, &st) == 0;
}

/* First folder on sys.path that holds a package tensorflow/ with its libraries; what shadows it is integrity.c's business. */
/* Its folder was listed, and it is not in it: that this user may reach it by its name does not help Python. */
static bool is_not_listed(const struct probe *p, const char *dir)
{
    for (size_t i = 0; p->sys && i < p->sys->n_dirs; i++)
        if (str_eq(p->sys->dirs[i].dir, dir))
            return p->sys->dirs[i].listed && !syspath_has(&p->sys->dirs[i], "tensorflow");
    return false;
}

static const char *find_package(struct probe *p)
{
    for (size_t i = 0; i < p->f->python.n_sys_path; i++) {
        const struct fact_path_dir *d = &p->f->python.sys_path[i];
        if (!d->exists || !d->dir || d->dir[0] != '/' || str_eq(d->origin, "script-dir") || is_not_listed(p, d->dir))
            continue;
        const char *dir = path_join(p->a, d->dir, "tensorflow");
        if (exists(p, path_join(p->a, dir, "__init__.py")))
            return dir;
    }
    return NULL;
}

static void add_module(struct probe *p, const struct ldso_answer *an, const char *path)
{
    struct fact_tensorflow *t = &p->f->tensorflow;
    struct fact_module_load *m = ARENA_PUSH(p->a, t->modules, t->n_modules);
    *m = (struct fact_module_load){.path = path, .outcome = probe_outcome(an->outcome), .message = an->message, .signal = an->signal,
                                   .culprit = an->culprit, .culprit_file = an->culprit_file};
}

static const struct ldso_answer *open_module(struct probe *p, const char *path)
{
    const struct ldso_answer *an = ldso_dlopen(p->proc, path, NULL);
    add_module(p, an, path);
    return an;
}

static void gather_abi(struct probe *p, struct fact_abi *abi)
{
    const struct ldso_obj *const *objs;
    size_t n = ldso_objects(p->proc, &objs);
    for (size_t i = 0; i < n; i++) {
        const struct elf *e = objs[i]->elf;
        bool own = strstr(objs[i]->name, "/tensorflow/") != NULL;
        bool libc = str_eq(objs[i]->soname, "libc.so.6"), cxx = str_eq(objs[i]->soname, "libstdc++.so.6");
        for (size_t k = 0; own && k < e->n_verneed; k++) {
            ver_highest(&abi->glibc_need, e->verneed[k].version, "GLIBC_");
            ver_highest(&abi->glibcxx_need, e->verneed[k].version, "GLIBCXX_");
            ver_highest(&abi->cxxabi_need, e->verneed[k].version, "CXXABI_");
        }
        for (size_t k = 0; cxx && k < e->n_verdef; k++) {
            ver_highest(&abi->glibcxx_have, e->verdef[k].name, "GLIBCXX_");
            ver_highest(&abi->cxxabi_have, e->verdef[k].name, "CXXABI_");
        }
        if (libc)
            abi->libc_path = objs[i]->name;
        if (cxx)
            abi->libstdcxx = objs[i]->name;
    }
    abi->glibc_have = ldso_glibc_version(p->proc);
    abi->state = FACT_PRESENT;
}

static const char *find_caller(const struct probe *p, const char *framework)
{
    const struct ldso_obj *const *objs;
    size_t n = ldso_objects(p->proc, &objs);
    for (size_t i = 0; i < n; i++)
        if (str_eq(path_base(objs[i]->name), path_base(framework)))
            return objs[i]->name;
    return NULL;
}

/* Start the interpreter and open the extensions in the order of the import, up to the first failure. */
static void simulate_import(struct probe *p, struct fact_tensorflow *t)
{
    struct ldso_config c = {.program = p->f->python.exe, .ld_library_path = p->f->ld_library_path, .ld_preload = p->f->ld_preload,
                            .want_shadowed = p->verbose};
    struct err e;
    if (!c.program || ldso_new(p->root, p->a, &c, &p->proc, &e) < 0) {
        p->proc = NULL;
        return;
    }
    const struct ldso_answer *start = ldso_start(p->proc);
    if (start->outcome != LDSO_FOUND) {
        add_module(p, start, c.program);
        return;
    }
    for (size_t i = 0; i < p->f->python.n_pth_loads; i++) { /* one that fails is an exception, which site takes */
        const struct ldso_answer *an = ldso_dlopen(p->proc, p->f->python.pth_loads[i].name, NULL);
        if (an->outcome == LDSO_KILLED) {
            add_module(p, an, p->f->python.pth_loads[i].name);
            return;
        }
    }
    enum plugins_early early = p->f->ld_preload ? plugins_preloaded(p) : PLUGINS_NONE;
    bool goes_on = early != PLUGINS_KILLS;
    ldso_check_symbols(p->proc, early == PLUGINS_SUSPECT);
    for (const char *const *m = layout_import_chain(); goes_on && *m; m++) {
        const char *path = path_join(p->a, t->package_dir, *m);
        goes_on = !exists(p, path) || open_module(p, path)->outcome == LDSO_FOUND;
    }
    if (goes_on)
        plugins_open(p);
    p->import_mark = ldso_mark(p->proc);
    t->caller = find_caller(p, t->framework);
    ldso_trust(p->proc, lib_intact_wheel, p);
    ldso_check_symbols(p->proc, true); /* not before: TensorFlow's own tables have hundreds of thousands of symbols */
    gather_abi(p, &t->abi);
}

static bool xla_flag_dir(const struct probe *p, const char **ret)
{
    const char *flags = root_getenv(p->root, "XLA_FLAGS"), *key = "--xla_gpu_cuda_data_dir=";
    const char *at = flags ? strstr(flags, key) : NULL;
    if (!at)
        return false;
    at += strlen(key);
    *ret = arena_strndup(p->a, at, strcspn(at, " \t"));
    return true;
}

static const char *on_path(struct probe *p, const char *program)
{
    const char *path = root_getenv(p->root, "PATH");
    for (size_t n; path && *path; path += n + (path[n] == ':')) {
        n = strcspn(path, ":");
        const char *full = path_join(p->a, arena_strndup(p->a, path, n), program);
        if (n && full[0] == '/' && root_access(p->root, full, 1) == 0)
            return full;
    }
    return NULL;
}

static void try_xla_root(struct probe *p, struct fact_xla *x, const char *dir)
{
    const char *ptxas = path_join(p->a, dir, "bin/ptxas"), *dev = path_join(p->a, dir, "nvvm/libdevice/libdevice.10.bc");
    if (!x->ptxas && root_access(p->root, ptxas, 1) == 0)
        x->ptxas = ptxas;
    if (!x->libdevice && root_access(p->root, dev, 4) == 0)
        x->libdevice = dev;
}

static void find_xla(struct probe *p, const struct fact_tensorflow *t, struct fact_xla *x)
{
    const char *cuda = t->build.cuda_version, *dir;
    size_t n = cuda ? strcspn(cuda, ".") : 0;
    size_t series = cuda && cuda[n] ? n + 1 + strcspn(cuda + n + 1, ".") : n;
    struct layout_vars v = {.site = path_dir(p->a, t->package_dir), .prefix = p->f->python.prefix,
                            .cuda = cuda ? arena_strndup(p->a, cuda, series) : NULL};
    x->state = FACT_PRESENT;
    if (xla_flag_dir(p, &dir))
        try_xla_root(p, x, dir);
    if (!x->ptxas)
        x->ptxas = on_path(p, "ptxas");
    for (unsigned i = 0; (!x->ptxas || !x->libdevice) && (dir = layout_dir(p->a, LAYOUT_XLA_ROOTS, &v, i)); i++)
        if (*dir)
            try_xla_root(p, x, dir);
}

void probe_tensorflow(struct probe *p)
{
    struct fact_tensorflow *t = &p->f->tensorflow;
    t->package_dir = find_package(p);
    if (t->package_dir)
        root_near(p->root, path_dir(p->a, t->package_dir));
    probe_tf_metadata(p);
    if (!t->package_dir) {
        t->state = FACT_ABSENT;
        return;
    }
    t->state = FACT_PRESENT;
    t->source = t->package_dir;
    struct files files = files_of_root(p->root);
    tf_build_info(&files, t->package_dir, p->a, &t->build);
    t->cudnn_compiled = tf_build_cudnn_header(&files, t->package_dir, p->a);
    t->framework = path_join(p->a, t->package_dir, "libtensorflow_framework.so.2");
    const char *cc = path_join(p->a, t->package_dir, "libtensorflow_cc.so.2");
    t->cc = exists(p, cc) ? cc : path_join(p->a, t->package_dir, "python/_pywrap_tensorflow_internal.so");
    simulate_import(p, t);
    if (t->build.is_cuda != TRI_NO)
        tf_code_needs(p);
    find_xla(p, t, &t->xla);
}
