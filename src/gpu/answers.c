/* SPDX-License-Identifier: Apache-2.0 */
/* answers - the driver's lines as facts, by the tables of calls.h. */
#include <string.h>
#include "base/i18n.h"
#include "base/util.h"
#include "gpu/calls.h"
#include "gpu/gpu.h"
#include "gpu/parts.h"
#include "gpu/signals.h"

struct fill { struct arena *a; struct facts *f; struct driverlog log; const struct gpu_table *t; };

/* -- one value into one field ------------------------------------------------------------------------------------------ */

/* "SYMBOL WORD" of a table with the devices' numbers between them, as the lines have it. */
static const struct driverlog_call *find(const struct fill *s, const char *call, const char *numbers)
{
    const char *word = strchr(call, ' ');
    int n = word ? (int)(word - call) : (int)strlen(call);
    return driverlog_find(&s->log, arena_printf(s->a, "%.*s%s%s%s", n, call, *numbers ? " " : "", numbers, word ? word : ""));
}

static bool number(const struct driverlog_call *c, unsigned word, int64_t max, int64_t *ret)
{
    return driverlog_number(c, word, ret) && *ret >= 0 && *ret <= max;
}

static void put(const struct driverlog_call *c, const struct gpu_take *t, char *record)
{
    void *at = record + t->at;
    bool *has = t->has ? (bool *)(record + t->has) : NULL;
    int64_t v = 0;
    if (has && *has)
        return;
    switch (t->kind) {
    case GPU_TAKE_TEXT:
        if (!*(const char **)at && *c->value)
            *(const char **)at = c->value;
        return;
    case GPU_TAKE_TRI:
        if (*(enum tri *)at == TRI_UNKNOWN && number(c, t->word, INT64_MAX, &v))
            *(enum tri *)at = v ? TRI_YES : TRI_NO;
        return;
    case GPU_TAKE_U64:
        if ((*has = number(c, t->word, INT64_MAX, &v)))
            *(uint64_t *)at = (uint64_t)v;
        return;
    case GPU_TAKE_U32:
        if ((*has = number(c, t->word, UINT32_MAX, &v)))
            *(uint32_t *)at = (uint32_t)v;
        return;
    case GPU_TAKE_I32:
        if ((*has = driverlog_number(c, t->word, &v) && v >= INT32_MIN && v <= INT32_MAX))
            *(int32_t *)at = (int32_t)v;
        return;
    case GPU_TAKE_MODE:
        if ((*has = number(c, t->word, FACT_COMPUTE_MODE_EXCLUSIVE_PROCESS, &v)))
            *(enum fact_compute_mode *)at = (enum fact_compute_mode)v;
        return;
    }
}

static void fill(const struct fill *s, const struct gpu_take *rows, size_t n, const char *numbers, void *record)
{
    for (size_t i = 0; i < n; i++) {
        const struct driverlog_call *c = find(s, rows[i].call, numbers);
        if (c && c->back && !c->missing && c->code == 0)
            put(c, &rows[i], record);
    }
}

/* -- how it went ------------------------------------------------------------------------------------------------------- */

static bool is_failure(const struct fill *s, const struct driverlog_call *c)
{
    return c->back && !c->missing && c->code != 0 && c->code != s->t->not_supported;
}

static void set_code(bool *has, int32_t *ret, const struct driverlog_call *c)
{
    *has = c && c->back && !c->missing && c->code >= INT32_MIN && c->code <= INT32_MAX;
    *ret = *has ? (int32_t)c->code : 0;
}

