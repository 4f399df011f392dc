/* SPDX-License-Identifier: Apache-2.0 */
/* python_env - rules of layer 3: the interpreter, and whether TensorFlow is in its reach. Pure. */
#include <string.h>
#include "base/i18n.h"
#include "base/shellwords.h"
#include "formats/pep440.h"
#include "knowledge/pydata.h"
#include "rules/python_rules.h"

void py_rule_python_missing(struct judge *g)
{
    const struct fact_python *py = &g->f->python;
    if (!py->exe)
        judge_evidence(g, judge_find(g, CAUSE_PYTHON_MISSING, "python3"), "python.exe", NULL, "%s",
                       g->f->selected_by ? g->f->selected_by : _("no interpreter"));
}

void py_rule_env_broken(struct judge *g)
{
    const struct fact_python *py = &g->f->python;
    if (!py->exe || py->state == FACT_PRESENT)
        return;
    if (py->state == FACT_UNKNOWN) {
        judge_unknown(g, 3, _("the interpreter %s could not be examined"), py->exe);
        return;
    }
    struct finding *x = judge_find(g, CAUSE_PYTHON_ENV_BROKEN, py->exe);
    const char *reason = py->state == FACT_DENIED    ? _("the interpreter may not be read or executed")
                         : py->state == FACT_ABSENT ? _("its interpreter leads to a file that is gone")
                                                     : _("its standard library is not found");
    x->tags |= py->state == FACT_DENIED ? FIX_C : py->pythonhome ? FIX_B : py->home ? FIX_A : 0;
    py_bind_env(g, x);
    judge_bind(g, x, "reason", "%s", reason);
    judge_bind(g, x, "base_python", "python%u.%u", py->major ? py->major : 3, py->minor);
    judge_bind(g, x, "pythonhome", "%s", py->pythonhome ? py->pythonhome : "");
    judge_evidence(g, x, "python.state", py->exe, "%s", reason);
    if (py->home)
        judge_evidence(g, x, "python.home", py->source, "home = %s", py->home);
}

void py_rule_variable_refused(struct judge *g)
{
    const struct fact_python *py = &g->f->python;
    if (!py_runs(g->f) || !py->refused)
        return;
    struct finding *x = judge_find(g, CAUSE_PYTHON_VARIABLE_REFUSED, py->refused);
    py_bind_env(g, x);
    judge_bind(g, x, "value", "%s", py->refused_value);
    judge_bind(g, x, "want", "%s", py->refused_want);
    judge_evidence(g, x, "python.refused", NULL, "%s=%s", py->refused, py->refused_value);
}

void py_rule_startup_ends(struct judge *g)
{
    const struct fact_python *py = &g->f->python;
    const char *reason = NULL;
    if (!py_runs(g->f))
        return;
    switch (py->start_end) {
    case FACT_START_END_NONE: return;
    case FACT_START_END_ENCODING: reason = _("it holds bytes that cannot be decoded in this locale"); break;
    case FACT_START_END_EXIT: reason = _("its code ends the process"); break;
    case FACT_START_END_SIGNAL: reason = arena_printf(g->a, _("its code ends the process by %s"), py->start_end_signal); break;
    }
    struct finding *x = judge_find(g, CAUSE_PYTHON_STARTUP_ENDS, py->start_end_at);
    x->tags |= py->start_end == FACT_START_END_ENCODING ? FIX_A : FIX_B;
    x->dies = py->start_end_signal;
    py_bind_env(g, x);
    judge_bind(g, x, "reason", "%s", reason);
    judge_evidence(g, x, "python.start_end", py->start_end_at, "%s", reason);
}

/* Processor of a platform tag or of a SOABI: the part that names it. */
static bool names_arch(const char *tag, const char *arch)
{
    return strstr(tag, arch) != NULL;
}

static void report_arch(struct judge *g, const char *subject, const char *have, const char *want, const char *fact)
{
    struct finding *x = judge_find(g, CAUSE_PYTHON_ARCH_UNSUPPORTED, subject);
    py_bind_env(g, x);
    judge_bind(g, x, "have", "%s", have);
    judge_bind(g, x, "want", "%s", want);
    judge_evidence(g, x, fact, NULL, "%s", have);
}

