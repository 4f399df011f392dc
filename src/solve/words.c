/* SPDX-License-Identifier: Apache-2.0 */
/* words - reasons, changes, defects and notes of an answer. */
#include "solve/words.h"
#include <string.h>
#include "base/i18n.h"
#include "base/util.h"
#include "formats/pep440.h"
#include "knowledge/drivers.h"

const char *solve_part_id(enum solve_part p)
{
    static const char *const ids[] = {"tensorflow", "python", "with", "engine", "driver", "glibc", "gpu", "cpu", "machine"};
    return p < SOLVE_N_PARTS ? ids[p] : "";
}

const char *solve_engine_id(enum solve_engine e)
{
    static const char *const ids[] = {"uv", "venv", "conda"};
    return e < SOLVE_N_ENGINES ? ids[e] : "";
}

static const char *join(struct arena *a, const char *list, const char *more)
{
    return list ? arena_printf(a, "%s, %s", list, more) : more;
}

static bool in_range(const struct solve_ask *ask, const struct release *r)
{
    return !ask->tf || pep440_match((struct str){r->version, strlen(r->version)}, (struct str){ask->tf, strlen(ask->tf)}) == TRI_YES;
}

/* The release of the asked range that this part says least about: smallest CUDA, and the Pythons of all of them. */
struct span { unsigned python_min, python_max; uint32_t cuda; const char *floor, *glibc, *first, *last; };

static struct span span_of(struct scope *s, bool all_releases)
{
    size_t n;
    const struct release *all = releases_all(s->ask->known, &n);
    struct span x = {0};
    for (size_t i = 0; i < n; i++) {
        const struct release *r = &all[i];
        if (!all_releases && !in_range(s->ask, r))
            continue;
        const char *floor = driver_floor_of(s, cuda_major_of(r));
        if (!x.first || (floor && ver_cmp(floor, x.floor) < 0)) {
            x.floor = floor;
            x.cuda = cuda_major_of(r);
        }
        if (!x.first || ver_cmp(fits_glibc(r), x.glibc) < 0)
            x.glibc = fits_glibc(r);
        x.python_min = !x.first || r->wheel.python_min < x.python_min ? r->wheel.python_min : x.python_min;
        x.python_max = r->wheel.python_max > x.python_max ? r->wheel.python_max : x.python_max;
        x.first = x.first ? x.first : r->version;
        x.last = r->version;
    }
    return x;
}

static const char *cc_text(struct arena *a, uint32_t cc)
{
    return arena_printf(a, "%u.%u", cc / 10, cc % 10);
}

const struct solve_gpu *scope_gpu(const struct scope *s, size_t i)
{
    for (size_t k = 0; k < s->ask->n_gpus; k++)
        if (scope_cc(s, s->ask->gpus[k].cc) == i)
            return &s->ask->gpus[k];
    return NULL;
}

static uint32_t cuda_of_driver(const struct scope *s)
{
    uint32_t best = 0;
    for (uint32_t major = 1; major < 100; major++) {
        const char *floor = driver_floor_of(s, major);
        if (floor && ver_cmp(s->ask->driver, floor) >= 0)
            best = major;
    }
    return best;
}

static const char *driver_words(struct scope *s)
{
    uint32_t cuda = cuda_of_driver(s);
    if (cuda)
        return arena_printf(s->a, _("driver %s runs CUDA %u at most"), s->ask->driver, cuda);
    return arena_printf(s->a, _("driver %s is too old for every CUDA that TensorFlow was built for"), s->ask->driver);
}

static const char *tf_words(struct scope *s, unsigned parts)
{
    struct span x = span_of(s, false), all = span_of(s, true);
    if (!x.first)
        return arena_printf(s->a, _("no known release of TensorFlow is %s; known are %s to %s"), s->ask->tf, all.first, all.last);
    if (parts & PART(SOLVE_DRIVER))
        return arena_printf(s->a, _("TensorFlow %s needs a CUDA %u driver (%s or newer)"), s->ask->tf, x.cuda, x.floor);
    if (parts & (PART(SOLVE_PYTHON) | PART(SOLVE_ENGINE)))
        return arena_printf(s->a, _("TensorFlow %s has wheels for Python 3.%u to 3.%u"), s->ask->tf, x.python_min, x.python_max);
    if (parts & PART(SOLVE_GLIBC))
        return arena_printf(s->a, _("TensorFlow %s needs glibc %s"), s->ask->tf, x.glibc);
    return arena_printf(s->a, _("TensorFlow %s was asked for"), s->ask->tf);
}

