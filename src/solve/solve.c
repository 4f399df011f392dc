/* SPDX-License-Identifier: Apache-2.0 */
/* solve - every combination that fits, best first; where none does, the parts that exclude each other and the changes that help. */
#include "solve/solve.h"
#include <stdlib.h>
#include <string.h>
#include "base/util.h"
#include "formats/pep440.h"
#include "solve/search.h"
#include "solve/words.h"

enum { MIN_PYTHON = 7, MAX_PYTHON = 20 };

static int by_rank(const void *pa, const void *pb)
{
    const struct found *a = pa, *b = pb;
    if (a->apart != b->apart)
        return a->apart ? 1 : -1;
    if (a->jit != b->jit)
        return a->jit < b->jit ? -1 : 1;
    if (a->repair != b->repair)
        return a->repair ? 1 : -1;
    if (a->release != b->release)
        return a->release > b->release ? -1 : 1;
    return a->preference < b->preference ? -1 : a->preference > b->preference;
}

static size_t python_preference(const struct scope *s, unsigned py)
{
    return py == s->here ? 0 : py == release_python_suggest() ? 1 : 2 + MAX_PYTHON - py;
}

static size_t jit_gpus(const struct scope *s, const struct release *r)
{
    size_t n = 0;
    for (size_t i = 0; i < s->ask->n_gpus; i++)
        n += fits_code(r, s->ask->gpus[i].cc) == FIT_JIT;
    return n;
}

/* Newest releases of all frameworks that agree with it and with each other; tried as a counter whose last digit runs fastest. */
static bool together_from(struct scope *s, struct found *f, unsigned mask, const struct framework_release **with, size_t i)
{
    size_t n;
    const struct framework_release *t = framework_releases_all(s->ask->known, &n);
    struct plan p;
    if (i == s->ask->n_with)
        return true;
    for (size_t k = n; k-- > 0;) {
        if (!framework_fits(s, &t[k], &s->ask->with[i], f->plan.python, mask, fits_driver(s, f->plan.r, mask).last))
            continue;
        with[i] = &t[k];
        if (!plan_pins(s, f->plan.r, f->plan.python, mask, with, &p))
            continue;
        p.with = with;
        struct plan before = f->plan;
        f->plan = p;
        if (together_from(s, f, mask, with, i + 1))
            return true;
        f->plan = before;
    }
    with[i] = NULL;
    return false;
}

void find_all(struct scope *s, unsigned mask, struct found **ret, size_t *ret_n)
{
    size_t n;
    const struct release *all = releases_all(s->ask->known, &n);
    for (size_t i = 0; i < n; i++)
        for (unsigned py = MIN_PYTHON; py <= MAX_PYTHON; py++) {
            struct plan p;
            if (!fits(s, &all[i], py, mask) || !plan_pins(s, &all[i], py, mask, NULL, &p))
                continue;
            struct found *f = ARENA_PUSH(s->a, *ret, *ret_n);
            *f = (struct found){.plan = p, .jit = jit_gpus(s, &all[i]), .repair = all[i].lacks[0] != NULL, .release = i, .preference = python_preference(s, py)};
            if (s->ask->n_with) {
                const struct framework_release **with = arena_array(s->a, s->ask->n_with, sizeof *with);
                f->apart = !together_from(s, f, mask, with, 0);
            }
        }
    if (*ret_n)
        qsort(*ret, *ret_n, sizeof **ret, by_rank);
}

bool any_fits(struct scope *s, unsigned mask)
{
    size_t n;
    const struct release *all = releases_all(s->ask->known, &n);
    for (size_t i = n; i-- > 0;)
        for (unsigned py = all[i].wheel.python_min; py <= all[i].wheel.python_max; py++)
            if (fits(s, &all[i], py, mask))
                return true;
    return false;
}

unsigned solve_why(struct scope *s)
{
    /* What is left out first is named last: demands stay in the reason only when the machine alone does not explain it. */
    static const enum solve_part order[] = {SOLVE_WITH, SOLVE_ENGINE, SOLVE_PYTHON, SOLVE_TF, SOLVE_CPU, SOLVE_GLIBC, SOLVE_MACHINE};
    unsigned mask = SOLVE_ALL;
    for (size_t i = 0; i < TG_COUNT(order); i++)
        if (!any_fits(s, mask & ~PART(order[i])))
            mask &= ~PART(order[i]);
    for (size_t i = 0; i < SOLVE_MAX_CC; i++)
        if (i >= s->n_cc || !any_fits(s, mask & ~GPU_PART(i)))
            mask &= ~GPU_PART(i);
    if (!any_fits(s, mask & ~PART(SOLVE_DRIVER)))
        mask &= ~PART(SOLVE_DRIVER);
    return mask & ~PART(SOLVE_GPU);
}

