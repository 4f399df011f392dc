/* SPDX-License-Identifier: Apache-2.0 */
/* fits - one release on one Python against the parts of an ask. */
#include "solve/fits.h"
#include <string.h>
#include "base/util.h"
#include "formats/pep440.h"
#include "knowledge/driver_errors.h"
#include "knowledge/drivers.h"
#include "knowledge/gpu_code.h"

static struct str str_of(const char *s)
{
    return (struct str){s, strlen(s)};
}

static bool matches(const char *version, const char *specs)
{
    return !specs || !*specs || pep440_match(str_of(version), str_of(specs)) == TRI_YES;
}

static unsigned minor_of(const char *python)
{
    uint32_t minor = 0;
    const char *dot = python && str_starts(python, "3.") ? python + 2 : NULL;
    return dot && ver_major(dot, &minor) ? minor : 0;
}

void scope_init(struct arena *a, const struct solve_ask *ask, struct scope *ret)
{
    *ret = (struct scope){.a = a, .ask = ask, .python = minor_of(ask->python), .here = minor_of(ask->python_here)};
    scope_forget(ret);
    for (size_t i = 0; i < ask->n_gpus; i++) {
        size_t k = 0;
        while (k < ret->n_cc && ret->cc[k] != ask->gpus[i].cc)
            k++;
        if (k == ret->n_cc && k < SOLVE_MAX_CC)
            ret->cc[ret->n_cc++] = ask->gpus[i].cc;
    }
}

void scope_forget(struct scope *s)
{
    size_t n;
    (void)releases_all(s->ask->known, &n);
    s->memo = arena_alloc(s->a, (n * FITS_PYTHONS) << (SOLVE_MAX_CC + 1));
}

size_t scope_cc(const struct scope *s, uint32_t cc)
{
    for (size_t i = 0; i < s->n_cc; i++)
        if (s->cc[i] == cc)
            return i;
    return SOLVE_MAX_CC - 1;
}

static bool wanted(const struct scope *s, unsigned mask, uint32_t cc)
{
    return mask & GPU_PART(scope_cc(s, cc));
}

uint32_t cuda_major_of(const struct release *r)
{
    uint32_t major = 0;
    (void)ver_major(r->cuda, &major); /* 0: no driver row, so no floor */
    return major;
}

const char *driver_floor_of(const struct scope *s, uint32_t cuda_major)
{
    const struct driver_floor *f = driver_floor(cuda_major);
    return !f ? NULL : s->ask->os == SOLVE_WSL ? f->windows_min : f->linux_min;
}

enum solve_code_fit fits_code(const struct release *r, uint32_t cc)
{
    if (cc < tf_list_min_cc())
        return FIT_NONE;
    switch (gpu_code_fit(&r->code, cc)) {
    case ARCH_NATIVE: return FIT_NATIVE;
    case ARCH_JIT: return FIT_JIT;
    case ARCH_NONE: case ARCH_TOO_OLD: case ARCH_TOO_NEW: break;
    }
    return FIT_NONE;
}

static void raise_min(const char **min, const char *to)
{
    if (to && (!*min || ver_cmp(to, *min) > 0))
        *min = to;
}

struct driver_range fits_driver(const struct scope *s, const struct release *r, unsigned mask)
{
    struct driver_range d = {.min = driver_floor_of(s, cuda_major_of(r)), .exists = true};
    for (size_t i = 0; i < s->ask->n_gpus; i++) {
        uint32_t cc = s->ask->gpus[i].cc, first = driver_first_branch(cc), last = driver_last_branch(cc);
        if (!wanted(s, mask, cc))
            continue;
        if (fits_code(r, cc) == FIT_JIT && ptx_isa_cuda(r->ptx_isa)) {
            uint32_t jit = driver_branch_for(ptx_isa_cuda(r->ptx_isa));
            first = jit > first ? jit : first;
        }
        if (first)
            raise_min(&d.min, arena_printf(s->a, "%u", first));
        if (last && (!d.last || last < d.last))
            d.last = last;
    }
    uint32_t lo = 0;
    (void)ver_major(d.min, &lo); /* no floor: 0 */
    d.exists = !d.last || lo <= d.last;
    return d;
}

/* A library without code in a wheel that has some elsewhere was not listed, so it asks for nothing. */
enum solve_code_fit fits_cudnn(const struct scope *s, const char *dist, const char *version, unsigned mask)
{
    const struct wheel_code *w;
    enum solve_code_fit worst = FIT_NATIVE;
    if (!wheel_code_of(dist, version, 0))
        return FIT_UNREAD;
    for (size_t k = 0; (w = wheel_code_of(dist, version, k)); k++)
        for (size_t i = 0; i < s->n_cc; i++) {
            enum arch_fit f = gpu_code_fit(&w->code, s->cc[i]);
            enum solve_code_fit is = f == ARCH_NATIVE ? FIT_NATIVE : f == ARCH_JIT ? FIT_JIT : FIT_NONE;
            if (wanted(s, mask, s->cc[i]) && is > worst)
                worst = is;
        }
    return worst;
}

const char *fits_glibc(const struct release *r)
{
    return ver_cmp(r->needs_glibc, r->wheel.glibc) > 0 ? r->needs_glibc : r->wheel.glibc;
}

static bool cpu_has(const struct solve_ask *ask, const char *flag)
{
    for (size_t i = 0; i < ask->n_cpu; i++)
        if (str_eq(ask->cpu[i], flag))
            return true;
    return false;
}