static void set_end(const struct fill *s, struct fact_driver_ask *k)
{
    const struct driverlog *l = &s->log;
    switch (l->end) {
    case DRIVERLOG_TIMEOUT:
        k->answer = FACT_DRIVER_ANSWER_HUNG;
        k->deadline_ms = l->number <= UINT32_MAX ? (uint32_t)l->number : UINT32_MAX;
        break;
    case DRIVERLOG_SIGNAL:
        k->answer = FACT_DRIVER_ANSWER_CRASHED;
        k->signal = gpu_signal_name(s->a, l->number);
        break;
    case DRIVERLOG_EXIT: /* a library that ends the process is no better than one that crashes */
        k->answer = FACT_DRIVER_ANSWER_CRASHED;
        k->has_exit_status = true;
        k->exit_status = l->number <= INT32_MAX ? (int32_t)l->number : INT32_MAX;
        break;
    case DRIVERLOG_CUT: /* of a manifest: lines alone are answers, but a call that did not come back */
    case DRIVERLOG_END:
        k->answer = l->at ? FACT_DRIVER_ANSWER_CRASHED : FACT_DRIVER_ANSWER_ANSWERED;
        break;
    }
    k->at = k->answer == FACT_DRIVER_ANSWER_ANSWERED ? NULL : l->at;
    k->left_behind = l->left;
}

/* Is this the function that starts the library, or (CUDA) one that counts and opens devices? */
static bool is_essential(const struct fill *s, const char *what)
{
    size_t n = strcspn(what, " ");
    for (size_t i = 0; i < s->t->n_calls; i++)
        if (s->t->calls[i].role != GPU_PLAIN && strlen(s->t->calls[i].symbol) == n && strncmp(s->t->calls[i].symbol, what, n) == 0)
            return s->t->calls[i].role == GPU_INIT || s->t == &gpu_cuda;
    return false;
}

/* false: there is nothing more to take. */
static bool set_ask(struct fill *s, struct fact_driver_ask *k, const char *path)
{
    const struct driverlog *l = &s->log;
    const struct driverlog_call *start = driverlog_find(l, "start"), *open = driverlog_find(l, "open");
    k->path = path;
    k->has_ms = l->timed;
    k->ms = l->timed && l->ms <= UINT32_MAX ? (uint32_t)l->ms : 0;
    if (start) {
        k->why_not = arena_printf(s->a, _("a process to ask it cannot be started: %s"), start->code > 0 && start->code < 4096 ? strerror((int)start->code) : "?");
        return false;
    }
    if (!l->n_calls && (l->end == DRIVERLOG_SIGNAL || l->end == DRIVERLOG_EXIT)) { /* it never came as far as the library */
        const char *how = l->end == DRIVERLOG_SIGNAL ? gpu_signal_name(s->a, l->number) : arena_printf(s->a, _("exit status %d"), (int)(l->number & 255));
        k->why_not = arena_printf(s->a, _("the process to ask it ended before it began (%s): LD_LIBRARY_PATH or LD_PRELOAD may keep any program from starting"), how);
        return false;
    }
    if (open && open->back && open->code != 0) {
        k->answer = FACT_DRIVER_ANSWER_FAILED_TO_LOAD;
        k->load_error = open->value;
        return false;
    }
    set_end(s, k);
    for (size_t i = 0; i < l->n_calls; i++) {
        k->calls += l->calls[i].back && !l->calls[i].missing;
        if (!k->missing && l->calls[i].missing && is_essential(s, l->calls[i].what))
            k->missing = arena_strndup(s->a, l->calls[i].what, strcspn(l->calls[i].what, " "));
        if (!k->failed_call && is_failure(s, &l->calls[i])) {
            k->failed_call = l->calls[i].what;
            set_code(&k->has_failed_code, &k->failed_code, &l->calls[i]);
        }
    }
    return true;
}

/* The first failure among the calls for one device: their first number is its. */
static const struct driverlog_call *device_failure(const struct fill *s, uint32_t i)
{
    const char *number = arena_printf(s->a, " %u", i);
    size_t n = strlen(number);
    for (size_t c = 0; c < s->log.n_calls; c++) {
        const char *p = strchr(s->log.calls[c].what, ' ');
        if (p && strncmp(p, number, n) == 0 && (p[n] == '\0' || p[n] == ' ') && is_failure(s, &s->log.calls[c]))
            return &s->log.calls[c];
    }
    return NULL;
}

