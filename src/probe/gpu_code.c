/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_code - which GPU code TensorFlow's own library and the CUDA libraries that win carry (f->tensorflow.archs). */
#include <string.h>
#include "base/util.h"
#include "formats/fatbin.h"
#include "probe/probe.h"

/* Is there code for this GPU: machine code of its major (variant a: of this very chip), or PTX that is not newer? */
static bool serves(const struct fatbin *fb, uint32_t cc)
{
    for (size_t i = 0; i < fb->n_archs; i++) {
        const struct fatbin_arch *k = &fb->archs[i];
        bool same_major = k->sm / 10u == cc / 10, exact = k->variant == 'a';
        if (exact ? k->sm == cc : k->sm <= cc && (k->kind == FATBIN_PTX || same_major))
            return true;
    }
    return false;
}

static bool serves_all(const struct facts *f, const struct fatbin *fb)
{
    for (size_t i = 0; i < f->n_gpus; i++)
        if (f->gpus[i].has_cc && !serves(fb, f->gpus[i].cc))
            return false;
    for (size_t i = 0; i < f->n_cuda_devices; i++)
        if (f->cuda_devices[i].has_cc && !serves(fb, f->cuda_devices[i].cc))
            return false;
    return true;
}

static bool is_on_bus(const struct facts *f, uint32_t cc)
{
    for (size_t i = 0; i < f->n_gpus; i++)
        if (f->gpus[i].has_cc && f->gpus[i].cc == cc)
            return true;
    return false;
}

/* Numbers come ascending, a plain one and its family variant (sm_100, sm_100f) next to each other. */
static void add_number(struct arena *a, uint32_t **list, size_t *n, uint32_t v)
{
    if (*n && (*list)[*n - 1] == v)
        return;
    *list = arena_grow(a, *list, *n, sizeof **list);
    (*list)[(*n)++] = v;
}

static void add(struct probe *p, const char *path, const char *soname)
{
    struct fact_tensorflow *t = &p->f->tensorflow;
    const struct elf *e = ldso_elf(p->proc, path);
    struct rfile *f;
    struct fatbin fb;
    if (!e || e->verdict != ELF_OK || root_open(p->root, path, &f, NULL) < 0)
        return;
    struct bytesrc src = rfile_src(f);
    struct fatbin_opts o = {.full = p->deep};
    int rc = fatbin_read(&src, e, &o, p->a, &fb, NULL);
    if (rc == 0 && fb.has_code && !fb.complete && !o.full && !serves_all(p->f, &fb)) {
        o.full = true; /* what a sample lacks may be there: before it counts as absent, everything is read */
        rc = fatbin_read(&src, e, &o, p->a, &fb, NULL);
    }
    rfile_close(f);
    if (rc == 0 && !fb.has_code)
        return;
    struct fact_arch_set *s = ARENA_PUSH(p->a, t->archs, t->n_archs);
    *s = (struct fact_arch_set){.state = rc < 0 ? FACT_UNKNOWN : fb.bad_off ? FACT_MALFORMED : FACT_PRESENT, .source = path, .path = path,
                                .soname = soname};
    if (rc < 0)
        return;
    s->containers = fb.containers;
    s->containers_read = fb.containers_read;
    for (size_t i = 0; i < fb.n_archs; i++) {
        const struct fatbin_arch *k = &fb.archs[i];
        if (k->variant == 'a' && k->kind == FATBIN_SASS)
            add_number(p->a, &s->sass_exact, &s->n_sass_exact, k->sm);
        else if (k->variant != 'a' && k->kind == FATBIN_SASS)
            add_number(p->a, &s->sass, &s->n_sass, k->sm);
        else if (k->variant != 'a')
            add_number(p->a, &s->ptx, &s->n_ptx, k->sm);
    }
}

void probe_gpu_code(struct probe *p)
{
    const struct fact_tensorflow *t = &p->f->tensorflow;
    bool wanted = p->verbose; /* without a GPU to hold it against, the other libraries' code decides nothing */
    for (size_t i = 0; i < p->f->n_gpus; i++)
        wanted = wanted || p->f->gpus[i].has_cc;
    for (size_t i = 0; i < p->f->n_cuda_devices; i++)
        wanted = wanted || p->f->cuda_devices[i].has_cc;
    if (!p->proc || t->state != FACT_PRESENT || t->build.is_cuda == TRI_NO)
        return;
    if (t->cc)
        add(p, t->cc, path_base(t->cc));
    for (size_t i = 0; wanted && i < p->f->n_libraries; i++) {
        const struct fact_library *l = &p->f->libraries[i];
        bool carries = l->role == FACT_LIB_ROLE_CUDA || l->role == FACT_LIB_ROLE_CUDNN || l->role == FACT_LIB_ROLE_NCCL;
        if (carries && l->outcome == FACT_OUTCOME_FOUND && l->path)
            add(p, l->path, l->soname);
    }
}

void probe_gpu_code_again(struct probe *p)
{
    bool news = false;
    for (size_t i = 0; i < p->f->n_cuda_devices; i++)
        news = news || (p->f->cuda_devices[i].has_cc && !is_on_bus(p->f, p->f->cuda_devices[i].cc));
    if (!news)
        return;
    p->f->tensorflow.archs = NULL;
    p->f->tensorflow.n_archs = 0;
    probe_gpu_code(p);
}