static bool fits_cpu(const struct solve_ask *ask, const struct release *r)
{
    for (size_t i = 0; ask->n_cpu && r->cpu[i]; i++)
        if (!cpu_has(ask, r->cpu[i]))
            return false;
    return true;
}

static bool fits_gpus(struct scope *s, const struct release *r, unsigned mask)
{
    const char *have = mask & PART(SOLVE_DRIVER) ? s->ask->driver : NULL;
    struct driver_range d = fits_driver(s, r, mask);
    uint32_t branch = 0;
    for (size_t i = 0; i < s->n_cc; i++)
        if (wanted(s, mask, s->cc[i]) && fits_code(r, s->cc[i]) == FIT_NONE)
            return false;
    if (!have || !ver_major(have, &branch))
        return d.exists;
    return (!d.min || ver_cmp(have, d.min) >= 0) && (!d.last || branch <= d.last);
}

/* Pins depend on the release, the Python, glibc and the GPUs alone, and are asked for again and again. */
static bool plan_known(struct scope *s, const struct release *r, unsigned python, unsigned mask)
{
    size_t n;
    struct plan plan;
    struct arena own, *caller = s->a;
    size_t at = (size_t)(r - releases_all(s->ask->known, &n)) * FITS_PYTHONS + python;
    uint8_t *m = &s->memo[at << (SOLVE_MAX_CC + 1) | mask >> SOLVE_N_PARTS << 1 | (mask >> SOLVE_GLIBC & 1)];
    if (!*m) {
        arena_init(&own, 0);
        s->a = &own;
        *m = plan_pins(s, r, python, mask, NULL, &plan) ? 2 : 1;
        s->a = caller;
        arena_done(&own);
    }
    return *m == 2;
}

bool fits(struct scope *s, const struct release *r, unsigned python, unsigned mask)
{
    const struct solve_ask *ask = s->ask;
    if (python < r->wheel.python_min || python > r->wheel.python_max || python >= FITS_PYTHONS)
        return false;
    if ((mask & PART(SOLVE_PYTHON)) && s->python && python != s->python)
        return false;
    if ((mask & PART(SOLVE_ENGINE)) && ask->engine == SOLVE_VENV && ask->engine_asked && s->here && python != s->here)
        return false;
    if ((mask & PART(SOLVE_TF)) && !matches(r->version, ask->tf))
        return false;
    if ((mask & PART(SOLVE_GLIBC)) && ask->glibc && ver_cmp(fits_glibc(r), ask->glibc) > 0)
        return false;
    if ((mask & PART(SOLVE_CPU)) && !fits_cpu(ask, r))
        return false;
    if ((mask & PART(SOLVE_MACHINE)) && ask->machine && !str_eq(ask->machine, "x86_64"))
        return false;
    if (!fits_gpus(s, r, mask))
        return false;
    for (size_t i = 0; (mask & PART(SOLVE_WITH)) && i < ask->n_with; i++)
        if (!framework_alone(s, &ask->with[i], mask, fits_driver(s, r, mask).last, NULL))
            return false;
    return plan_known(s, r, python, mask);
}

const char *framework_driver(const struct scope *s, const struct framework_release *t)
{
    const char *min = NULL;
    for (size_t i = 0; t->requires[i]; i++) {
        const char *cu = str_starts(t->requires[i], "nvidia-") ? strstr(t->requires[i], "-cu") : NULL;
        while (cu && (cu[3] < '0' || cu[3] > '9'))
            cu = strstr(cu + 1, "-cu");
        uint32_t major;
        if (cu && ver_major(cu + 3, &major))
            raise_min(&min, driver_floor_of(s, major));
    }
    return min;
}

bool framework_fits(struct scope *s, const struct framework_release *t, const struct solve_want *w, unsigned python, unsigned mask, uint32_t last)
{
    const struct solve_ask *ask = s->ask;
    const char *min = framework_driver(s, t);
    if (!str_eq(t->name, w->name) || !matches(t->version, w->spec) || python < t->wheel.python_min || python > t->wheel.python_max)
        return false;
    if ((mask & PART(SOLVE_GLIBC)) && ask->glibc && ver_cmp(t->wheel.glibc, ask->glibc) > 0)
        return false;
    uint32_t branch = 0;
    if ((mask & PART(SOLVE_DRIVER)) && ask->driver)
        return !min || ver_cmp(ask->driver, min) >= 0;
    return !min || !last || (ver_major(min, &branch) && branch <= last);
}

/* The Python that was asked for is TensorFlow's; another environment prefers it, no more. */
static bool python_allowed(const struct scope *s, unsigned python, unsigned mask)
{
    return !(mask & PART(SOLVE_ENGINE)) || s->ask->engine != SOLVE_VENV || !s->ask->engine_asked || !s->here || python == s->here;
}

const struct framework_release *framework_alone(struct scope *s, const struct solve_want *w, unsigned mask, uint32_t last, unsigned *ret_python)
{
    size_t n;
    const struct framework_release *t = framework_releases_all(s->ask->known, &n);
    const unsigned prefer[] = {s->python, s->here, release_python_suggest()};
    for (size_t i = n; i-- > 0;)
        for (unsigned k = 0; k < TG_COUNT(prefer) + t[i].wheel.python_max; k++) {
            unsigned py = k < TG_COUNT(prefer) ? prefer[k] : t[i].wheel.python_max - (k - (unsigned)TG_COUNT(prefer));
            if (py && python_allowed(s, py, mask) && framework_fits(s, &t[i], w, py, mask, last)) {
                if (ret_python)
                    *ret_python = py;
                return &t[i];
            }
        }
    return NULL;
}
