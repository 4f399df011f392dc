/* SPDX-License-Identifier: Apache-2.0 */
/* site_find - the causes of a site's folders. */
#include "base/dropin.h"
#include "base/i18n.h"
#include "base/util.h"
#include "explain/site.h"
#include "formats/ydoc.h"

static void add(struct arena *a, const struct dropin *x, struct site_found *f)
{
    struct site_mistakes m = {.a = a};
    struct site_cause c;
    if (x->why) {
        *ARENA_PUSH(a, f->problems, f->n_problems) = arena_printf(a, _("%s: left out: %s"), x->path, x->why);
        return;
    }
    for (size_t i = 0; i < f->n; i++)
        if (str_eq(path_base(f->causes[i].file), x->name)) { /* the id is the file's name */
            *ARENA_PUSH(a, f->hidden, f->n_hidden) = x->path;
            return;
        }
    if (site_read(a, x->path, x->text, x->n, &c, &m)) {
        *ARENA_PUSH(a, f->causes, f->n) = c;
        return;
    }
    site_mistakes_sort(&m);
    *ARENA_PUSH(a, f->problems, f->n_problems) = arena_printf(a, _("%s:%u: %s (this file is left out; 'tfgpu kb lint' tells all)"), x->path, m.of[0].line, m.of[0].what);
}

void site_find(struct arena *a, const char *const *folders, struct site_found *ret)
{
    *ret = (struct site_found){0};
    for (size_t i = 0; folders[i]; i++) {
        struct dropin *list;
        size_t n;
        dropins_read(a, folders[i], ".yaml", YDOC_MAX_BYTES, SITE_MAX_FILES, &list, &n);
        for (size_t k = 0; k < n; k++)
            add(a, &list[k], ret);
    }
}