static const char *gpu_words(struct scope *s, const struct solve_gpu *g, unsigned parts)
{
    uint32_t first = driver_first_branch(g->cc), last = driver_last_branch(g->cc), branch = 0;
    const char *cc = cc_text(s->a, g->cc);
    if ((parts & PART(SOLVE_DRIVER)) && s->ask->driver && ver_major(s->ask->driver, &branch)) {
        if (first > branch)
            return arena_printf(s->a, _("%s (compute capability %s) needs a driver >= %u"), g->name, cc, first);
        if (last && branch > last)
            return arena_printf(s->a, _("%s (compute capability %s): driver branch %u is the last that knows it"), g->name, cc, last);
        return arena_printf(s->a, _("%s (compute capability %s) needs code that this driver cannot compile"), g->name, cc);
    }
    if (last)
        return arena_printf(s->a, _("%s (compute capability %s): no code for it, or no driver for both; driver branch %u is the last that knows it"), g->name, cc, last);
    return arena_printf(s->a, _("%s (compute capability %s): there is no code for it"), g->name, cc);
}

static const char *with_words(struct scope *s)
{
    const char *names = NULL;
    for (size_t i = 0; i < s->ask->n_with; i++)
        names = join(s->a, names, arena_printf(s->a, "%s%s", s->ask->with[i].name, s->ask->with[i].spec));
    return arena_printf(s->a, _("no known release of %s fits"), names);
}

static const char *part_words(struct scope *s, enum solve_part p, unsigned parts)
{
    const struct solve_ask *ask = s->ask;
    struct span x = span_of(s, !(parts & PART(SOLVE_TF)));
    switch (p) {
    case SOLVE_TF: return tf_words(s, parts);
    case SOLVE_PYTHON:
        if (parts & PART(SOLVE_TF))
            return arena_printf(s->a, _("Python %s was asked for"), ask->python);
        return arena_printf(s->a, _("TensorFlow has wheels for Python 3.%u to 3.%u, not for %s"), x.python_min, x.python_max, ask->python);
    case SOLVE_WITH: return with_words(s);
    case SOLVE_ENGINE: return arena_printf(s->a, _("venv can only use the Python at hand, %s"), ask->python_here);
    case SOLVE_DRIVER: return ask->driver ? driver_words(s) : _("no driver runs it");
    case SOLVE_GLIBC: return arena_printf(s->a, _("glibc %s is older than %s, which the wheels need"), ask->glibc, x.glibc ? x.glibc : "?");
    case SOLVE_CPU: return _("the processor lacks instructions (AVX and others) that every wheel needs");
    case SOLVE_MACHINE: return arena_printf(s->a, _("only wheels for x86_64 are known, not for %s"), ask->machine);
    case SOLVE_GPU: case SOLVE_N_PARTS: break;
    }
    return "";
}

void words_reasons(struct scope *s, unsigned parts, struct solve_answer *ret)
{
    static const enum solve_part order[] = {SOLVE_DRIVER, SOLVE_PYTHON, SOLVE_ENGINE, SOLVE_GLIBC, SOLVE_CPU, SOLVE_MACHINE, SOLVE_WITH, SOLVE_TF};
    for (size_t i = 0; i < TG_COUNT(order); i++)
        if (parts & PART(order[i]))
            *ARENA_PUSH(s->a, ret->reasons, ret->n_reasons) = (struct solve_reason){order[i], NULL, part_words(s, order[i], parts)};
    for (size_t i = 0; i < s->n_cc; i++)
        if (parts & GPU_PART(i))
            *ARENA_PUSH(s->a, ret->reasons, ret->n_reasons) = (struct solve_reason){SOLVE_GPU, scope_gpu(s, i)->name, gpu_words(s, scope_gpu(s, i), parts)};
}

static void defect(struct scope *s, struct solve_offer *o, const char *id, const char *const *values, size_t n, const char *text)
{
    struct solve_defect *d = ARENA_PUSH(s->a, o->defects, o->n_defects);
    *d = (struct solve_defect){.id = id, .text = text, .n_values = n, .values = arena_array(s->a, n + 1, sizeof *d->values)};
    if (n)
        memcpy(d->values, values, n * sizeof *values);
}

static const char *list(struct arena *a, const char *const *v, size_t n)
{
    const char *s = NULL;
    for (size_t i = 0; i < n; i++)
        s = join(a, s, v[i]);
    return s ? s : "";
}

