/* SPDX-License-Identifier: Apache-2.0 */
/* pins - the exact pins of one release, alone or together with other frameworks. */
#include <string.h>
#include "base/util.h"
#include "formats/pep440.h"
#include "formats/pep508.h"
#include "solve/fits.h"

struct need { const char *name, *specs; bool cuda; size_t asked; /* by how many distributions */ const void *last; };
struct needs { struct need *v; size_t n; };

static bool starts_num(const char *s)
{
    return *s >= '0' && *s <= '9';
}

/* CUDA major in the name of one of NVIDIA's distributions; 0: it states none. */
static uint32_t cuda_in_name(const char *name)
{
    uint32_t major = 0;
    const char *cu = strstr(name, "-cu");
    while (cu && !starts_num(cu + 3))
        cu = strstr(cu + 1, "-cu");
    return cu && ver_major(cu + 3, &major) ? major : 0;
}

static void add(struct scope *s, struct needs *l, const char *name, const char *spec, bool cuda, const void *by)
{
    struct need *d = NULL;
    for (size_t i = 0; i < l->n && !d; i++)
        if (str_eq(l->v[i].name, name))
            d = &l->v[i];
    if (!d) {
        d = ARENA_PUSH(s->a, l->v, l->n);
        d->name = name;
        d->specs = "";
    }
    if (*spec)
        d->specs = *d->specs ? arena_printf(s->a, "%s,%s", d->specs, spec) : spec;
    d->cuda |= cuda;
    d->asked += d->last != by;
    d->last = by;
}

/* Requirements that hold on this Python; `extra_only`: those that only the extra brings. */
static void collect(struct scope *s, struct needs *l, const char *const *requires, unsigned python, bool extra_only, const void *by)
{
    const char *version = arena_printf(s->a, "3.%u", python);
    struct pep508_env env = {.python_version = version, .os_name = "posix", .sys_platform = "linux", .platform_system = "Linux",
                             .platform_machine = "x86_64", .implementation_name = "cpython", .platform_python_implementation = "CPython"};
    for (size_t i = 0; requires[i]; i++) {
        struct pep508 p;
        struct err e = {0};
        if (pep508_parse(requires[i], strlen(requires[i]), s->a, &p, &e) < 0)
            continue;
        bool plain = !p.marker || pep508_marker(p.marker, strlen(p.marker), &env, NULL) == TRI_YES;
        bool extra = p.marker && pep508_marker(p.marker, strlen(p.marker), &env, "and-cuda") == TRI_YES;
        if (extra_only ? extra && !plain : plain)
            add(s, l, p.name, p.spec, extra_only || str_starts(p.name, "nvidia-"), by);
    }
}

/* The nearest newer release of the same CUDA and cuDNN majors that has the extra. */
static const struct release *donor_of(const struct scope *s, const struct release *r)
{
    size_t n;
    const struct release *all = releases_all(s->ask->known, &n);
    for (const struct release *d = r; d < all + n; d++) {
        uint32_t a = 0, b = 0;
        if (d->has_extra && cuda_major_of(d) == cuda_major_of(r) && ver_major(d->cudnn, &a) && ver_major(r->cudnn, &b) && a == b)
            return d;
    }
    return NULL;
}

static bool usable(const struct scope *s, const struct wheel_version *v, unsigned python, unsigned mask)
{
    if (python < v->python_min || python > v->python_max)
        return false;
    return !(mask & PART(SOLVE_GLIBC)) || !s->ask->glibc || ver_cmp(v->glibc, s->ask->glibc) <= 0;
}

/* Newest version that everybody takes; for cuDNN the newest of those that suit the GPUs best. */
static const char *choose(const struct scope *s, const struct need *d, unsigned python, unsigned mask, bool cudnn)
{
    size_t n;
    const struct wheel_version *v = wheel_versions_of(s->ask->known, d->name, &n);
    const char *best = NULL;
    enum solve_code_fit best_fit = FIT_NONE;
    for (size_t i = n; i-- > 0;) {
        if (!usable(s, &v[i], python, mask) || pep440_match((struct str){v[i].version, strlen(v[i].version)}, (struct str){d->specs, strlen(d->specs)}) != TRI_YES)
            continue;
        enum solve_code_fit f = cudnn ? fits_cudnn(s, d->name, v[i].version, mask) : FIT_NATIVE;
        if (f < best_fit) {
            best_fit = f;
            best = v[i].version;
        }
        if (best_fit == FIT_NATIVE)
            break;
    }
    return best;
}

