/* SPDX-License-Identifier: Apache-2.0 */
/* change - the smallest changes that make something fit, cheapest first, and to what each part has to be changed. */
#include <stdlib.h>
#include "base/i18n.h"
#include "base/util.h"
#include "knowledge/drivers.h"
#include "solve/search.h"

/* Parts that a user can change; the cost of a change is the sum. GPUs come behind them, where there are several. */
static const struct { enum solve_part part; unsigned cost; } changeable[] = {
    {SOLVE_TF, 1}, {SOLVE_PYTHON, 2}, {SOLVE_ENGINE, 2}, {SOLVE_WITH, 4}, {SOLVE_DRIVER, 8}, {SOLVE_GLIBC, 32}};
enum { GPU_COST = 64, MAX_FREE = TG_COUNT(changeable) + SOLVE_MAX_CC };

struct relax { unsigned parts, cost; };
struct texts { const char **v; size_t n; };

static int by_cost(const void *pa, const void *pb)
{
    const struct relax *a = pa, *b = pb;
    return a->cost != b->cost ? (a->cost < b->cost ? -1 : 1) : a->parts < b->parts ? -1 : a->parts > b->parts;
}

static bool stated(const struct solve_ask *ask, enum solve_part p)
{
    switch (p) {
    case SOLVE_TF: return ask->tf;
    case SOLVE_PYTHON: return ask->python;
    case SOLVE_WITH: return ask->n_with;
    case SOLVE_ENGINE: return ask->engine_asked && ask->engine == SOLVE_VENV && ask->python_here;
    case SOLVE_DRIVER: return ask->driver;
    case SOLVE_GLIBC: return ask->glibc;
    case SOLVE_GPU: case SOLVE_CPU: case SOLVE_MACHINE: case SOLVE_N_PARTS: break;
    }
    return false;
}

static size_t all_sets(struct scope *s, struct relax **ret)
{
    struct relax one[MAX_FREE];
    size_t n = 0, n_sets = 0;
    for (size_t i = 0; i < TG_COUNT(changeable); i++)
        if (stated(s->ask, changeable[i].part))
            one[n++] = (struct relax){PART(changeable[i].part), changeable[i].cost};
    for (size_t i = 0; s->n_cc > 1 && i < s->n_cc; i++)
        one[n++] = (struct relax){GPU_PART(i), GPU_COST};
    struct relax *sets = arena_array(s->a, (size_t)1 << n, sizeof *sets);
    for (unsigned m = 1; m < 1u << n; m++, n_sets++)
        for (size_t i = 0; i < n; i++)
            if (m & (1u << i)) {
                sets[n_sets].parts |= one[i].parts;
                sets[n_sets].cost += one[i].cost;
            }
    if (n_sets)
        qsort(sets, n_sets, sizeof *sets, by_cost);
    *ret = sets;
    return n_sets;
}

static int by_number(const void *a, const void *b)
{
    return ver_cmp(*(const char *const *)a, *(const char *const *)b);
}

static void offer_text(struct arena *a, struct texts *l, const char *v)
{
    for (size_t i = 0; v && i < l->n; i++)
        if (str_eq(l->v[i], v))
            return;
    if (v)
        *ARENA_PUSH(a, l->v, l->n) = v;
}

/* Driver numbers at which anything changes, ascending. */
static struct texts drivers(struct scope *s, unsigned mask)
{
    size_t n;
    struct texts l = {0};
    const struct release *all = releases_all(s->ask->known, &n);
    for (size_t i = 0; i < n; i++) {
        struct driver_range d = fits_driver(s, &all[i], mask);
        offer_text(s->a, &l, d.min);
        offer_text(s->a, &l, d.last ? arena_printf(s->a, "%u", d.last) : NULL);
    }
    const struct framework_release *t = framework_releases_all(s->ask->known, &n);
    for (size_t i = 0; i < n; i++)
        offer_text(s->a, &l, framework_driver(s, &t[i]));
    if (l.n)
        qsort(l.v, l.n, sizeof *l.v, by_number);
    return l;
}

/* The same of glibc. */
static struct texts glibcs(struct scope *s)
{
    size_t n, n_v;
    struct texts l = {0};
    const struct release *all = releases_all(s->ask->known, &n);
    for (size_t i = 0; i < n; i++)
        offer_text(s->a, &l, fits_glibc(&all[i]));
    const struct framework_release *t = framework_releases_all(s->ask->known, &n);
    for (size_t i = 0; i < n; i++)
        offer_text(s->a, &l, t[i].wheel.glibc);
    const char *dist;
    for (size_t i = 0; (dist = wheel_dist_name(i)); i++) {
        const struct wheel_version *v = wheel_versions_of(s->ask->known, dist, &n_v);
        for (size_t k = 0; k < n_v; k++)
            offer_text(s->a, &l, v[k].glibc);
    }
    if (l.n)
        qsort(l.v, l.n, sizeof *l.v, by_number);
    return l;
}

