/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_code - which GPU code TensorFlow's own library and the CUDA libraries that win carry (f->tensorflow.archs). */
#include <string.h>
#include "base/util.h"
#include "formats/fatbin.h"
#include "probe/probe.h"

static void add(struct probe *p, const char *path, const char *soname)
{
    struct fact_tensorflow *t = &p->f->tensorflow;
    const struct elf *e = ldso_elf(p->proc, path);
    struct rfile *f;
    struct fatbin fb;
    if (!e || e->verdict != ELF_OK || root_open(p->root, path, &f, NULL) < 0)
        return;
    struct bytesrc src = rfile_src(f);
    const struct fatbin_opts sample = {.full = p->deep};
    int rc = fatbin_read(&src, e, &sample, p->a, &fb, NULL);
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
        if (fb.archs[i].variant) /* sm_90a runs on that very chip only: it does not stand for its generation */
            continue;
        if (fb.archs[i].kind == FATBIN_SASS)
            *ARENA_PUSH(p->a, s->sass, s->n_sass) = fb.archs[i].sm;
        else
            *ARENA_PUSH(p->a, s->ptx, s->n_ptx) = fb.archs[i].sm;
    }
}

void probe_gpu_code(struct probe *p)
{
    const struct fact_tensorflow *t = &p->f->tensorflow;
    bool wanted = p->verbose; /* without a GPU to hold it against, the other libraries' code decides nothing */
    for (size_t i = 0; i < p->f->n_gpus; i++)
        wanted = wanted || p->f->gpus[i].has_cc;
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