void words_defects(struct scope *s, const struct plan *p, struct solve_offer *o)
{
    const char *const *lacks = p->r->lacks;
    size_t n = 0;
    while (lacks[n])
        n++;
    if (n)
        defect(s, o, "runpath-incomplete", lacks, n, arena_printf(s->a, _("does not find %s by itself; the set-up links them"), list(s->a, lacks, n)));
    if (!p->r->has_extra)
        defect(s, o, "no-extra", &p->donor->version, 1, arena_printf(s->a, _("has no extra and-cuda; the pins are those of %s"), p->donor->version));
    else if (p->n_no_wheel)
        defect(s, o, "extra-unusable", p->no_wheel, p->n_no_wheel,
               arena_printf(s->a, _("its extra and-cuda cannot be installed (no wheel of %s); its CUDA wheels are named one by one"), list(s->a, p->no_wheel, p->n_no_wheel)));
    if (p->numpy_held)
        defect(s, o, "numpy2-breaks", NULL, 0, _("cannot be imported with NumPy 2, which pip would choose; held back"));
    if (p->cudnn && fits_cudnn(s, p->cudnn_dist, p->cudnn, SOLVE_ALL) == FIT_UNREAD && s->n_cc)
        defect(s, o, "cudnn-unread", &p->cudnn, 1, arena_printf(s->a, _("whether cuDNN %s has code for this GPU was not read"), p->cudnn));
    if (p->cudnn && p->cudnn_newest && !str_eq(p->cudnn, p->cudnn_newest))
        defect(s, o, "cudnn-held-back", &p->cudnn_newest, 1,
               arena_printf(s->a, _("pip would choose cuDNN %s, which is not known to have code for this GPU; held back at %s"), p->cudnn_newest, p->cudnn));
    const char **jit = NULL;
    size_t n_jit = 0;
    for (size_t i = 0; i < o->n_gives; i++)
        if (o->gives[i].code == SOLVE_JIT)
            *ARENA_PUSH(s->a, jit, n_jit) = o->gives[i].gpu->name;
    if (n_jit)
        defect(s, o, "gpu-jit", jit, n_jit, arena_printf(s->a, _("has no machine code for %s: the first start compiles for minutes"), list(s->a, jit, n_jit)));
}

/* Why a release newer than the best one is not the best: nothing of it fits, or it fits and is worse. */
void words_newer(struct scope *s, const struct release *best, struct solve_answer *ret)
{
    size_t n;
    const struct release *all = releases_all(s->ask->known, &n);
    for (size_t i = n; i-- > 0 && &all[i] > best;) {
        struct solve_ask ask = *s->ask;
        struct scope one = *s;
        struct solve_answer why = {0};
        const char *text = NULL;
        if (s->ask->tf && !in_range(s->ask, &all[i]))
            continue;
        ask.tf = arena_printf(s->a, "===%s", all[i].version);
        one.ask = &ask;
        for (size_t k = 0; k < ret->n_offers && !text; k++)
            if (str_eq(ret->offers[k].tensorflow, all[i].version))
                text = ret->offers[k].n_apart && !ret->offers[0].n_apart ? _("fits, but the other frameworks then need an environment of their own")
                    : ret->offers[k].n_defects ? ret->offers[k].defects[0].text : _("fits, but is ranked lower");
        if (!text)
            words_reasons(&one, solve_why(&one), &why);
        for (size_t k = 0; k < why.n_reasons; k++)
            text = join(s->a, text, why.reasons[k].text);
        *ARENA_PUSH(s->a, ret->newer, ret->n_newer) = (struct solve_reason){SOLVE_TF, all[i].version, text ? text : ""};
    }
}

static void note(struct scope *s, struct solve_answer *ret, const char *text)
{
    *ARENA_PUSH(s->a, ret->notes, ret->n_notes) = text;
}

/* What the index said, where it was asked. */
static void notes_online(struct scope *s, struct solve_answer *ret)
{
    const struct solve_online *o = s->ask->online;
    if (!o)
        return;
    note(s, ret, arena_printf(s->a, _("versions and requirements are those that the package index %s has now (%zu projects)"), o->index, o->n_projects));
    if (o->n_added)
        note(s, ret, arena_printf(s->a, _("the index has what tfgpu's tables do not know yet: %s"), list(s->a, o->added, o->n_added)));
    if (o->n_unread)
        note(s, ret, arena_printf(s->a, _("the index has TensorFlow %s, whose files this tfgpu has not read: what is not read is not offered; a newer tfgpu may know it"), list(s->a, o->unread, o->n_unread)));
    if (o->n_gone)
        note(s, ret, arena_printf(s->a, _("the index does not have TensorFlow %s"), list(s->a, o->gone, o->n_gone)));
}

void words_notes(struct scope *s, struct solve_answer *ret)
{
    const struct solve_ask *ask = s->ask;
    const struct { bool unknown; const char *text; } notes[] = {
        {ask->os == SOLVE_MACOS, _("macOS has no CUDA: TensorFlow runs on the CPU there; whether a release has a wheel for this Mac is not in the tables")},
        {ask->os != SOLVE_MACOS && !ask->n_gpus, _("no NVIDIA GPU is known: whether a release has code for it was not judged")},
        {ask->os != SOLVE_MACOS && !ask->driver, _("no NVIDIA driver is known: the offers say which one they need")},
        {ask->os != SOLVE_MACOS && !ask->glibc, _("the version of glibc is not known and was not judged")},
    };
    for (size_t i = 0; i < TG_COUNT(notes); i++)
        if (notes[i].unknown)
            note(s, ret, notes[i].text);
    notes_online(s, ret);
}
