/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_arch - compute capability of the GPUs against the code inside the libraries. */
#include "rules/gpu_arch.h"
#include "base/i18n.h"
#include "base/util.h"
#include "rules/library.h"

enum arch_fit gpu_arch_fit(const struct fact_arch_set *s, uint32_t cc)
{
    /* A single container does not tell: cuFFT 11.4 has one with sm_52 alone, and its kernels lie elsewhere in the file. */
    if (s->state != FACT_PRESENT || (s->containers ? s->containers : s->containers_read) < 2 || (s->n_sass == 0 && s->n_ptx == 0 && s->n_sass_exact == 0))
        return ARCH_NONE;
    bool newer_only = true;
    for (size_t i = 0; i < s->n_sass_exact; i++)
        if (s->sass_exact[i] == cc)
            return ARCH_NATIVE;
    for (size_t i = 0; i < s->n_sass; i++) {
        if (s->sass[i] / 10 == cc / 10 && s->sass[i] <= cc)
            return ARCH_NATIVE;
        newer_only = newer_only && s->sass[i] > cc;
    }
    for (size_t i = 0; i < s->n_ptx; i++) {
        if (s->ptx[i] <= cc)
            return ARCH_JIT;
    }
    return newer_only ? ARCH_TOO_OLD : ARCH_TOO_NEW;
}

static const char *numbers(struct judge *g, const uint32_t *v, size_t n, const char *prefix)
{
    const char *s = NULL;
    for (size_t i = 0; i < n; i++)
        s = s ? arena_printf(g->a, "%s %s%u", s, prefix, v[i]) : arena_printf(g->a, "%s%u", prefix, v[i]);
    return s ? s : _("nothing");
}

static void bind(struct judge *g, struct finding *f, const struct fact_arch_set *s, const struct fact_gpu *gpu)
{
    const char *sass = numbers(g, s->sass, s->n_sass, "sm_"), *ptx = numbers(g, s->ptx, s->n_ptx, "compute_");
    judge_bind(g, f, "gpu", "%s", gpu->name ? gpu->name : _("NVIDIA GPU"));
    judge_bind(g, f, "cc", "%u.%u", gpu->cc / 10, gpu->cc % 10);
    judge_bind(g, f, "sass", "%s", sass);
    judge_bind(g, f, "ptx", "%s", ptx);
    judge_bind(g, f, "effect", "%s", str_starts(s->soname, "libcudnn") ? _("Convolutions may fail.") : _("What needs it will fail."));
    library_bind(g, f);
    judge_evidence(g, f, "tensorflow.archs", s->path, "%s; %s", sass, ptx);
    judge_evidence(g, f, "gpus.cc", NULL, "%s: %u.%u", gpu->name ? gpu->name : gpu->pci, gpu->cc / 10, gpu->cc % 10);
}

/* For each library the first GPU with this fit; libraries of one package are named once, by their first. */
static void each(struct judge *g, enum cause_id id, enum arch_fit want)
{
    struct finding *cudnn = NULL;
    const struct fact_tensorflow *t = &g->f->tensorflow;
    for (size_t i = 0; i < t->n_archs; i++) {
        for (size_t k = 0; k < g->f->n_gpus; k++) {
            const struct fact_gpu *gpu = &g->f->gpus[k];
            if (!gpu->has_cc || gpu_arch_fit(&t->archs[i], gpu->cc) != want)
                continue;
            bool part = str_starts(t->archs[i].soname, "libcudnn");
            if (part && cudnn) {
                judge_evidence(g, cudnn, "tensorflow.archs", t->archs[i].path, "%s",
                               numbers(g, t->archs[i].sass, t->archs[i].n_sass, "sm_"));
                break;
            }
            struct finding *f = judge_find(g, id, t->archs[i].soname);
            bind(g, f, &t->archs[i], gpu);
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
