/* SPDX-License-Identifier: Apache-2.0 */
/* driver - how `check` asks the driver. */
#include "cmd/driver.h"
#include <errno.h>
#include <string.h>
#include "base/i18n.h"
#include "base/util.h"

int driver_deadline(const char *text, uint32_t *ret_ms)
{
    uint64_t seconds = 0, part = 0;
    *ret_ms = DRIVER_DEADLINE_MS;
    if (!text)
        return 0;
    const char *dot = strchr(text, '.');
    size_t whole = dot ? (size_t)(dot - text) : strlen(text), digits = dot ? strlen(dot + 1) : 0;
    if (str_to_u64(text, whole, 10, &seconds) < 0 || digits > 3 || (dot && str_to_u64(dot + 1, digits, 10, &part) < 0) ||
        seconds > DRIVER_DEADLINE_MAX_S)
        return -EINVAL;
    for (; digits < 3; digits++)
        part *= 10;
    *ret_ms = (uint32_t)(seconds * 1000 + part);
    return 0;
}

void driver_begin(struct probe *p)
{
    struct driver_run *d = p->caller;
    const char *path[GPU_LIBS] = {[GPU_CUDA] = p->f->driver.libcuda, [GPU_NVML] = p->f->driver.nvml};
    struct root_env *env;
    size_t n;
    if (!root_is_live(p->root) || !d->deadline_ms || (!path[GPU_CUDA] && !path[GPU_NVML]))
        return;
    probe_process_environment(p, &env, &n);
    d->ask = gpu_start(p->a, path, env, n, d->deadline_ms);
}

bool driver_wait(const struct driver_run *d, uint32_t ms)
{
    return !d->ask || gpu_wait(d->ask, ms);
}

static const char *why_not(const struct driver_run *d, const struct probe *p, const char *lib)
{
    if (!d->deadline_ms)
        return _("the option --driver-timeout 0 says not to ask");
    if (!root_is_live(p->root))
        return _("the captured tree does not state what it answered");
    return arena_printf(p->a, _("the loader finds no %s"), lib);
}

void driver_end(struct driver_run *d, struct probe *p)
{
    static const struct { const char *key, *soname; } libs[GPU_LIBS] = {[GPU_CUDA] = {"cuda", "libcuda.so.1"}, [GPU_NVML] = {"nvml", "libnvidia-ml.so.1"}};
    if (d->ask)
        gpu_finish(d->ask);
    for (int i = 0; i < GPU_LIBS; i++) {
        size_t len = 0;
        const char *lines = d->ask ? gpu_lines(d->ask, (enum gpu_lib)i, &len) : d->deadline_ms ? root_driver_lines(p->root, libs[i].key, &len) : NULL;
        gpu_answers(p->a, p->f, (enum gpu_lib)i, lines, len, lines ? NULL : why_not(d, p, libs[i].soname));
    }
    probe_gpu_code_again(p);
}
