/* SPDX-License-Identifier: Apache-2.0 */
/* hook_read - activation scripts and kernels. */
#include "act/hook_read.h"
#include <errno.h>
#include <string.h>
#include "base/util.h"

enum { SCRIPT_MAX = 1 << 20 };

static void add(struct arena *a, struct root *root, enum hook_kind kind, const char *path, bool or_new, struct hook_file **ret, size_t *ret_n)
{
    struct root_stat st;
    struct hook_file f = {.kind = kind, .path = path};
    int r = root_lstat(root, path, &st);
    if (r == 0 && st.type == ROOT_FILE)
        r = root_read(root, path, SCRIPT_MAX, a, &f.text, &f.n);
    else if (r == 0)
        r = -ELOOP;
    if (r == 0 || (or_new && r == -ENOENT))
        *ARENA_PUSH(a, *ret, *ret_n) = f;
}

void hook_read(struct arena *a, struct root *root, const struct facts *f, struct hook_file **ret, size_t *ret_n)
{
    static const struct { enum hook_kind kind; const char *venv, *conda; } scripts[] = {
        {HOOK_SH, "bin/activate", "etc/conda/activate.d/tfgpu.sh"},
        {HOOK_FISH, "bin/activate.fish", "etc/conda/activate.d/tfgpu.fish"},
        {HOOK_CSH, "bin/activate.csh", "etc/conda/activate.d/tfgpu.csh"},
    };
    const struct fact_python *py = &f->python;
    bool conda = py->kind == FACT_ENV_KIND_CONDA;
    if (!py->prefix)
        return;
    for (size_t i = 0; i < TG_COUNT(scripts); i++)
        add(a, root, scripts[i].kind, path_join(a, py->prefix, conda ? scripts[i].conda : scripts[i].venv), conda, ret, ret_n);
    for (size_t i = 0; i < f->n_kernels; i++)
        if (f->kernels[i].file && str_eq(f->kernels[i].prefix, py->prefix))
            add(a, root, HOOK_KERNEL, path_clean(a, f->kernels[i].file), false, ret, ret_n);
}
