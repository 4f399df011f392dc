/* SPDX-License-Identifier: Apache-2.0 */
/* prove - lets TensorFlow itself compute, in the judged environment's Python. */
#include "probe/prove.h"
#include <string.h>
#include "base/child.h"
#include "base/i18n.h"
#include "prove_gen.h"

enum { ANSWER_MAX = 1 << 20, OUTPUT_MAX = 16384, OUTPUT_LINES = 40 };
/* Of the deadline, so much is the script's own; the rest lets its last step end. */
enum { BUDGET_PERCENT = 75 };

struct watch { struct arena *a; const struct prove_ask *ask; };

static void on_line(void *ctx, const char *text, size_t n)
{
    struct watch *w = ctx;
    struct proofline l;
    if (!w->ask->progress || !proofline_parse(text, n, w->a, &l) || l.event != PROOFLINE_BEGIN)
        return;
    const char *const parts[] = {l.device, l.op, l.dtype};
    const char *what = "";
    for (size_t i = 0; i < TG_COUNT(parts); i++)
        if (parts[i])
            what = arena_printf(w->a, "%s%s%s", what, *what ? " " : "", parts[i]);
    w->ask->progress(w->ask->ctx, w->a, l.stage, what);
}

static const char *const *environment(struct probe *p)
{
    struct root_env *env;
    size_t n;
    probe_process_environment(p, &env, &n);
    const char **list = arena_array(p->a, n + 1, sizeof *list);
    for (size_t i = 0; i < n; i++)
        list[i] = arena_printf(p->a, "%s=%s", env[i].name, env[i].value);
    return list;
}

/* The least that is free on a GPU; 0: not known. */
static uint64_t free_memory(const struct facts *f)
{
    uint64_t least = 0;
    for (size_t i = 0; i < f->n_nvml_devices; i++)
        if (f->nvml_devices[i].has_memory_free && (!least || f->nvml_devices[i].memory_free < least))
            least = f->nvml_devices[i].memory_free;
    return least;
}

/* The last lines that it printed, whole ones. */
static const char *last_lines(struct arena *a, const char *text, size_t n)
{
    while (n && text[n - 1] == '\n')
        n--;
    size_t from = n;
    for (unsigned lines = 0; from > 0; from--)
        if (text[from - 1] == '\n' && ++lines == OUTPUT_LINES)
            break;
    return n > from ? arena_strndup(a, text + from, strnlen(text + from, n - from)) : NULL;
}

static void run(struct probe *p, const struct prove_ask *ask, struct proofrecord *r)
{
    struct arena *a = p->a;
    struct child_result c;
    struct err e = {0};
    const char *const argv[] = {
        p->f->python.exe, "-B", "-c", prove_script, arena_printf(a, "fd=%d", CHILD_FD), arena_printf(a, "quick=%d", ask->quick),
        arena_printf(a, "budget=%.1f", ask->deadline_ms / 1000.0 * BUDGET_PERCENT / 100),
        arena_printf(a, "gpu_free=%llu", (unsigned long long)free_memory(p->f)), NULL,
    };
    struct watch w = {a, ask};
    const struct child_spec spec = {
        .exe = p->f->python.exe, .argv = argv, .envp = environment(p), .deadline_ms = ask->deadline_ms, .max_answer = ANSWER_MAX,
        .max_output = OUTPUT_MAX, .line = on_line, .ctx = &w,
    };
    if (child_run(a, &spec, &c, &e) < 0) {
        r->end = PROOFLINE_NOT_STARTED;
        r->why = arena_strdup(a, e.msg);
        return;
    }
    static const enum proofline_exit ends[] = {
        [CHILD_EXITED] = PROOFLINE_EXITED, [CHILD_SIGNALED] = PROOFLINE_SIGNALED, [CHILD_TIMEOUT] = PROOFLINE_TIMEOUT,
        [CHILD_FLOOD] = PROOFLINE_FLOOD, [CHILD_UNDEAD] = PROOFLINE_UNDEAD,
    };
    proofline_parse_all(c.answer, c.n_answer, a, r);
    r->end = ends[c.end];
    r->code = c.code;
    r->signal = c.signal;
    r->ms = c.elapsed_ms;
    r->peak_mib = (uint32_t)(c.peak_rss_bytes >> 20);
    r->output = last_lines(a, c.output, c.n_output);
}

static void from_capture(struct probe *p, struct proofrecord *r)
{
    struct err e = {0};
    size_t len;
    const char *json = root_proof(p->root, &len);
    if (!json || proofrecord_parse(json, len, p->a, r, &e) < 0) {
        r->end = PROOFLINE_NOT_STARTED;
        r->why = json ? arena_strdup(p->a, e.msg) : _("the capture does not say what TensorFlow computed there");
    }
}

void probe_prove(struct probe *p, const struct prove_ask *ask)
{
    struct proofrecord r = {.quick = ask->quick, .deadline_ms = ask->deadline_ms};
    if (!root_is_live(p->root))
        from_capture(p, &r);
    else if (!p->f->python.exe || p->f->python.state != FACT_PRESENT) {
        r.end = PROOFLINE_NOT_STARTED;
        r.why = _("there is no Python to start");
    } else
        run(p, ask, &r);
    prove_facts(p->a, p->f, &r);
}