void py_rule_arch(struct judge *g)
{
    const struct facts *f = g->f;
    const char *arch = f->machine.arch, *soabi = f->python.soabi;
    if (!py_runs(f))
        return;
    if (soabi && strstr(soabi, "musl")) {
        report_arch(g, f->python.exe, soabi, "linux-gnu (glibc)", "python.soabi");
    } else if (f->python.bits == 32) {
        report_arch(g, f->python.exe, _("32-bit"), _("64-bit"), "python.bits");
    } else if (arch && py_has_tf(f) && f->tensorflow.n_wheel_tags) {
        bool fits = false;
        for (size_t i = 0; i < f->tensorflow.n_wheel_tags; i++)
            fits |= names_arch(f->tensorflow.wheel_tags[i], arch) || names_arch(f->tensorflow.wheel_tags[i], "-any");
        if (!fits)
            report_arch(g, f->tensorflow.dist, f->tensorflow.wheel_tags[0], arch, "tensorflow.wheel_tags");
    }
}

static const struct fact_package *retired_dist(const struct facts *f)
{
    for (size_t i = 0; i < f->n_packages; i++) {
        const struct tf_dist *d = pydata_tf_dist(f->packages[i].name);
        if (d && d->retired && str_eq(f->packages[i].name, f->tensorflow.dist))
            return &f->packages[i];
    }
    return NULL;
}

void py_rule_tf_gpu_removed(struct judge *g)
{
    const struct facts *f = g->f;
    if (!py_runs(f) || f->tensorflow.state != FACT_ABSENT || !retired_dist(f))
        return;
    struct finding *x = judge_find(g, CAUSE_TENSORFLOW_GPU_REMOVED, f->tensorflow.dist);
    py_bind_env(g, x);
    judge_evidence(g, x, "tensorflow.dist", f->tensorflow.info, "%s %s", f->tensorflow.dist, f->tensorflow.version ? f->tensorflow.version : "");
}

void py_rule_tf_files_missing(struct judge *g)
{
    const struct facts *f = g->f;
    if (!py_runs(f) || f->tensorflow.state != FACT_ABSENT || !f->tensorflow.dist || retired_dist(f))
        return;
    struct finding *x = judge_find(g, CAUSE_TF_FILES_MISSING, f->tensorflow.dist);
    py_bind_env(g, x);
    judge_evidence(g, x, "tensorflow.info", f->tensorflow.info, _("registered, but there is no tensorflow/__init__.py beside it"));
}

/* An environment that has TensorFlow: the first one, preferring a virtual or conda environment to the system's. */
static const struct fact_env_entry *elsewhere(const struct facts *f)
{
    const struct fact_env_entry *best = NULL;
    for (size_t i = 0; i < f->n_environments; i++) {
        const struct fact_env_entry *e = &f->environments[i];
        if (!e->tensorflow || e->selected || !e->python || str_eq(e->python, f->python.exe))
            continue;
        if (!best || (best->kind == FACT_ENV_KIND_SYSTEM && e->kind != FACT_ENV_KIND_SYSTEM))
            best = e;
    }
    return best;
}

static const char *activation(struct judge *g, const struct fact_env_entry *e)
{
    if (e->kind == FACT_ENV_KIND_CONDA)
        return arena_printf(g->a, "conda activate %s", shellword_quote(g->a, e->name ? e->name : e->prefix));
    if (e->kind == FACT_ENV_KIND_VENV || e->kind == FACT_ENV_KIND_UV)
        return arena_printf(g->a, "source %s/bin/activate", shellword_quote(g->a, e->prefix));
    return arena_printf(g->a, "tfgpu check --env %s", shellword_quote(g->a, e->python));
}

