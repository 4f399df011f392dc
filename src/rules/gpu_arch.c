/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_arch - compute capability of the GPUs against the code inside the libraries. */
#include "rules/gpu_arch.h"
#include "base/i18n.h"
#include "base/util.h"
#include "rules/devices.h"
#include "rules/library.h"

enum arch_fit gpu_arch_fit(const struct fact_arch_set *s, uint32_t cc)
{
    /* A single container does not tell: cuFFT 11.4 has one with sm_52 alone, and its kernels lie elsewhere in the file. */
    if (s->state != FACT_PRESENT || (s->containers ? s->containers : s->containers_read) < 2 || (s->n_sass == 0 && s->n_ptx == 0 && s->n_sass_exact == 0))
        return ARCH_NONE;
    return gpu_code_fit(&(struct gpu_code){s->sass, s->n_sass, s->sass_exact, s->n_sass_exact, s->ptx, s->n_ptx}, cc);
}

static const char *numbers(struct judge *g, const uint32_t *v, size_t n, const char *prefix)
{
    const char *s = NULL;
    for (size_t i = 0; i < n; i++)
        s = s ? arena_printf(g->a, "%s %s%u", s, prefix, v[i]) : arena_printf(g->a, "%s%u", prefix, v[i]);
    return s ? s : _("nothing");
}

struct card { const char *name; uint32_t cc; const char *fact; };

/* The n-th GPU whose compute capability is known: those that CUDA shows to this process, else those on the PCI bus. */
static bool card_at(const struct facts *f, size_t n, struct card *ret)
{
    for (size_t i = 0; i < f->n_cuda_devices; i++)
        if (f->cuda_devices[i].has_cc && n-- == 0) {
            *ret = (struct card){f->cuda_devices[i].name, f->cuda_devices[i].cc, "cuda_devices.cc"};
            return true;
        }
    for (size_t i = 0; !f->n_cuda_devices && i < f->n_gpus; i++)
        if (f->gpus[i].has_cc && n-- == 0) {
            *ret = (struct card){f->gpus[i].name ? f->gpus[i].name : f->gpus[i].pci, f->gpus[i].cc, "gpus.cc"};
            return true;
        }
    return false;
}

static const char *card_name(const struct card *c)
{
    return c->name ? c->name : _("NVIDIA GPU");
}

static void bind(struct judge *g, struct finding *f, const struct fact_arch_set *s, const struct card *gpu)
{
    const char *sass = numbers(g, s->sass, s->n_sass, "sm_"), *ptx = numbers(g, s->ptx, s->n_ptx, "compute_");
    judge_bind(g, f, "gpu", "%s", card_name(gpu));
    judge_bind(g, f, "cc", "%u.%u", gpu->cc / 10, gpu->cc % 10);
    judge_bind(g, f, "sass", "%s", sass);
    judge_bind(g, f, "ptx", "%s", ptx);
    judge_bind(g, f, "effect", "%s", str_starts(s->soname, "libcudnn") ? _("Convolutions may fail.") : _("What needs it will fail."));
    library_bind(g, f);
    judge_evidence(g, f, "tensorflow.archs", s->path, "%s; %s", sass, ptx);
    judge_evidence(g, f, gpu->fact, NULL, "%s: %u.%u", card_name(gpu), gpu->cc / 10, gpu->cc % 10);
}

/* For each library the first GPU with this fit; libraries of one package are named once, by their first. */
static void each(struct judge *g, enum cause_id id, enum arch_fit want)
{
    struct finding *cudnn = NULL;
    struct card gpu;
    const struct fact_tensorflow *t = &g->f->tensorflow;
    for (size_t i = 0; i < t->n_archs; i++) {
        for (size_t k = 0; card_at(g->f, k, &gpu); k++) {
            if (gpu_arch_fit(&t->archs[i], gpu.cc) != want)
                continue;
            bool part = str_starts(t->archs[i].soname, "libcudnn");
            if (part && cudnn) {
                judge_evidence(g, cudnn, "tensorflow.archs", t->archs[i].path, "%s",
                               numbers(g, t->archs[i].sass, t->archs[i].n_sass, "sm_"));
                break;
            }
            struct finding *f = judge_find(g, id, t->archs[i].soname);
            bind(g, f, &t->archs[i], &gpu);
            f->tags |= part ? FIX_A : FIX_B;
            if (id != CAUSE_BENIGN_PTX_JIT_SLOW_START)
                f->unproved = _("not proved on hardware");
            cudnn = part ? f : cudnn;
            break;
        }
    }
}

