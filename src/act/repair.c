/* SPDX-License-Identifier: Apache-2.0 */
/* repair - libraries that the loader does not reach. */
#include "act/repair.h"
#include <string.h>
#include "base/i18n.h"
#include "base/util.h"
#include "rules/library.h"

/* From the folder of `from` to `to`, both absolute and clean. */
static const char *relative(struct arena *a, const char *from, const char *to)
{
    size_t common = 0;
    const char *up = "";
    for (size_t i = 0; from[i] && from[i] == to[i]; i++)
        if (from[i] == '/')
            common = i + 1;
    for (const char *s = from + common; (s = strchr(s, '/')); s++)
        up = arena_printf(a, "%s../", up);
    return arena_printf(a, "%s%s", up, to + common);
}

/* Where NVIDIA's wheels lie is a folder for libraries; TensorFlow's own is the second choice. */
static bool is_nvidias(const char *path)
{
    return strstr(path, "/nvidia/") != NULL;
}

/* The folder of the search in which a link can be made: one of the environment that was looked into. */
static const char *place_for(struct arena *a, const struct fact_library *l, const char *culprit, const char *dir)
{
    const char *best = NULL;
    for (size_t i = 0; i < l->n_trail; i++) {
        const struct fact_try *t = &l->trail[i];
        const char *path = t->path ? path_clean(a, t->path) : NULL;
        if (!str_eq(t->result, "absent") || t->detail || !path_is_below(path, dir) || !str_eq(path_base(path), culprit) || strstr(path, "glibc-hwcaps"))
            continue;
        if (!best || (is_nvidias(path) && !is_nvidias(best)))
            best = path;
    }
    return best;
}

static bool is_planned(const struct plan *p, const char *path)
{
    for (size_t i = 0; i < p->n_steps; i++)
        if (str_eq(p->steps[i].path, path))
            return true;
    return false;
}

void repair_links(struct arena *a, const struct facts *f, const char *dir, struct plan *ret, size_t *ret_left)
{
    *ret_left = 0;
    for (size_t i = 0; i < f->n_libraries; i++) {
        const struct fact_library *l = &f->libraries[i];
        if ((l->role != FACT_LIB_ROLE_CUDA && l->role != FACT_LIB_ROLE_CUDNN) || library_case(l) != LIB_UNREACHABLE)
            continue;
        const char *culprit = library_culprit(l);
        const struct fact_copy *copy = library_usable_copy(l, culprit);
        const char *path = copy && path_is_below(copy->path, dir) ? place_for(a, l, culprit, dir) : NULL;
        if (!path) {
            (*ret_left)++;
        } else if (!is_planned(ret, path)) {
            struct step *s = plan_add(a, ret, STEP_LINK, arena_printf(a, _("let the loader find %s"), culprit), path);
            s->target = relative(a, path, path_clean(a, copy->path));
        }
    }
}

static void add_dir(struct arena *a, const char *dir, const char ***list, size_t *n)
{
    for (size_t i = 0; i < *n; i++)
        if (str_eq((*list)[i], dir))
            return;
    *ARENA_PUSH(a, *list, *n) = dir;
}

bool repair_hook(struct arena *a, const struct facts *f, const struct hook_file *files, size_t n_files, struct plan *ret)
{
    const char **dirs = NULL;
    size_t n = 0;
    for (size_t i = 0; i < n_files; i++)
        hook_dirs(a, &files[i], &dirs, &n);
    for (size_t i = 0; i < f->n_libraries; i++) {
        const struct fact_library *l = &f->libraries[i];
        const struct fact_copy *copy = (l->role == FACT_LIB_ROLE_CUDA || l->role == FACT_LIB_ROLE_CUDNN) && library_case(l) == LIB_UNREACHABLE
                                           ? library_usable_copy(l, library_culprit(l)) : NULL;
        if (copy)
            add_dir(a, path_dir(a, path_clean(a, copy->path)), &dirs, &n);
    }
    return hook_can_say(dirs, n) && hook_steps(a, dirs, n, files, n_files, ret);
}
