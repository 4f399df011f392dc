/* SPDX-License-Identifier: Apache-2.0 */
/* python_abi - rules of layer 3: what compiled code asks of the processor, the C and C++ library, NumPy and protobuf. Pure. */
#include <string.h>
#include "base/i18n.h"
#include "formats/pep440.h"
#include "rules/python_rules.h"

void py_rule_avx(struct judge *g)
{
    const struct facts *f = g->f;
    const struct fact_cpu *c = &f->machine.cpu;
    if (!py_has_tf(f) || (f->machine.arch && !str_eq(f->machine.arch, "x86_64")))
        return;
    if (c->has_avx == TRI_UNKNOWN)
        judge_unknown(g, 3, _("the processor's features are not known"));
    if (c->has_avx != TRI_NO)
        return;
    struct finding *x = judge_find(g, CAUSE_CPU_LACKS_AVX, "AVX");
    py_bind_env(g, x);
    x->dies = "SIGILL";
    if (f->tensorflow.n_wheel_tags == 0) {
        x->severity = SEV_DEGRADED;
        x->prevents = PREVENTS_NOTHING;
        x->dies = NULL;
        x->unproved = _("this TensorFlow is not a wheel of PyPI: whether it was compiled with AVX is not known");
    }
    judge_evidence(g, x, "machine.cpu.has_avx", "/proc/cpuinfo", "%s", c->model ? c->model : _("no flag avx"));
}

/* The version that a loader's message misses: "…: version `GLIBC_2.99' not found (required by …)". NULL when it is another message. */
static const char *missing_version(struct judge *g, const char *message, const char *prefix)
{
    const char *at = message ? strstr(message, "version `") : NULL;
    if (!at || !str_starts(at + 9, prefix) || !strstr(at, "not found"))
        return NULL;
    return arena_strndup(g->a, at + 9, strcspn(at + 9, "'"));
}

static const char *required_by(struct judge *g, const char *message)
{
    const char *at = message ? strstr(message, "(required by ") : NULL;
    return at ? arena_strndup(g->a, at + 13, strcspn(at + 13, ")")) : NULL;
}

static struct finding *report_libc(struct judge *g, const char *want, const char *who)
{
    const struct fact_abi *abi = &g->f->tensorflow.abi;
    struct finding *x = judge_find(g, CAUSE_GLIBC_TOO_OLD, "libc.so.6");
    py_bind_env(g, x);
    judge_bind(g, x, "have", "%s", abi->glibc_have ? abi->glibc_have : "?");
    judge_bind(g, x, "want", "%s", want);
    judge_bind(g, x, "who", "%s", who ? path_base(who) : "TensorFlow");
    judge_evidence(g, x, "tensorflow.abi.glibc_need", who, "%s", want);
    judge_evidence(g, x, "tensorflow.abi.glibc_have", abi->libc_path, "%s", abi->glibc_have ? abi->glibc_have : "?");
    return x;
}

void py_rule_glibc(struct judge *g)
{
    const struct fact_tensorflow *t = &g->f->tensorflow;
    if (!py_has_tf(g->f))
        return;
    for (size_t i = 0; i < t->n_modules; i++) {
        const char *want = missing_version(g, t->modules[i].message, "GLIBC_");
        if (want) {
            const char *who = required_by(g, t->modules[i].message);
            (void)report_libc(g, want, who ? who : t->modules[i].path);
            return;
        }
    }
    if (t->abi.glibc_need && t->abi.glibc_have && ver_cmp(t->abi.glibc_need, t->abi.glibc_have) > 0) {
        (void)report_libc(g, arena_printf(g->a, "GLIBC_%s", t->abi.glibc_need), t->framework);
        return;
    }
    for (size_t i = 0; i < g->f->n_libraries; i++) { /* a CUDA library that is newer than the system: the import goes well */
        const struct fact_library *l = &g->f->libraries[i];
        const char *want = l->mandatory ? missing_version(g, l->message, "GLIBC_") : NULL;
        if (!want)
            continue;
        const char *who = required_by(g, l->message);
        report_libc(g, want, who ? who : l->soname)->prevents = PREVENTS_GPUS;
        return;
    }
}

