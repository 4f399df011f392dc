/* SPDX-License-Identifier: Apache-2.0 */
/* nccl - does TensorFlow carry NCCL inside its own libraries, or open it by name? Both kinds have the same loader function, so that
 * alone does not tell. Looked at only where there are several GPUs. */
#include <string.h>
#include "base/util.h"
#include "formats/elf_symbols.h"
#include "probe/probe.h"

/* NCCL's own tables of GPU kernels; a stub that forwards to a library has none. */
static bool defines_one(const struct bytesrc *s, const struct elf *e, const char *const *names, size_t n)
{
    struct elf_sym sym;
    for (size_t i = 0; i < n; i++)
        if (elf_lookup(s, e, names[i], NULL, &sym) == 1)
            return true;
    return false;
}

/* The loader's functions: of libdl.so.2 where that is a library of its own. */
static bool skip_others(void *ctx, const struct elf_verneed *v)
{
    (void)ctx;
    return !v || !str_starts(v->file, "libdl.so");
}

/* NCCL loads the InfiniBand library with dlvsym(); nothing else in TensorFlow calls that. */
static bool calls_dlvsym(const struct bytesrc *s, const struct elf *e, struct arena *a)
{
    struct elf_undef *list;
    size_t n = 0;
    if (elf_undefined(s, e, skip_others, NULL, a, &list, &n) < 0)
        return false;
    for (size_t i = 0; i < n; i++)
        if (str_eq(list[i].name, "dlvsym"))
            return true;
    return false;
}

static enum tri inside(struct probe *p, const char *path)
{
    static const char *const kernels[] = {"ncclDevKernelList", "ncclDevFuncTable"}, *const interface[] = {"ncclGetVersion"};
    const struct elf *e = path ? ldso_elf(p->proc, path) : NULL;
    struct rfile *f;
    if (!e || e->verdict != ELF_OK || root_open(p->root, path, &f, NULL) < 0)
        return TRI_UNKNOWN;
    struct bytesrc src = rfile_src(f);
    enum tri t = defines_one(&src, e, kernels, TG_COUNT(kernels))       ? TRI_YES
                 : defines_one(&src, e, interface, TG_COUNT(interface)) ? TRI_NO
                 : calls_dlvsym(&src, e, p->a)                          ? TRI_YES
                                                                        : TRI_UNKNOWN;
    rfile_close(f);
    return t;
}

/* WSL shows its GPUs to the driver alone. */
static bool maybe_several(const struct facts *f)
{
    size_t nodes = 0;
    for (size_t i = 0; i < f->driver.n_nodes; i++)
        nodes += str_starts(f->driver.nodes[i].path, "/dev/nvidia") && strspn(f->driver.nodes[i].path + strlen("/dev/nvidia"), "0123456789") > 0;
    return f->n_gpus > 1 || nodes > 1 || f->driver.dxg == TRI_YES;
}

void probe_nccl(struct probe *p)
{
    struct fact_tensorflow *t = &p->f->tensorflow;
    if (!p->proc || t->state != FACT_PRESENT || (!maybe_several(p->f) && !p->verbose))
        return;
    t->nccl_inside = inside(p, t->framework);
    if (t->nccl_inside == TRI_UNKNOWN)
        t->nccl_inside = inside(p, t->cc);
}