/* Tries numbers above the present one upwards, then those below downwards; the first with which something fits stays in `to`, which is the ask's. */
static void settle(struct scope *s, const char **to, const struct texts *l, unsigned mask)
{
    const char *had = *to;
    for (size_t i = 0; i < l->n; i++) {
        *to = l->v[i];
        scope_forget(s);
        if (ver_cmp(l->v[i], had) > 0 && any_fits(s, mask))
            return;
    }
    for (size_t i = l->n; i-- > 0;) {
        *to = l->v[i];
        scope_forget(s);
        if (ver_cmp(l->v[i], had) < 0 && any_fits(s, mask))
            return;
    }
}

static struct solve_step tf_step(struct scope *s, const struct found *f, size_t n)
{
    const struct release *newest = f[0].plan.r, *oldest = newest;
    size_t all_n;
    const struct release *all = releases_all(s->ask->known, &all_n);
    for (size_t i = 0; i < n; i++) {
        newest = f[i].plan.r > newest ? f[i].plan.r : newest;
        oldest = f[i].plan.r < oldest ? f[i].plan.r : oldest;
    }
    if (newest != all + all_n - 1)
        return (struct solve_step){SOLVE_TF, NULL, arena_printf(s->a, "<=%s", newest->version), arena_printf(s->a, _("TensorFlow <= %s"), newest->version)};
    return (struct solve_step){SOLVE_TF, NULL, arena_printf(s->a, ">=%s", oldest->version), arena_printf(s->a, _("TensorFlow >= %s"), oldest->version)};
}

static struct solve_step driver_step(struct scope *s, const char *had, const char *v)
{
    const char *text = ver_cmp(v, had) < 0 ? arena_printf(s->a, _("a driver of branch %s at most"), v) : arena_printf(s->a, _("driver >= %s"), v);
    return (struct solve_step){SOLVE_DRIVER, NULL, v, text};
}

static struct solve_step *push(struct scope *s, struct solve_change *c)
{
    return ARENA_PUSH(s->a, c->steps, c->n_steps);
}

/* The dearest parts first get the least value that still leaves something; what is settled counts for the rest. */
static void one_change(struct scope *s, unsigned parts, struct solve_change *ret)
{
    struct solve_ask ask = *s->ask;
    struct scope w = *s;
    struct found *f = NULL;
    size_t n = 0;
    unsigned mask = SOLVE_ALL & ~parts;
    w.ask = &ask;
    if (parts & PART(SOLVE_GLIBC)) {
        const struct texts l = glibcs(&w);
        settle(&w, &ask.glibc, &l, mask |= PART(SOLVE_GLIBC));
    }
    if (parts & PART(SOLVE_DRIVER)) {
        const struct texts l = drivers(&w, mask);
        settle(&w, &ask.driver, &l, mask |= PART(SOLVE_DRIVER));
    }
    scope_forget(&w);
    find_all(&w, mask, &f, &n);
    const char *python = arena_printf(s->a, "3.%u", f[0].plan.python);
    ret->then = f[0].plan.r->version;
    if (parts & PART(SOLVE_TF)) {
        size_t same = 0; /* only what fits the Python that is named counts */
        for (size_t i = 0; i < n; i++)
            if (!(parts & (PART(SOLVE_PYTHON) | PART(SOLVE_ENGINE))) || f[i].plan.python == f[0].plan.python)
                f[same++] = f[i];
        *push(s, ret) = tf_step(s, f, same);
    }
    if (parts & PART(SOLVE_PYTHON))
        *push(s, ret) = (struct solve_step){SOLVE_PYTHON, NULL, python, arena_printf(s->a, _("Python %s"), python)};
    if (parts & PART(SOLVE_ENGINE))
        *push(s, ret) = (struct solve_step){SOLVE_ENGINE, NULL, "uv", arena_printf(s->a, _("uv instead of venv (it brings Python %s)"), python)};
    if (parts & PART(SOLVE_WITH))
        *push(s, ret) = (struct solve_step){SOLVE_WITH, NULL, NULL, _("other releases of the frameworks beside it, or none")};
    if (parts & PART(SOLVE_DRIVER))
        *push(s, ret) = driver_step(s, s->ask->driver, ask.driver);
    if (parts & PART(SOLVE_GLIBC))
        *push(s, ret) = (struct solve_step){SOLVE_GLIBC, NULL, ask.glibc, arena_printf(s->a, _("a distribution with glibc >= %s"), ask.glibc)};
    for (size_t i = 0; i < s->n_cc; i++)
        if (parts & GPU_PART(i)) {
            const char *name = scope_gpu(s, i)->name;
            *push(s, ret) = (struct solve_step){SOLVE_GPU, name, NULL, arena_printf(s->a, _("without %s (CUDA_VISIBLE_DEVICES)"), name)};
        }
}

void find_changes(struct scope *s, struct solve_answer *ret)
{
    struct relax *sets;
    size_t n = all_sets(s, &sets), n_done = 0;
    unsigned *done = arena_array(s->a, n + 1, sizeof *done);
    for (size_t i = 0; i < n; i++) {
        bool within = false;
        for (size_t k = 0; k < n_done; k++)
            within |= (sets[i].parts & done[k]) == done[k];
        if (within || !any_fits(s, SOLVE_ALL & ~sets[i].parts))
            continue;
        done[n_done++] = sets[i].parts;
        one_change(s, sets[i].parts, ARENA_PUSH(s->a, ret->changes, ret->n_changes));
    }
}