static void report_libstdcxx(struct judge *g, const char *want, const char *who, const char *path)
{
    const struct facts *f = g->f;
    const struct fact_abi *abi = &f->tensorflow.abi;
    bool cxxabi = str_starts(want, "CXXABI_");
    const char *have = cxxabi ? abi->cxxabi_have : abi->glibcxx_have;
    path = abi->libstdcxx ? abi->libstdcxx : path ? path : "libstdc++.so.6";
    struct finding *x = judge_find(g, CAUSE_LIBSTDCXX_TOO_OLD, "libstdc++.so.6");
    bool conda = f->python.kind == FACT_ENV_KIND_CONDA && f->python.prefix && str_starts(path, f->python.prefix);
    x->tags |= conda ? FIX_A : f->ld_library_path && strstr(f->ld_library_path, path_dir(g->a, path)) ? FIX_B : FIX_C;
    py_bind_env(g, x);
    judge_bind(g, x, "want", "%s", want);
    judge_bind(g, x, "have", "%s%s", have ? cxxabi ? "CXXABI_" : "GLIBCXX_" : "", have ? have : _("an older version"));
    judge_bind(g, x, "who", "%s", who ? path_base(who) : "TensorFlow");
    judge_bind(g, x, "path", "%s", path);
    judge_evidence(g, x, "tensorflow.abi.glibcxx_need", who, "%s", want);
    judge_evidence(g, x, "tensorflow.abi.libstdcxx", path, "%s", have ? have : "?");
}

void py_rule_libstdcxx(struct judge *g)
{
    const struct fact_tensorflow *t = &g->f->tensorflow;
    if (!py_has_tf(g->f))
        return;
    for (size_t i = 0; i < t->n_modules; i++) {
        const char *m = t->modules[i].message, *want = missing_version(g, m, "GLIBCXX_");
        want = want ? want : missing_version(g, m, "CXXABI_");
        if (want) {
            const char *who = required_by(g, m);
            report_libstdcxx(g, want, who ? who : t->modules[i].path, t->modules[i].culprit_file);
            return;
        }
    }
    const struct fact_abi *a = &t->abi;
    if (a->glibcxx_need && a->glibcxx_have && ver_cmp(a->glibcxx_need, a->glibcxx_have) > 0)
        report_libstdcxx(g, arena_printf(g->a, "GLIBCXX_%s", a->glibcxx_need), t->framework, NULL);
    else if (a->cxxabi_need && a->cxxabi_have && ver_cmp(a->cxxabi_need, a->cxxabi_have) > 0)
        report_libstdcxx(g, arena_printf(g->a, "CXXABI_%s", a->cxxabi_need), t->framework, NULL);
}

/* ---- NumPy and protobuf ---- */

/* The specifiers to install with: TensorFlow's own, and `cap` where they let `version` in. */
static const char *spec_with_cap(struct judge *g, const struct fact_requirement *r, const char *version, const char *cap)
{
    const char *spec = r && r->spec ? r->spec : "";
    if (pep440_match((struct str){version, strlen(version)}, (struct str){spec, strlen(spec)}) == TRI_NO)
        return spec;
    return *spec ? arena_printf(g->a, "%s,%s", spec, cap) : cap;
}

static struct finding *report_package(struct judge *g, enum cause_id id, const struct fact_package *k, const char *want, const char *spec, const char *who)
{
    struct finding *x = judge_find(g, id, k->name);
    py_bind_env(g, x);
    judge_bind(g, x, "have", "%s", k->version);
    judge_bind(g, x, "want", "%s", want);
    judge_bind(g, x, "spec", "%s", spec);
    judge_bind(g, x, "who", "%s", who);
    judge_evidence(g, x, "packages.version", k->info, "%s %s", k->name, k->version);
    return x;
}

static void show_requirement(struct judge *g, struct finding *x, const struct fact_requirement *r)
{
    if (r)
        judge_evidence(g, x, "tensorflow.requirements", r->by ? NULL : g->f->tensorflow.info, "%s%s", r->name, r->spec);
}

static bool is_numpy2(const struct facts *f)
{
    const struct fact_package *k = py_package(f, "numpy");
    return k && k->version && py_version_cmp(k->version, "2.0.0.dev0") >= 0;
}

bool py_numpy2_breaks(const struct facts *f)
{
    if (!is_numpy2(f))
        return false;
    if (f->tensorflow.py_abi.numpy_api)
        return f->tensorflow.py_abi.numpy_api == 1;
    const struct fact_requirement *r = py_requirement(f, "numpy"); /* the files do not show it: the metadata excludes NumPy 2 */
    return py_unmet_side(r) > 0 && pep440_match((struct str){"2.0.0", 5}, (struct str){r->spec, strlen(r->spec)}) == TRI_NO;
}