void py_rule_tf_not_installed(struct judge *g)
{
    const struct facts *f = g->f;
    if (!py_runs(f) || f->tensorflow.state != FACT_ABSENT || f->tensorflow.dist)
        return;
    struct finding *x = judge_find(g, CAUSE_TF_NOT_INSTALLED, f->python.exe);
    const struct fact_env_entry *e = elsewhere(f);
    py_bind_env(g, x);
    judge_bind(g, x, "activate_args", "%s", e ? activation(g, e) : "");
    judge_bind(g, x, "other", "%s", e && e->prefix ? e->prefix : "");
    judge_bind(g, x, "other_version", "%s", e ? e->tensorflow : "");
    x->tags |= e ? FIX_A : f->python.externally_managed ? FIX_C : FIX_B;
    judge_evidence(g, x, "python.sys_path", f->python.prefix, _("no folder tensorflow/ on sys.path (%zu places)"), f->python.n_sys_path);
    for (size_t i = 0; i < f->n_environments; i++)
        if (f->environments[i].tensorflow && !f->environments[i].selected)
            judge_evidence(g, x, "environments.tensorflow", f->environments[i].prefix, "TensorFlow %s", f->environments[i].tensorflow);
}

/* "cp311" against 3.11; "py3" fits any 3; "cp39-abi3" any from there on. */
static bool tag_fits(const char *tag, const struct fact_python *py)
{
    uint64_t v;
    const char *dash = strchr(tag, '-');
    for (const char *p = tag; dash && p < dash;) { /* compressed sets: "cp39.cp310-…" */
        size_t n = strcspn(p, ".-");
        if (n >= 3 && !memcmp(p, "py3", 3))
            return true;
        if (n > 3 && !memcmp(p, "cp3", 3) && !str_to_u64(p + 3, n - 3, 10, &v) && py->major == 3 &&
            (v == py->minor || (strstr(dash, "-abi3-") && v <= py->minor)))
            return true;
        p += n + (p[n] == '.');
        if (*p == '-')
            break;
    }
    return false;
}

static void report_python(struct judge *g, const char *subject, const char *want, unsigned tags, const char *fact, const char *path)
{
    const struct facts *f = g->f;
    struct finding *x = judge_find(g, CAUSE_PYTHON_VERSION_UNSUPPORTED, subject);
    const struct tf_python *p = pydata_newest_tf_python();
    py_bind_env(g, x);
    judge_bind(g, x, "have", "%s", f->python.version);
    judge_bind(g, x, "want", "%s", want);
    judge_bind(g, x, "suggest", "3.%u", p->suggest);
    x->tags |= tags;
    judge_evidence(g, x, "python.version", f->python.exe, "%s", f->python.version);
    judge_evidence(g, x, fact, path, "%s", want);
}

static const char *tag_list(struct judge *g)
{
    const char *all = NULL;
    for (size_t i = 0; i < g->f->tensorflow.n_wheel_tags; i++)
        all = all ? arena_printf(g->a, "%s, %s", all, g->f->tensorflow.wheel_tags[i]) : g->f->tensorflow.wheel_tags[i];
    return all;
}

void py_rule_python_version(struct judge *g)
{
    const struct facts *f = g->f;
    const struct fact_tensorflow *t = &f->tensorflow;
    if (!py_runs(f) || !f->python.version || !f->python.major)
        return;
    if (t->state == FACT_ABSENT && !t->dist && !elsewhere(f)) { /* nothing installed yet: would pip find a wheel? */
        const struct tf_python *p = pydata_newest_tf_python();
        if (f->python.major != 3 || f->python.minor < p->min || f->python.minor > p->max)
            report_python(g, arena_printf(g->a, "TensorFlow %s", p->release), arena_printf(g->a, "3.%u-3.%u", p->min, p->max), FIX_A, "knowledge", NULL);
        return;
    }
    if (!py_has_tf(f))
        return;
    bool tag = t->n_wheel_tags == 0;
    for (size_t i = 0; i < t->n_wheel_tags; i++)
        tag |= tag_fits(t->wheel_tags[i], &f->python);
    struct str have = {f->python.version, strlen(f->python.version)};
    if (!tag)
        report_python(g, t->dist, tag_list(g), FIX_B, "tensorflow.wheel_tags", t->info);
    else if (t->requires_python && pep440_match(have, (struct str){t->requires_python, strlen(t->requires_python)}) == TRI_NO)
        report_python(g, t->dist, t->requires_python, FIX_A, "tensorflow.requires_python", t->info);
}
