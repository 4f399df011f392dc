/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_env - variables that CUDA, TensorFlow and NVIDIA's container runtime read, and the driver's store of compiled code. */
#include <string.h>
#include "probe/kernels.h"
#include "probe/probe.h"

enum { WRITE_SEARCH = 3 };

const char *probe_variable(struct probe *p, const char *name)
{
    const struct fact_python *py = &p->f->python;
    const char *value = p->kernel ? kernelspec_getenv(&p->kernel->spec, name) : NULL;
    value = value ? kernel_expand(p->root, p->a, value) : root_getenv(p->root, name);
    for (size_t i = 0; i < py->n_pth_variables; i++)
        if (str_eq(py->pth_variables[i].name, name) && !(value && py->pth_variables[i].unless_set))
            value = py->pth_variables[i].value;
    return value;
}

static void jit_cache(struct probe *p)
{
    struct fact_jit_cache *c = &p->f->jit_cache;
    const char *home = root_home(p->root), *set = p->f->gpu_env.cuda_cache_path;
    uint64_t limit;
    c->dir = set && *set ? set : home ? path_join(p->a, home, ".nv/ComputeCache") : NULL;
    c->disabled = str_eq(p->f->gpu_env.cuda_cache_disable, "1");
    const char *max = p->f->gpu_env.cuda_cache_maxsize;
    if (max && str_to_u64(max, strlen(max), 10, &limit) == 0) {
        c->has_limit_bytes = true;
        c->limit_bytes = limit;
    }
    if (!c->dir || *c->dir != '/')
        return;
    struct root_stat st;
    const char *dir = c->dir;
    c->state = root_stat(p->root, dir, &st) == 0 ? FACT_PRESENT : FACT_ABSENT;
    if (c->state == FACT_ABSENT && !root_is_live(p->root))
        return; /* a capture need not hold the folders above it */
    while (!str_eq(dir, "/") && root_stat(p->root, dir, &st) < 0)
        dir = path_dir(p->a, dir); /* the driver makes what is missing */
    c->source = dir;
    c->writable = root_access(p->root, dir, WRITE_SEARCH) == 0 ? TRI_YES : TRI_NO;
}

void probe_gpu_env(struct probe *p)
{
    struct fact_gpu_env *v = &p->f->gpu_env;
    const struct { const char *name, **field; } rows[] = {
        {"CUDA_VISIBLE_DEVICES", &p->f->cuda_visible_devices},
        {"CUDA_DEVICE_ORDER", &v->cuda_device_order},
        {"CUDA_CACHE_DISABLE", &v->cuda_cache_disable},
        {"CUDA_CACHE_PATH", &v->cuda_cache_path},
        {"CUDA_CACHE_MAXSIZE", &v->cuda_cache_maxsize},
        {"CUDA_FORCE_PTX_JIT", &v->cuda_force_ptx_jit},
        {"CUDA_DISABLE_PTX_JIT", &v->cuda_disable_ptx_jit},
        {"NVIDIA_VISIBLE_DEVICES", &v->nvidia_visible_devices},
        {"NVIDIA_DRIVER_CAPABILITIES", &v->nvidia_driver_capabilities},
        {"TF_MIN_GPU_MULTIPROCESSOR_COUNT", &v->tf_min_multiprocessors},
        {"TF_FORCE_GPU_ALLOW_GROWTH", &v->tf_force_allow_growth},
        {"TF_GPU_ALLOCATOR", &v->tf_gpu_allocator},
    };
    for (size_t i = 0; i < TG_COUNT(rows); i++)
        *rows[i].field = probe_variable(p, rows[i].name);
    if (p->f->driver.libcuda)
        jit_cache(p);
}

static void set(struct probe *p, struct root_env **env, size_t *n, const char *name, const char *value)
{
    for (size_t i = 0; i < *n; i++)
        if (str_eq((*env)[i].name, name)) {
            (*env)[i] = value ? (struct root_env){name, value} : (*env)[--*n];
            return;
        }
    if (value)
        *ARENA_PUSH(p->a, *env, *n) = (struct root_env){name, value};
}

void probe_process_environment(struct probe *p, struct root_env **ret, size_t *ret_n)
{
    size_t n;
    const struct root_env *caller = root_environ(p->root, &n);
    *ret = NULL;
    *ret_n = 0;
    for (size_t i = 0; i < n; i++)
        *ARENA_PUSH(p->a, *ret, *ret_n) = caller[i];
    for (size_t i = 0; p->kernel && i < p->kernel->spec.n_env; i++)
        set(p, ret, ret_n, p->kernel->spec.env[i].name, kernel_expand(p->root, p->a, p->kernel->spec.env[i].value));
    const struct fact_python *py = &p->f->python;
    for (size_t i = 0; i < py->n_pth_variables; i++)
        set(p, ret, ret_n, py->pth_variables[i].name, probe_variable(p, py->pth_variables[i].name));
    set(p, ret, ret_n, "LD_LIBRARY_PATH", p->f->ld_library_path); /* the loader reads it before Python runs */
}