/* TensorFlow can work with this NumPy, a package that it imports cannot. */
static void report_numpy_user(struct judge *g, const struct fact_package *k)
{
    const struct fact_py_abi *abi = &g->f->tensorflow.py_abi;
    if (!abi->numpy_user)
        return;
    const struct fact_package *user = py_package(g->f, abi->numpy_user);
    const struct fact_requirement *r = py_requirement(g->f, abi->numpy_user);
    const char *who = arena_printf(g->a, "%s %s", abi->numpy_user, user && user->version ? user->version : "");
    struct finding *x = report_package(g, CAUSE_NUMPY2_ABI, k, "1", r ? r->spec : "", who);
    judge_bind(g, x, "package", "%s", abi->numpy_user);
    judge_evidence(g, x, "tensorflow.py_abi.numpy_user", abi->numpy_user_file, _("made for the C API of NumPy 1"));
    show_requirement(g, x, r);
    x->tags |= FIX_B;
}

void py_rule_numpy2(struct judge *g)
{
    const struct facts *f = g->f;
    const struct fact_package *k = py_package(f, "numpy");
    const struct fact_py_abi *abi = &f->tensorflow.py_abi;
    if (!py_has_tf(f) || !is_numpy2(f))
        return;
    if (!py_numpy2_breaks(f)) {
        report_numpy_user(g, k);
        return;
    }
    const struct fact_requirement *r = py_requirement(f, "numpy");
    struct finding *x = report_package(g, CAUSE_NUMPY2_ABI, k, "1", spec_with_cap(g, r, "2.0.0", "<2"), _("this TensorFlow"));
    judge_bind(g, x, "package", "numpy");
    x->tags |= FIX_A;
    if (abi->numpy_api)
        judge_evidence(g, x, "tensorflow.py_abi.numpy_api", abi->numpy_file, _("made for the C API of NumPy 1"));
    show_requirement(g, x, r);
}

/* First two parts of the version that follows ">=" in the specifiers, as "1.26"; NULL when there is none. */
static const char *lower_series(struct judge *g, const char *spec)
{
    const char *at = spec ? strstr(spec, ">=") : NULL;
    if (!at)
        return NULL;
    at += 2 + strspn(at + 2, " ");
    size_t n = strcspn(at, ".,");
    if (at[n] == '.')
        n += 1 + strcspn(at + n + 1, ".,");
    return arena_strndup(g->a, at, n);
}

/* An extension module of a package that the import needs, made for a later series, was seen to fail; else NumPy is only outside of
 * what was tested. */
static bool numpy_breaks(struct judge *g, const struct fact_requirement *r, const char *version)
{
    const char *series = lower_series(g, r->spec);
    return r->by && !(series && py_version_cmp(version, series) >= 0);
}

void py_rule_numpy_old(struct judge *g)
{
    const struct facts *f = g->f;
    const struct fact_package *k = py_package(f, "numpy");
    const struct fact_requirement *worst = NULL;
    if (!py_has_tf(f) || !k || !k->version)
        return;
    for (size_t i = 0; i < f->tensorflow.n_requirements; i++) {
        const struct fact_requirement *r = &f->tensorflow.requirements[i];
        if (str_eq(r->name, "numpy") && !r->extra && py_unmet_side(r) < 0 && (!worst || numpy_breaks(g, r, k->version)))
            worst = r;
    }
    if (!worst)
        return;
    struct finding *x = report_package(g, CAUSE_NUMPY_TOO_OLD, k, worst->spec, worst->spec, worst->by ? worst->by : f->tensorflow.dist);
    show_requirement(g, x, worst);
    if (!numpy_breaks(g, worst, k->version)) {
        x->severity = SEV_DEGRADED;
        x->prevents = PREVENTS_NOTHING;
        x->unproved = _("whether the import fails with it was not determined");
    }
}