static bool is_cudnn(const char *name)
{
    return str_starts(name, "nvidia-cudnn-");
}

static struct solve_pin pin(struct scope *s, const char *name, const char *op, const char *version)
{
    return (struct solve_pin){name, arena_printf(s->a, "%s%s", op, version)};
}

/* Does a later release refuse NumPy 2 while this one would take it? Then this one was made before it, too. */
static bool breaks_with_numpy2(struct scope *s, const struct release *r, unsigned python, const struct needs *own)
{
    static const struct str two = {"2.0.0", 5};
    size_t n;
    const struct release *all = releases_all(s->ask->known, &n);
    for (size_t i = 0; i < own->n; i++)
        if (str_eq(own->v[i].name, "numpy") && pep440_match(two, (struct str){own->v[i].specs, strlen(own->v[i].specs)}) == TRI_NO)
            return false;
    for (const struct release *d = r + 1; d < all + n; d++) {
        struct needs l = {0};
        collect(s, &l, d->requires, python, false, d);
        for (size_t i = 0; i < l.n; i++)
            if (str_eq(l.v[i].name, "numpy") && pep440_match(two, (struct str){l.v[i].specs, strlen(l.v[i].specs)}) == TRI_NO)
                return true;
    }
    return false;
}

/* One environment holds one CUDA: the wheels of two majors write the same files. */
static bool same_cuda(const struct needs *l, uint32_t major)
{
    for (size_t i = 0; i < l->n; i++) {
        uint32_t cu = cuda_in_name(l->v[i].name);
        if ((str_starts(l->v[i].name, "nvidia-") && cu != major) || str_eq(l->v[i].name, "cuda-toolkit"))
            return false;
    }
    return true;
}

bool plan_pins(struct scope *s, const struct release *r, unsigned python, unsigned mask, const struct framework_release *const *with, struct plan *ret)
{
    struct needs l = {0};
    struct plan p = {.r = r, .python = python, .donor = donor_of(s, r)};
    size_t n_with = with ? s->ask->n_with : 0;
    if (!p.donor)
        return false;
    collect(s, &l, r->requires, python, false, r);
    p.numpy_held = breaks_with_numpy2(s, r, python, &l);
    if (p.numpy_held)
        add(s, &l, "numpy", "<2", false, r);
    collect(s, &l, p.donor->requires, python, true, r);
    for (size_t i = 0; i < n_with; i++)
        if (with[i])
            collect(s, &l, with[i]->requires, python, false, with[i]);
    if (!same_cuda(&l, cuda_major_of(r)))
        return false;
    struct solve_pin *first = ARENA_PUSH(s->a, p.pins, p.n_pins);
    (void)first; /* filled below, when it is known whether the extra can be installed */
    for (size_t i = 0; i < l.n; i++) {
        struct need *d = &l.v[i];
        if (!d->cuda && (d->asked < 2 || !wheel_dist_known(d->name)))
            continue;
        const char *v = choose(s, d, python, mask, is_cudnn(d->name));
        if (!v && d->cuda && !str_starts(d->name, "nvidia-"))
            *ARENA_PUSH(s->a, p.no_wheel, p.n_no_wheel) = arena_printf(s->a, "%s%s", d->name, d->specs);
        else if (!v)
            return false;
        if (v && d->cuda)
            *ARENA_PUSH(s->a, p.pins, p.n_pins) = pin(s, d->name, "==", v);
        if (v && is_cudnn(d->name)) {
            p.cudnn_dist = d->name;
            p.cudnn = v;
            p.cudnn_newest = choose(s, d, python, mask & ~(unsigned)(GPU_PART(SOLVE_MAX_CC) - GPU_PART(0)), false);
        }
    }
    p.pins[0] = pin(s, p.donor == r && !p.n_no_wheel ? "tensorflow[and-cuda]" : "tensorflow", "==", r->version);
    for (size_t i = 0; i < n_with; i++)
        if (with[i])
            *ARENA_PUSH(s->a, p.pins, p.n_pins) = pin(s, with[i]->install, "==", with[i]->version);
    if (p.numpy_held)
        *ARENA_PUSH(s->a, p.pins, p.n_pins) = (struct solve_pin){"numpy", "<2"};
    *ret = p;
    return true;
}
