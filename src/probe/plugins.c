/* SPDX-License-Identifier: Apache-2.0 */
/* plugins - libraries of others that the end of `import tensorflow` opens: its folder of kernels, folders tensorflow-plugins beside
 * installed packages, and what TF_PLUGGABLE_DEVICE_LIBRARY_PATH names. One that cannot be loaded ends the import. */
#include "probe/plugins.h"
#include <string.h>
#include "base/util.h"
#include "probe/syspath.h"

enum { LISTING_MAX = 4096 };

static void state(struct probe *p, struct fact_module_load m)
{
    *ARENA_PUSH(p->a, p->f->tensorflow.modules, p->f->tensorflow.n_modules) = m;
}

/* TensorFlow's own library, the real one, mapped before Python runs: tried with each installed release, whichever copy it is. */
enum plugins_early plugins_preloaded(struct probe *p)
{
    const struct fact_tensorflow *t = &p->f->tensorflow;
    const struct ldso_obj *const *objs;
    size_t n = ldso_objects(p->proc, &objs);
    struct rfile *file;
    struct elf_sym sym;
    for (size_t i = 0; i < n; i++) {
        if (!str_eq(objs[i]->soname, path_base(t->framework)) || root_open(p->root, objs[i]->name, &file, NULL) < 0)
            continue;
        struct bytesrc src = rfile_src(file);
        bool real = elf_lookup(&src, objs[i]->elf, "TF_NewStatus", NULL, &sym) == 1;
        rfile_close(file);
        if (real)
            state(p, (struct fact_module_load){.path = objs[i]->name, .outcome = FACT_OUTCOME_KILLS, .signal = "SIGSEGV",
                                               .message = "loaded before Python, by LD_PRELOAD: SIGSEGV"});
        return real ? PLUGINS_KILLS : PLUGINS_SUSPECT;
    }
    return PLUGINS_NONE;
}

/* By its name alone: "x.so", "x.so.1". */
static bool is_library(const char *name)
{
    const char *at = NULL;
    for (const char *s = name; (s = strstr(s, ".so.")) != NULL; s++)
        at = s;
    return str_ends(name, ".so") || (at && at[4] >= '0' && at[4] <= '9');
}

/* Its own libraries are opened so that everything that comes later may take functions of them (RTLD_GLOBAL). */
static bool has_tensorflow(struct probe *p, const char *message)
{
    const char *key = "undefined symbol: ", *at = message ? strstr(message, key) : NULL;
    const struct ldso_obj *const *objs;
    size_t n = ldso_objects(p->proc, &objs);
    struct rfile *file;
    struct elf_sym sym;
    bool found = false;
    const char *name = at ? arena_strndup(p->a, at + strlen(key), strcspn(at + strlen(key), ",")) : NULL;
    for (size_t i = 0; name && i < n && !found; i++) {
        if (!str_starts(objs[i]->name, p->f->tensorflow.package_dir) || root_open(p->root, objs[i]->name, &file, NULL) < 0)
            continue;
        struct bytesrc src = rfile_src(file);
        found = elf_lookup(&src, objs[i]->elf, name, NULL, &sym) == 1;
        rfile_close(file);
    }
    return found;
}

/* false: the import ends here. */
static bool open_library(struct probe *p, const char *path)
{
    ldso_check_symbols(p->proc, true);
    const struct ldso_answer *an = ldso_dlopen(p->proc, path, NULL);
    ldso_check_symbols(p->proc, false);
    if (an->outcome == LDSO_FAILED && has_tensorflow(p, an->message))
        an = ldso_dlopen(p->proc, path, NULL);
    const char *culprit = str_eq(an->culprit, path) ? path_base(path) : an->culprit;
    state(p, (struct fact_module_load){.path = path, .outcome = probe_outcome(an->outcome), .message = an->message, .signal = an->signal,
                                       .culprit = culprit, .culprit_file = an->culprit_file});
    return an->outcome == LDSO_FOUND;
}

static bool open_folder(struct probe *p, const char *dir)
{
    struct root_dirent *ents;
    size_t n;
    if (root_readdir(p->root, dir, LISTING_MAX, p->a, &ents, &n) < 0)
        return true;
    for (size_t i = 0; i < n; i++)
        if (is_library(ents[i].name) && !open_library(p, path_join(p->a, dir, ents[i].name)))
            return false;
    return true;
}

static bool open_variable(struct probe *p)
{
    struct root_stat st;
    const char *v = probe_variable(p, "TF_PLUGGABLE_DEVICE_LIBRARY_PATH");
    if (!v || !*v)
        return true;
    if (root_stat(p->root, v, &st) == 0)
        return st.type == ROOT_DIR ? open_folder(p, v) : open_library(p, v);
    if (root_is_live(p->root) || *v == '/')
        state(p, (struct fact_module_load){.path = v, .outcome = FACT_OUTCOME_MISSING, .culprit = path_base(v),
                                           .message = "The file or folder to load pluggable device libraries from does not exist."});
    return false;
}

static const char *user_site(struct probe *p)
{
    const char *base = probe_variable(p, "PYTHONUSERBASE"), *home = root_home(p->root), *lib = p->f->python.stdlib;
    if (p->sys && p->sys->user_site)
        return p->sys->user_site;
    base = base && *base ? base : home ? path_join(p->a, home, ".local") : NULL;
    return base && lib ? arena_printf(p->a, "%s/lib/%s/site-packages", base, path_base(lib)) : NULL;
}

/* The user's folder is looked into, on sys.path or not, by a TensorFlow that asks for the folders of every scheme of installing. */
static bool asks_every_scheme(struct probe *p)
{
    enum { SOURCE_MAX = 1 << 20 };
    struct arena tmp;
    const char *text;
    size_t n;
    arena_init(&tmp, 0);
    bool ret = root_read(p->root, path_join(p->a, p->f->tensorflow.package_dir, "__init__.py"), SOURCE_MAX, &tmp, &text, &n) == 0 &&
               memmem(text, n, "get_scheme_names", sizeof "get_scheme_names" - 1);
    arena_done(&tmp);
    return ret;
}

/* TensorFlow looks below each folder of sys.path with that word in its name. */
static bool open_all(struct probe *p)
{
    bool user = false;
    if (!open_folder(p, path_join(p->a, p->f->tensorflow.package_dir, "core/kernels")))
        return false;
    for (size_t i = 0; p->sys && i < p->sys->n_dirs; i++) {
        const struct sysdir *d = &p->sys->dirs[i];
        bool is_site = strstr(d->dir, "site-packages") || strstr(d->dir, "dist-packages");
        user = user || str_eq(d->dir, p->sys->user_site);
        if (is_site && (!d->listed || syspath_has(d, "tensorflow-plugins")) && !open_folder(p, path_join(p->a, d->dir, "tensorflow-plugins")))
            return false;
    }
    struct root_stat st;
    const char *dir = user ? NULL : user_site(p), *plugins = dir ? path_join(p->a, dir, "tensorflow-plugins") : NULL;
    return !plugins || root_stat(p->root, plugins, &st) < 0 || !asks_every_scheme(p) || open_folder(p, plugins);
}

void plugins_open(struct probe *p)
{
    if (open_all(p))
        (void)open_variable(p);
}