static void apart(struct scope *s, const struct solve_want *w, struct solve_offer *o)
{
    unsigned py = 0;
    const struct framework_release *t = framework_alone(s, w, SOLVE_ALL, o->driver_last, &py);
    struct solve_apart *x = ARENA_PUSH(s->a, o->apart, o->n_apart);
    *x = (struct solve_apart){.name = t->name, .version = t->version, .python = arena_printf(s->a, "3.%u", py)};
    *ARENA_PUSH(s->a, x->pins, x->n_pins) = (struct solve_pin){t->install, arena_printf(s->a, "==%s", t->version)};
}

static void offer(struct scope *s, const struct found *f, struct solve_offer *o)
{
    const struct release *r = f->plan.r;
    struct driver_range d = fits_driver(s, r, SOLVE_ALL);
    *o = (struct solve_offer){.tensorflow = r->version, .python = arena_printf(s->a, "3.%u", f->plan.python), .cuda = r->cuda, .cudnn = f->plan.cudnn,
                              .engine = s->ask->engine, .pins = f->plan.pins, .n_pins = f->plan.n_pins, .driver_min = d.min, .driver_last = d.last,
                              .glibc_min = fits_glibc(r)};
    while (r->cpu[o->n_cpu])
        o->n_cpu++;
    o->cpu = arena_array(s->a, o->n_cpu + 1, sizeof *o->cpu);
    memcpy(o->cpu, r->cpu, o->n_cpu * sizeof *o->cpu);
    for (size_t i = 0; i < s->ask->n_gpus; i++)
        *ARENA_PUSH(s->a, o->gives, o->n_gives) = (struct solve_gives){&s->ask->gpus[i], fits_code(r, s->ask->gpus[i].cc) == FIT_JIT ? SOLVE_JIT : SOLVE_NATIVE};
    for (size_t i = 0; i < s->ask->n_with; i++)
        if (f->apart)
            apart(s, &s->ask->with[i], o);
        else
            *ARENA_PUSH(s->a, o->together, o->n_together) = (struct solve_want){f->plan.with[i]->name, f->plan.with[i]->version};
    words_defects(s, &f->plan, o);
}

static void cpu_only(struct scope *s, struct solve_answer *ret);

void solve(struct arena *a, const struct solve_ask *ask, struct solve_answer *ret)
{
    struct scope s;
    struct found *f = NULL;
    size_t n = 0;
    *ret = (struct solve_answer){0};
    scope_init(a, ask, &s);
    if (ask->os == SOLVE_MACOS) {
        cpu_only(&s, ret);
        return;
    }
    find_all(&s, SOLVE_ALL, &f, &n);
    ret->offers = arena_array(a, n, sizeof *ret->offers);
    for (; ret->n_offers < n; ret->n_offers++)
        offer(&s, &f[ret->n_offers], &ret->offers[ret->n_offers]);
    words_notes(&s, ret);
    if (n) {
        words_newer(&s, f[0].plan.r, ret);
        return;
    }
    words_reasons(&s, solve_why(&s), ret);
    find_changes(&s, ret);
}

/* macOS has no CUDA. Which releases have wheels there is not in the tables: the newest that takes this Python is offered. */
static void cpu_only(struct scope *s, struct solve_answer *ret)
{
    size_t n;
    const struct release *all = releases_all(s->ask->known, &n);
    for (size_t i = n; i-- > 0;)
        for (unsigned k = 0; k < MAX_PYTHON; k++) {
            unsigned py = s->python ? s->python : s->here && k == 0 ? s->here : k <= 1 ? release_python_suggest() : all[i].wheel.python_max;
            struct solve_ask plain = *s->ask;
            struct scope c = *s;
            plain.n_gpus = 0;
            plain.driver = plain.machine = plain.glibc = NULL;
            plain.n_cpu = plain.n_with = 0;
            c.ask = &plain;
            c.n_cc = 0;
            if (!fits(&c, &all[i], py, SOLVE_ALL))
                continue;
            struct solve_offer *o = ARENA_PUSH(s->a, ret->offers, ret->n_offers);
            *o = (struct solve_offer){.tensorflow = all[i].version, .python = arena_printf(s->a, "3.%u", py), .engine = s->ask->engine};
            *ARENA_PUSH(s->a, o->pins, o->n_pins) = (struct solve_pin){"tensorflow", arena_printf(s->a, "==%s", all[i].version)};
            break;
        }
    words_notes(s, ret);
    if (!ret->n_offers)
        words_reasons(s, PART(SOLVE_TF) | PART(SOLVE_PYTHON), ret);
}
