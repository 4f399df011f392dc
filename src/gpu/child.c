/* SPDX-License-Identifier: Apache-2.0 */
/* child - the driver child: opens one library and calls the functions of its table, one line before and one after each call. It
 * allocates nothing of its own, so that a library that breaks the heap or the stack takes as little as possible with it. */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/util.h"
#include "formats/driverlog.h"
#include "gpu/calls.h"
#include "gpu/child.h"
#include "gpu/gpu.h"

enum { NOT_OURS = 2, PARENT_GONE = 3 };

static uint64_t now_us(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_nsec / 1000u;
}

/* One record in one write: what is in the pipe is whole whatever happens next. */
static void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *fmt, ...)
{
    char line[DRIVERLOG_LINE_MAX];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(line, sizeof line - 1, fmt, ap);
    va_end(ap);
    size_t len = n < 0 ? 0 : (size_t)n < sizeof line - 1 ? (size_t)n : sizeof line - 2;
    line[len++] = '\n';
    for (size_t done = 0; done < len;) {
        ssize_t k = write(GPU_CHILD_FD, line + done, len - done);
        if (k < 0 && errno != EINTR)
            _exit(PARENT_GONE);
        done += k > 0 ? (size_t)k : 0;
    }
}

static void write_what(const struct gpu_call *c, const struct gpu_at *at, char what[static 128])
{
    const char *arg = c->arg ? c->arg : "", *blank = c->arg ? " " : "";
    if (c->per == GPU_PER_DEVICE)
        snprintf(what, 128, "%s %d%s%s", c->symbol, at->i, blank, arg);
    else if (c->per == GPU_PER_PROCESS)
        snprintf(what, 128, "%s pid %u", c->symbol, at->pid);
    else if (c->per == GPU_PER_PAIR || c->per == GPU_PER_TWO || c->per == GPU_PER_PART)
        snprintf(what, 128, "%s %d %d%s%s", c->symbol, at->i, at->k, blank, arg);
    else
        snprintf(what, 128, "%s%s%s", c->symbol, blank, arg);
}

static gpu_fn *symbol(void *lib, const char *name)
{
    void *p = dlsym(lib, name);
    gpu_fn *fn;
    memcpy(&fn, &p, sizeof fn);
    return fn;
}

/* true: it came back without an error */
static bool make_call(void *lib, const struct gpu_call *c, struct gpu_at *at, struct gpu_out *out)
{
    char what[128];
    write_what(c, at, what);
    *out = (struct gpu_out){.len = 0};
    gpu_fn *fn = symbol(lib, c->symbol);
    if (!fn) {
        say("< %s = missing", what);
        return false;
    }
    say("> %s", what);
    uint64_t begin = now_us();
    int rc = c->run(fn, at, c->number, out);
    uint64_t us = now_us() - begin;
    if (rc == 0 && out->len)
        say("< @%llu %s = 0 %s", (unsigned long long)us, what, out->text);
    else
        say("< @%llu %s = %d", (unsigned long long)us, what, rc);
    return rc == 0;
}

static size_t to_count(const struct gpu_out *out)
{
    uint64_t n;
    size_t len = strcspn(out->text, " ");
    if (str_to_u64(out->text, len, 10, &n) < 0)
        return 0;
    return n < GPU_DEVICES_MAX ? (size_t)n : GPU_DEVICES_MAX;
}

static size_t ask_lib(void *lib, const struct gpu_table *t)
{
    struct gpu_at at = {0};
    struct gpu_out out;
    size_t count = 0;
    for (size_t c = 0; c < t->n_calls; c++) {
        if (t->calls[c].per != GPU_PER_LIB)
            continue;
        bool good = make_call(lib, &t->calls[c], &at, &out);
        if (t->calls[c].role == GPU_COUNT && good)
            count = to_count(&out);
        if (t->calls[c].role == GPU_INIT && !good)
            break;
    }
    return count;
}

static void ask_parts(void *lib, const struct gpu_table *t, struct gpu_at *at)
{
    struct gpu_out out;
    for (at->k = 0; at->k < GPU_PARTS_MAX; at->k++) {
        bool there = true;
        at->sub = NULL;
        for (size_t c = 0; c < t->n_calls && there; c++)
            if (t->calls[c].per == GPU_PER_PART && (!make_call(lib, &t->calls[c], at, &out) || !at->sub) && t->calls[c].role == GPU_HANDLE)
                there = false;
    }
}

