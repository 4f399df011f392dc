/* SPDX-License-Identifier: Apache-2.0 */
/* mend_apart - which plans of mend_steps can be done in one go. */
#include <string.h>
#include "act/mend.h"
#include "base/util.h"
#include "knowledge/pydata.h"

/* The package that a word of an engine's command names: "tensorflow[and-cuda]==2.20.0" is tensorflow; NULL: it names none. */
static const char *package_of(const struct step *s, size_t i, char *name, size_t size)
{
    const char *w = s->argv[i];
    size_t n = strcspn(w, "[]=<>!~ ");
    bool is_value = i > 0 && str_eq(s->argv[i - 1], "--python");
    if (i < 3 || n == 0 || n >= size || is_value || w[0] == '-' || strchr(w, '/') || str_eq(w, "pip") || str_eq(w, "install") || str_eq(w, "uninstall"))
        return NULL;
    memcpy(name, w, n);
    name[n] = '\0';
    return name;
}

/* TensorFlow brings whatever it needs along. */
static bool names_same(const struct step *x, const struct step *y)
{
    enum { NAME = 128 };
    char one[NAME], other[NAME];
    for (size_t i = 0; i < x->n_argv; i++)
        for (size_t k = 0; k < y->n_argv; k++) {
            const char *a = package_of(x, i, one, NAME), *b = package_of(y, k, other, NAME);
            if (a && b && (str_eq(a, b) || pydata_tf_dist(a) || pydata_tf_dist(b)))
                return true;
        }
    return false;
}

static bool has_packages(const struct plan *p)
{
    for (size_t i = 0; i < p->n_steps; i++)
        if (p->steps[i].kind == STEP_RUN)
            return true;
    return false;
}

bool mend_apart(const struct plan *x, const struct plan *y)
{
    bool apart = has_packages(x) == has_packages(y);
    for (size_t i = 0; i < x->n_steps; i++)
        for (size_t k = 0; k < y->n_steps; k++) {
            const struct step *s = &x->steps[i], *t = &y->steps[k];
            if (s->kind == STEP_KEEP || t->kind == STEP_KEEP)
                continue;
            apart = apart && (s->kind == STEP_RUN ? t->kind == STEP_RUN && !names_same(s, t) : !str_eq(s->path, t->path));
        }
    return apart;
}