void rule_gpu_arch_old(struct judge *g)
{
    each(g, CAUSE_GPU_ARCH_TOO_OLD, ARCH_TOO_OLD);
}

void rule_gpu_arch_new(struct judge *g)
{
    each(g, CAUSE_GPU_ARCH_NEWER_THAN_BUILD, ARCH_TOO_NEW);
}

void rule_gpu_jit(struct judge *g)
{
    each(g, CAUSE_BENIGN_PTX_JIT_SLOW_START, ARCH_JIT);
}

/* The first library that a GPU that CUDA shows runs only through compilation by the driver; NULL: none does. */
static const struct fact_arch_set *needs_jit(const struct facts *f, struct card *ret)
{
    for (size_t i = 0; f->n_cuda_devices && i < f->tensorflow.n_archs; i++)
        for (size_t k = 0; card_at(f, k, ret); k++)
            if (gpu_arch_fit(&f->tensorflow.archs[i], ret->cc) == ARCH_JIT)
                return &f->tensorflow.archs[i];
    return NULL;
}

static struct finding *jit_finding(struct judge *g, enum cause_id id, const char *subject, const struct fact_arch_set *s, const struct card *gpu)
{
    struct finding *f = judge_find(g, id, subject);
    judge_bind(g, f, "library", "%s", s->soname);
    judge_bind(g, f, "gpu", "%s", card_name(gpu));
    judge_bind(g, f, "cc", "%u.%u", gpu->cc / 10, gpu->cc % 10);
    judge_evidence(g, f, "tensorflow.archs", s->path, _("no machine code for compute capability %u.%u; PTX: %s"), gpu->cc / 10, gpu->cc % 10,
                   numbers(g, s->ptx, s->n_ptx, "compute_"));
    f->unproved = _("not proved on hardware");
    return f;
}

void rule_jit_disabled(struct judge *g)
{
    struct card gpu;
    const struct fact_arch_set *s = str_eq(g->f->gpu_env.cuda_disable_ptx_jit, "1") ? needs_jit(g->f, &gpu) : NULL;
    if (!s)
        return;
    struct finding *f = jit_finding(g, CAUSE_PTX_JIT_DISABLED, "CUDA_DISABLE_PTX_JIT", s, &gpu);
    judge_evidence(g, f, "gpu_env.cuda_disable_ptx_jit", NULL, "CUDA_DISABLE_PTX_JIT=1");
}

void rule_jit_cache(struct judge *g)
{
    enum { SMALL_MIB = 256 };
    const struct fact_jit_cache *c = &g->f->jit_cache;
    struct card gpu;
    bool small = c->has_limit_bytes && c->limit_bytes < (uint64_t)SMALL_MIB << 20;
    const struct fact_arch_set *s = c->disabled || small || c->writable == TRI_NO ? needs_jit(g->f, &gpu) : NULL;
    if (!s)
        return;
    struct finding *f = jit_finding(g, CAUSE_JIT_CACHE_UNUSABLE, c->disabled ? "CUDA_CACHE_DISABLE" : small ? "CUDA_CACHE_MAXSIZE" : c->dir, s, &gpu);
    f->tags |= c->disabled ? FIX_A : small ? FIX_B : FIX_C;
    judge_bind(g, f, "dir", "%s", c->dir ? c->dir : "~/.nv/ComputeCache");
    judge_bind(g, f, "what", "%s", c->disabled ? _("is switched off (CUDA_CACHE_DISABLE=1)") : small ? arena_printf(g->a, _("may hold only %s bytes"), g->f->gpu_env.cuda_cache_maxsize)
                                                                                                    : _("cannot be written"));
    judge_evidence(g, f, "jit_cache.writable", c->source, "%s", c->writable == TRI_NO ? _("cannot be written") : c->disabled ? _("switched off") : g->f->gpu_env.cuda_cache_maxsize);
}
