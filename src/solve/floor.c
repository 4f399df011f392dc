/* SPDX-License-Identifier: Apache-2.0 */
/* floor - a lock's floor is a release that only one lock knows of. */
#include "solve/floor.h"
#include <string.h>
#include "base/i18n.h"
#include "base/util.h"
#include "knowledge/drivers.h"
#include "solve/fits.h"

void floor_of_wheel(struct arena *a, const struct fact_wheel *w, struct lock_floor *ret)
{
    uint32_t major = 0;
    const struct driver_floor *d = w->cuda && ver_major(w->cuda, &major) ? driver_floor(major) : NULL;
    *ret = (struct lock_floor){.machine = "x86_64", .glibc = w->glibc, .cpu = w->cpu, .n_cpu = w->n_cpu, .cuda = w->cuda};
    if (!w->cuda)
        return;
    ret->driver_linux = d ? arena_strdup(a, d->linux_min) : NULL;
    ret->driver_windows = d ? arena_strdup(a, d->windows_min) : NULL;
    ret->sass = w->sass;
    ret->n_sass = w->n_sass;
    ret->sass_exact = w->sass_exact;
    ret->n_sass_exact = w->n_sass_exact;
    ret->ptx = w->ptx;
    ret->n_ptx = w->n_ptx;
    ret->ptx_isa = w->ptx_isa;
}

struct unmet { struct arena *a; struct solve_reason *of; size_t n; };

static void lacks(struct unmet *u, enum solve_part part, const char *subject, const char *text)
{
    *ARENA_PUSH(u->a, u->of, u->n) = (struct solve_reason){part, subject, text};
}

static bool has(const struct solve_ask *ask, const char *set)
{
    for (size_t i = 0; i < ask->n_cpu; i++)
        if (str_eq(ask->cpu[i], set))
            return true;
    return false;
}

static void processor(struct unmet *u, const struct lock_floor *f, const struct solve_ask *ask)
{
    if (ask->machine && f->machine && !str_eq(ask->machine, f->machine))
        lacks(u, SOLVE_MACHINE, NULL, arena_printf(u->a, _("the lock is for %s; this machine is %s"), f->machine, ask->machine));
    for (size_t i = 0; ask->n_cpu && i < f->n_cpu; i++)
        if (!has(ask, f->cpu[i]))
            lacks(u, SOLVE_CPU, f->cpu[i], arena_printf(u->a, _("the processor has no %s, which this TensorFlow cannot do without"), f->cpu[i]));
    if (ask->glibc && f->glibc && ver_cmp(ask->glibc, f->glibc) < 0)
        lacks(u, SOLVE_GLIBC, NULL, arena_printf(u->a, _("glibc %s is needed; this machine has %s"), f->glibc, ask->glibc));
}

static void gpus(struct unmet *u, const struct lock_floor *f, const struct solve_ask *ask)
{
    const struct release r = {.version = "", .cuda = f->cuda, .ptx_isa = f->ptx_isa,
                              .code = {f->sass, f->n_sass, f->sass_exact, f->n_sass_exact, f->ptx, f->n_ptx}};
    struct scope s;
    uint32_t branch = 0;
    scope_init(u->a, ask, &s);
    for (size_t i = 0; i < ask->n_gpus; i++)
        if (fits_code(&r, ask->gpus[i].cc) == FIT_NONE)
            lacks(u, SOLVE_GPU, ask->gpus[i].name, arena_printf(u->a, _("%s (compute capability %u.%u): this TensorFlow has no code for it"), ask->gpus[i].name,
                                                                 ask->gpus[i].cc / 10, ask->gpus[i].cc % 10));
    struct driver_range d = fits_driver(&s, &r, SOLVE_ALL);
    const char *stated = ask->os == SOLVE_WSL ? f->driver_windows : f->driver_linux;
    const char *min = stated && (!d.min || ver_cmp(stated, d.min) > 0) ? stated : d.min;
    if (!ask->driver || !ver_major(ask->driver, &branch))
        return;
    if (min && ver_cmp(ask->driver, min) < 0)
        lacks(u, SOLVE_DRIVER, NULL, arena_printf(u->a, _("driver %s is needed, or a newer one; this machine has %s"), min, ask->driver));
    if (d.last && branch > d.last)
        lacks(u, SOLVE_DRIVER, NULL, arena_printf(u->a, _("driver %u is the last for a GPU of this machine, which has %s"), d.last, ask->driver));
}

void floor_unmet(struct arena *a, const struct lock_floor *f, const struct solve_ask *ask, struct solve_reason **ret, size_t *ret_n,
                 const char ***ret_notes, size_t *ret_n_notes)
{
    struct unmet u = {.a = a};
    const char **notes = NULL;
    size_t n = 0;
    processor(&u, f, ask);
    if (f->cuda)
        gpus(&u, f, ask);
    if (f->cuda && !ask->n_gpus)
        *ARENA_PUSH(a, notes, n) = _("no NVIDIA GPU is known here; TensorFlow will run on the CPU");
    else if (f->cuda && !ask->driver)
        *ARENA_PUSH(a, notes, n) = _("no driver is known here, so none was held against the lock");
    if (f->glibc && !ask->glibc)
        *ARENA_PUSH(a, notes, n) = _("the glibc of this machine is not known, so it was not held against the lock");
    if (f->n_cpu && !ask->n_cpu)
        *ARENA_PUSH(a, notes, n) = _("the processor's instruction sets are not known, so they were not held against the lock");
    *ret = u.of;
    *ret_n = u.n;
    *ret_notes = notes;
    *ret_n_notes = n;
}