static void ask_devices(void *lib, const struct gpu_table *t, size_t count, struct gpu_pids *pids, void *ret_dev[static GPU_DEVICES_MAX],
                        bool ret_ok[static GPU_DEVICES_MAX])
{
    struct gpu_out out;
    for (size_t i = 0; i < count; i++) {
        struct gpu_at at = {.i = (int)i, .pids = pids};
        bool split = false;
        ret_ok[i] = true;
        for (size_t c = 0; c < t->n_calls && ret_ok[i]; c++) {
            if (t->calls[c].per != GPU_PER_DEVICE)
                continue;
            bool good = make_call(lib, &t->calls[c], &at, &out);
            if (t->calls[c].role == GPU_HANDLE && !good)
                ret_ok[i] = false;
            split = split || (t->calls[c].role == GPU_SPLIT && good && out.len && out.text[0] != '0');
        }
        ret_dev[i] = at.dev;
        if (split)
            ask_parts(lib, t, &at);
    }
}

static void ask_pairs(void *lib, const struct gpu_table *t, size_t count, void *const dev[], const bool ok[])
{
    struct gpu_out out;
    for (size_t i = 0; i < count && count <= GPU_PAIR_DEVICES_MAX; i++)
        for (size_t k = 0; k < count; k++) {
            struct gpu_at at = {.i = (int)i, .k = (int)k, .dev = dev[i], .other = dev[k]};
            for (size_t c = 0; c < t->n_calls && i != k && ok[i] && ok[k]; c++)
                if (t->calls[c].per == GPU_PER_PAIR || (t->calls[c].per == GPU_PER_TWO && i < k))
                    (void)make_call(lib, &t->calls[c], &at, &out);
        }
}

static void ask_processes(void *lib, const struct gpu_table *t, const struct gpu_pids *pids)
{
    struct gpu_out out;
    for (size_t i = 0; i < pids->n; i++) {
        struct gpu_at at = {.pid = pids->pid[i]};
        for (size_t c = 0; c < t->n_calls; c++)
            if (t->calls[c].per == GPU_PER_PROCESS)
                (void)make_call(lib, &t->calls[c], &at, &out);
    }
}

static void ask_end(void *lib, const struct gpu_table *t)
{
    struct gpu_at at = {0};
    struct gpu_out out;
    for (size_t c = 0; c < t->n_calls; c++)
        if (t->calls[c].per == GPU_AT_END)
            (void)make_call(lib, &t->calls[c], &at, &out);
}

static void ask(const char *path, const struct gpu_table *t)
{
    void *dev[GPU_DEVICES_MAX];
    bool ok[GPU_DEVICES_MAX];
    struct gpu_pids pids = {.n = 0};
    say("> open");
    uint64_t begin = now_us();
    void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!lib) {
        struct gpu_out out = {.len = 0};
        const char *text = dlerror();
        gpu_put_text(&out, text ? text : "", GPU_TEXT_MAX);
        say("< open = -1 %s", out.text);
        return;
    }
    say("< @%llu open = 0", (unsigned long long)(now_us() - begin));
    size_t count = ask_lib(lib, t);
    ask_devices(lib, t, count, &pids, dev, ok);
    ask_pairs(lib, t, count, dev, ok);
    ask_processes(lib, t, &pids);
    ask_end(lib, t);
}

/* Die with the parent, leave no core file (a limit of one byte also stops programs that the kernel would pipe the core to). */
static void prepare(uint64_t parent)
{
    struct rlimit core = {0};
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if ((uint64_t)getppid() != parent)
        _exit(PARENT_GONE);
    (void)getrlimit(RLIMIT_CORE, &core);
    core.rlim_cur = core.rlim_max ? 1 : 0;
    (void)setrlimit(RLIMIT_CORE, &core);
    (void)prctl(PR_SET_NAME, "tfgpu-driver");
}

void gpu_child(int argc, char **argv)
{
    struct stat st;
    uint64_t parent;
    bool ours = argc == 3 && fstat(GPU_CHILD_FD, &st) == 0 && S_ISFIFO(st.st_mode) && str_to_u64(argv[2], strlen(argv[2]), 10, &parent) == 0;
    if (!ours || (!str_eq(argv[0], "cuda") && !str_eq(argv[0], "nvml")))
        _exit(NOT_OURS);
    uint64_t begin = now_us();
    prepare(parent);
    ask(argv[1], str_eq(argv[0], "cuda") ? &gpu_cuda : &gpu_nvml);
    say("! ms %llu", (unsigned long long)((now_us() - begin) / 1000));
    say("! end");
    _exit(0); /* no destructors: they are the driver's, and nobody waits for what they do */
}