void py_rule_protobuf_old(struct judge *g)
{
    const struct facts *f = g->f;
    const struct fact_package *k = py_package(f, "protobuf");
    const struct fact_py_abi *abi = &f->tensorflow.py_abi;
    if (!py_has_tf(f) || !k || !k->version)
        return;
    const char *least = abi->protobuf_style == FACT_PROTOBUF_STYLE_VERSIONED ? abi->protobuf_gencode : abi->protobuf_builder ? "3.20" : NULL;
    const struct fact_requirement *r = py_requirement(f, "protobuf");
    const char *have = abi->protobuf_runtime && abi->protobuf_style == FACT_PROTOBUF_STYLE_VERSIONED ? abi->protobuf_runtime : k->version;
    if (least && py_version_cmp(have, least) < 0) {
        const char *spec = r && *r->spec ? arena_printf(g->a, "%s,>=%s", r->spec, least) : arena_printf(g->a, ">=%s", least);
        struct finding *x = report_package(g, CAUSE_PROTOBUF_TOO_OLD, k, arena_printf(g->a, ">=%s", least), spec, f->tensorflow.dist);
        judge_evidence(g, x, "tensorflow.py_abi.protobuf_gencode", abi->protobuf_file, "%s", least);
    } else if (py_unmet_side(r) < 0) {
        struct finding *x = report_package(g, CAUSE_PROTOBUF_TOO_OLD, k, r->spec, r->spec, f->tensorflow.dist);
        show_requirement(g, x, r);
        x->severity = SEV_DEGRADED;
        x->prevents = PREVENTS_NOTHING;
        x->unproved = _("whether the import fails with it was not determined");
    }
}

void py_rule_protobuf_new(struct judge *g)
{
    const struct facts *f = g->f;
    const struct fact_package *k = py_package(f, "protobuf");
    const struct fact_py_abi *abi = &f->tensorflow.py_abi;
    if (!py_has_tf(f) || !k || !k->version)
        return;
    const struct fact_requirement *r = py_requirement(f, "protobuf");
    bool refused = abi->protobuf_style == FACT_PROTOBUF_STYLE_DESCRIPTORS && py_version_cmp(k->version, "4.dev0") >= 0;
    if (!refused && py_unmet_side(r) <= 0)
        return;
    struct finding *x = report_package(g, CAUSE_PROTOBUF_TOO_NEW, k, refused ? "<4" : r->spec, spec_with_cap(g, r, "4.21.0", refused ? "<4" : r->spec), f->tensorflow.dist);
    if (refused)
        judge_evidence(g, x, "tensorflow.py_abi.protobuf_style", abi->protobuf_file, "%s", fact_protobuf_style_id(abi->protobuf_style));
    show_requirement(g, x, r);
    if (!refused) { /* tried: errors are printed where functions are gone, and the import goes on */
        x->severity = abi->protobuf_style == FACT_PROTOBUF_STYLE_BUILDER ? SEV_DEGRADED : SEV_NOTE;
        x->prevents = PREVENTS_NOTHING;
    }
}

/* Which implementation a value means: protobuf before 4 takes all but "python" for "cpp"; since then an unknown word ends the import, and
 * "upb" falls back where its file is not there. */
void py_rule_protobuf_choice(struct judge *g)
{
    const struct facts *f = g->f;
    const struct fact_package *k = py_package(f, "protobuf");
    const struct fact_py_abi *abi = &f->tensorflow.py_abi;
    if (!py_has_tf(f) || !k || !k->version || !abi->protobuf_asked || str_eq(abi->protobuf_asked, "python"))
        return;
    bool old = py_version_cmp(k->version, "4.dev0") < 0;
    bool is_word = old || str_eq(abi->protobuf_asked, "cpp") || str_eq(abi->protobuf_asked, "upb");
    if (is_word && (abi->protobuf_cpp || (!old && str_eq(abi->protobuf_asked, "upb"))))
        return;
    struct finding *x = judge_find(g, CAUSE_PROTOBUF_IMPLEMENTATION_MISSING, "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION");
    py_bind_env(g, x);
    judge_bind(g, x, "value", "%s", abi->protobuf_asked);
    judge_bind(g, x, "have", "%s", k->version);
    x->tags |= is_word ? FIX_A : FIX_B;
    judge_evidence(g, x, "tensorflow.py_abi.protobuf_asked", NULL, "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=%s", abi->protobuf_asked);
    if (is_word)
        judge_evidence(g, x, "tensorflow.py_abi.protobuf_cpp", k->dir, _("no google/protobuf/pyext/_message*.so"));
}

void py_rule_docstrings(struct judge *g)
{
    const struct fact_py_abi *abi = &g->f->tensorflow.py_abi;
    if (!py_has_tf(g->f) || !abi->docstring_user)
        return;
    struct finding *x = judge_find(g, CAUSE_PYTHON_DROPS_DOCSTRINGS, "PYTHONOPTIMIZE");
    py_bind_env(g, x);
    judge_bind(g, x, "path", "%s", abi->docstring_user);
    judge_evidence(g, x, "tensorflow.py_abi.docstring_user", abi->docstring_user, "%s", _("searches a docstring, and does not ask whether there is one"));
}