/* -- CUDA -------------------------------------------------------------------------------------------------------------- */

static void cuda_device(const struct fill *s, struct fact_cuda_device *d)
{
    const char *n = arena_printf(s->a, "%u", d->ordinal);
    fill(s, s->t->device, s->t->n_device, n, d);
    const struct driverlog_call *major = find(s, "cuDeviceGetAttribute CC_MAJOR", n), *minor = find(s, "cuDeviceGetAttribute CC_MINOR", n);
    const struct driverlog_call *failed = device_failure(s, d->ordinal);
    int64_t hi = 0, lo = 0;
    if (major && minor && major->code == 0 && minor->code == 0 && number(major, 0, 1000, &hi) && number(minor, 0, 9, &lo)) {
        d->has_cc = true;
        d->cc = (uint32_t)(hi * 10 + lo);
    }
    if (d->uuid && d->uuid[0] != 'G' && d->uuid[0] != 'M') /* the driver gives the bytes alone */
        d->uuid = arena_printf(s->a, "%s%s", d->name && strstr(d->name, " MIG ") ? "MIG-" : "GPU-", d->uuid);
    if (failed) {
        d->failed_call = failed->what;
        set_code(&d->has_failed_code, &d->failed_code, failed);
    }
}

static void cuda(struct fill *s)
{
    struct fact_cuda_api *k = &s->f->cuda;
    if (!set_ask(s, &k->ask, s->f->driver.libcuda))
        return;
    set_code(&k->has_init_code, &k->init_code, driverlog_find(&s->log, "cuInit"));
    set_code(&k->has_count_code, &k->count_code, driverlog_find(&s->log, "cuDeviceGetCount"));
    fill(s, s->t->api, s->t->n_api, "", k);
    for (uint32_t i = 0; k->has_count && i < k->count && i < GPU_DEVICES_MAX; i++) {
        struct fact_cuda_device *d = ARENA_PUSH(s->a, s->f->cuda_devices, s->f->n_cuda_devices);
        d->ordinal = i;
        cuda_device(s, d);
    }
}

/* -- NVML -------------------------------------------------------------------------------------------------------------- */

static void nvml(struct fill *s)
{
    struct fact_nvml_api *k = &s->f->nvml;
    if (!set_ask(s, &k->ask, s->f->driver.nvml))
        return;
    set_code(&k->has_init_code, &k->init_code, driverlog_find(&s->log, "nvmlInit_v2"));
    set_code(&k->has_count_code, &k->count_code, driverlog_find(&s->log, "nvmlDeviceGetCount_v2"));
    fill(s, s->t->api, s->t->n_api, "", k);
    for (uint32_t i = 0; k->has_count && i < k->count && i < GPU_DEVICES_MAX; i++) {
        struct fact_nvml_device *d = ARENA_PUSH(s->a, s->f->nvml_devices, s->f->n_nvml_devices);
        const struct driverlog_call *failed = device_failure(s, i);
        d->index = i;
        fill(s, s->t->device, s->t->n_device, arena_printf(s->a, "%u", i), d);
        if (failed) {
            d->failed_call = failed->what;
            set_code(&d->has_failed_code, &d->failed_code, failed);
        }
    }
}

void gpu_answers(struct arena *a, struct facts *f, enum gpu_lib lib, const char *lines, size_t len, const char *why_not)
{
    struct fill s = {.a = a, .f = f, .t = lib == GPU_CUDA ? &gpu_cuda : &gpu_nvml};
    if (!lines) {
        struct fact_driver_ask *k = lib == GPU_CUDA ? &f->cuda.ask : &f->nvml.ask;
        k->why_not = why_not;
        return;
    }
    driverlog_parse(lines, len, a, &s.log);
    if (lib == GPU_CUDA)
        cuda(&s);
    else
        nvml(&s);
    if (lib == GPU_CUDA)
        gpu_cuda_parts(a, f, &s.log);
    else
        gpu_nvml_parts(a, f, &s.log);
}
