/* SPDX-License-Identifier: Apache-2.0 */
/* ask - what a user states or a machine's facts say, as an ask of the solver. */
#include <errno.h>
#include <string.h>
#include <strings.h>
#include "base/util.h"
#include "formats/pep440.h"
#include "knowledge/gpus.h"
#include "knowledge/releases.h"
#include "solve/solve.h"

enum { SPEC_MAX = 256 };

static bool good_specs(const char *specs)
{
    static const struct str one = {"1", 1};
    return strlen(specs) <= SPEC_MAX && pep440_match(one, (struct str){specs, strlen(specs)}) != TRI_UNKNOWN;
}

const char *solve_specs(struct arena *a, const char *text)
{
    struct pep440 v;
    struct str t = str_trim((struct str){text, strlen(text)});
    const char *s = arena_strndup(a, t.p, t.n);
    if (!*s || strlen(s) != t.n)
        return NULL;
    if (pep440_parse(s, t.n, &v) == 0)
        s = arena_printf(a, v.n_release < 3 && v.pre == PEP440_PRE_NONE && !v.has_post && !v.has_dev ? "==%s.*" : "==%s", s);
    return good_specs(s) ? s : NULL;
}

int solve_with(struct arena *a, const char *text, struct solve_want *ret)
{
    size_t n, len = strcspn(text, "=<>!~ ");
    const struct framework_release *t = framework_releases_all(NULL, &n);
    const char *name = arena_strndup(a, text, len), *spec = "";
    if (text[len]) {
        bool bare = str_starts(text + len, "==") && !strchr(text + len, ',') && !strchr(text + len, '*');
        spec = solve_specs(a, bare ? text + len + 2 : text + len);
    }
    if (!spec)
        return -EINVAL;
    for (size_t i = 0; i < n; i++)
        if (str_eq(t[i].name, name)) {
            *ret = (struct solve_want){t[i].name, spec};
            return 0;
        }
    return -ENOENT;
}

static bool by_capability(struct arena *a, const char *s, struct solve_gpu *ret)
{
    const char *dot = strchr(s, '.');
    uint64_t major, minor;
    if (!dot || str_to_u64(s, (size_t)(dot - s), 10, &major) < 0 || str_to_u64(dot + 1, strlen(dot + 1), 10, &minor) < 0 || major < 1 || major > 24 || minor > 9)
        return false;
    *ret = (struct solve_gpu){arena_printf(a, "GPU %s", s), (uint32_t)(major * 10 + minor)};
    return true;
}

int solve_gpu_named(struct arena *a, const char *name, struct solve_gpu *ret)
{
    struct gpu_info g;
    struct str chip = {name, strlen(name)};
    if (by_capability(a, name, ret))
        return 0;
    int r = gpu_by_name(name, &g);
    if (r == -ENOENT && gpu_by_chip(chip, &g) && str_eq(g.chip, name))
        r = 0;
    if (r == 0)
        *ret = (struct solve_gpu){arena_strdup(a, name), g.cc};
    return r;
}

static void add_gpu(struct arena *a, struct solve_ask *ask, const char *name, uint32_t cc)
{
    struct solve_gpu *g = arena_grow(a, (void *)ask->gpus, ask->n_gpus, sizeof *g);
    g[ask->n_gpus++] = (struct solve_gpu){name ? name : "GPU", cc};
    ask->gpus = g;
}

static void cpu_of(struct arena *a, const struct fact_cpu *c, struct solve_ask *ret)
{
    /* Only what facts state as present or absent counts: without one of these two nothing is held against the processor. */
    static const char *const with_sse42[] = {"pni", "ssse3", "sse4_1", "sse4_2"};
    if (c->has_sse42 == TRI_UNKNOWN || c->has_avx == TRI_UNKNOWN)
        return;
    const char **v = arena_array(a, TG_COUNT(with_sse42) + 4, sizeof *v);
    size_t n = 0;
    v[n++] = "sse2";
    for (size_t i = 0; c->has_sse42 == TRI_YES && i < TG_COUNT(with_sse42); i++)
        v[n++] = with_sse42[i];
    if (c->has_avx == TRI_YES)
        v[n++] = "avx";
    if (c->has_avx2 == TRI_YES)
        v[n++] = "avx2";
    if (c->has_fma == TRI_YES)
        v[n++] = "fma";
    ret->cpu = v;
    ret->n_cpu = n;
}

void solve_ask_from_facts(struct arena *a, const struct facts *f, struct solve_ask *ret)
{
    *ret = (struct solve_ask){.os = f->machine.kind == FACT_MACHINE_KIND_WSL2 ? SOLVE_WSL : SOLVE_LINUX, .machine = f->machine.arch,
                              .driver = f->driver.version, .glibc = f->tensorflow.abi.glibc_have};
    for (size_t i = 0; i < f->n_cuda_devices; i++)
        if (f->cuda_devices[i].has_cc)
            add_gpu(a, ret, f->cuda_devices[i].name, f->cuda_devices[i].cc);
    for (size_t i = 0; !f->n_cuda_devices && i < f->n_gpus; i++)
        if (f->gpus[i].has_cc)
            add_gpu(a, ret, f->gpus[i].name, f->gpus[i].cc);
    if (f->python.major == 3 && f->python.minor)
        ret->python_here = arena_printf(a, "3.%u", f->python.minor);
    cpu_of(a, &f->machine.cpu, ret);
}
