/* SPDX-License-Identifier: Apache-2.0 */
/* conda - where the conda family keeps its environments. */
#include "probe/conda.h"
#include <string.h>
#include "base/util.h"

enum { TEXT_MAX = 1 << 20, DIR_MAX = 5000 };

struct list {
    struct root *r;
    struct arena *a;
    const char *only;
    struct conda_env *v;
    size_t n;
};

static bool is_conda(struct list *l, const char *prefix)
{
    struct root_stat st;
    return root_stat(l->r, path_join(l->a, prefix, "conda-meta"), &st) == 0 && st.type == ROOT_DIR;
}

static void add(struct list *l, const char *name, const char *prefix, const char *why)
{
    const char *real;
    if ((l->only && strcmp(l->only, name) != 0) || !is_conda(l, prefix))
        return;
    if (root_realpath(l->r, prefix, l->a, &real) < 0)
        real = prefix;
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->v[i].real, real) == 0)
            return;
    struct conda_env *e = ARENA_PUSH(l->a, l->v, l->n);
    *e = (struct conda_env){name, prefix, real, why};
}

static void add_envs_folder(struct list *l, const char *dir)
{
    struct root_dirent *ents;
    size_t n;
    if (l->only) {
        add(l, l->only, path_join(l->a, dir, l->only), dir);
        return;
    }
    if (root_readdir(l->r, dir, DIR_MAX, l->a, &ents, &n) < 0)
        return;
    for (size_t i = 0; i < n; i++)
        if (ents[i].name[0] != '.')
            add(l, ents[i].name, path_join(l->a, dir, ents[i].name), dir);
}

static void add_installation(struct list *l, const char *prefix, const char *why)
{
    add(l, "base", prefix, why);
    add_envs_folder(l, path_join(l->a, prefix, "envs"));
}

static void add_from_file(struct list *l, const char *file)
{
    const char *text;
    size_t len;
    struct str line;
    if (root_read(l->r, file, TEXT_MAX, l->a, &text, &len) < 0)
        return;
    for (size_t pos = 0; str_line(text, len, &pos, &line);) {
        line = str_trim(line);
        if (line.n == 0 || *line.p != '/' || memchr(line.p, '\0', line.n))
            continue;
        const char *prefix = path_clean(l->a, arena_strndup(l->a, line.p, line.n));
        struct root_stat st;
        bool base = root_stat(l->r, path_join(l->a, prefix, "condabin"), &st) == 0;
        add(l, base ? "base" : path_base(prefix), prefix, file);
    }
}

void conda_list(struct root *r, struct arena *a, const char *only, struct conda_env **ret, size_t *ret_n)
{
    static const char *const in_home[] = {"miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba", ".local/share/mamba"};
    static const char *const in_opt[] = {"/opt/conda", "/opt/miniconda3", "/opt/anaconda3", "/opt/miniforge3"};
    static const char *const lists[] = {"CONDA_ENVS_PATH", "CONDA_ENVS_DIRS"};
    struct list l = {.r = r, .a = a, .only = only};
    const char *exe = root_getenv(r, "CONDA_EXE"), *mamba = root_getenv(r, "MAMBA_ROOT_PREFIX"), *home = root_home(r);
    if (exe && *exe == '/')
        add_installation(&l, path_dir(a, path_dir(a, exe)), "CONDA_EXE");
    if (mamba && *mamba == '/')
        add_installation(&l, mamba, "MAMBA_ROOT_PREFIX");
    for (size_t i = 0; i < TG_COUNT(lists); i++)
        for (const char *s = root_getenv(r, lists[i]); s && *s; s = s[strcspn(s, ":")] ? s + strcspn(s, ":") + 1 : NULL)
            add_envs_folder(&l, arena_strndup(a, s, strcspn(s, ":")));
    for (size_t i = 0; home && i < TG_COUNT(in_home); i++)
        add_installation(&l, path_join(a, home, in_home[i]), home);
    for (size_t i = 0; i < TG_COUNT(in_opt); i++)
        add_installation(&l, in_opt[i], "/opt");
    if (home) {
        add_envs_folder(&l, path_join(a, home, ".conda/envs"));
        add_from_file(&l, path_join(a, home, ".conda/environments.txt"));
    }
    *ret = l.v;
    *ret_n = l.n;
}
