/* SPDX-License-Identifier: Apache-2.0 */
/* learn_text - the row of one distribution for people. */
#include <string.h>
#include "base/i18n.h"
#include "report/report.h"
#include "report/text_util.h"

enum { LABEL_COL = 24 };

static void line(const struct report *r, struct buf *out, const char *label, const char *text)
{
    if (text && *text)
        labelled(r, out, 2, label, LABEL_COL, text);
}

/* "a, b": NULL stays out. */
static const char *join(struct arena *a, const char *list, const char *sep, const char *more)
{
    return !more || !*more ? list : list && *list ? arena_printf(a, "%s%s%s", list, sep, more) : more;
}

static const char *texts(struct arena *a, const char *const *v, size_t n, const char *sep)
{
    const char *s = NULL;
    for (size_t i = 0; i < n; i++)
        s = join(a, s, sep, v[i]);
    return s;
}

static const char *numbers(struct arena *a, const char *prefix, const uint32_t *v, size_t n, const char *suffix)
{
    const char *s = NULL;
    for (size_t i = 0; i < n; i++)
        s = join(a, s, " ", arena_printf(a, "%s%u%s", prefix, v[i], suffix));
    return s;
}

static void built_for(const struct report *r, const struct fact_wheel *w, struct buf *out)
{
    const char *s = w->cuda ? arena_printf(r->a, "CUDA %s", w->cuda) : NULL;
    s = join(r->a, s, ", ", w->cudnn ? arena_printf(r->a, "cuDNN %s", w->cudnn) : NULL);
    if (w->cudnn_compiled)
        s = join(r->a, s, " ", arena_printf(r->a, _("(compiled with %s)"), w->cudnn_compiled));
    if (!s && w->build.is_cuda == TRI_NO)
        s = w->build.is_rocm == TRI_YES ? "ROCm" : _("the CPU only");
    line(r, out, _("built for"), s);
}

static void gpu_code(const struct report *r, const struct fact_wheel *w, struct buf *out)
{
    const char *s = numbers(r->a, "sm_", w->sass, w->n_sass, "");
    s = join(r->a, s, " ", numbers(r->a, "sm_", w->sass_exact, w->n_sass_exact, "a"));
    const char *ptx = numbers(r->a, "compute_", w->ptx, w->n_ptx, "");
    line(r, out, _("GPU machine code"), s);
    line(r, out, _("GPU code as PTX"), ptx && w->ptx_isa ? arena_printf(r->a, "%s (ISA %s)", ptx, w->ptx_isa) : ptx);
}

static void by_name(const struct report *r, const struct fact_wheel *w, bool mandatory, struct buf *out)
{
    const char *s = NULL;
    for (size_t i = 0; i < w->n_needs; i++)
        if (w->needs[i].mandatory == mandatory)
            s = join(r->a, s, ", ", texts(r->a, w->needs[i].sonames, w->needs[i].n_sonames, _(" or ")));
    line(r, out, mandatory ? _("opens, must be found") : _("opens, may be absent"), s);
}

static void by_loader(const struct report *r, const struct fact_wheel *w, bool mandatory, struct buf *out)
{
    const char *s = NULL;
    for (size_t i = 0; i < w->n_needed; i++)
        if (w->needed[i].mandatory == mandatory)
            s = join(r->a, s, " ", w->needed[i].soname);
    line(r, out, mandatory ? _("import needs") : _("other files need"), s);
}

/* Of TensorFlow the one that counts: its framework library opens the others. */
static void search_paths(const struct report *r, const struct fact_wheel *w, struct buf *out)
{
    for (size_t i = 0; i < w->n_libraries; i++) {
        const struct fact_wheel_library *l = &w->libraries[i];
        const char *runpath = texts(r->a, l->runpath, l->n_runpath, " "), *rpath = texts(r->a, l->rpath, l->n_rpath, " ");
        bool counts = w->kind != FACT_WHEEL_KIND_TENSORFLOW || str_ends(l->path, "/libtensorflow_framework.so.2");
        if (counts && (runpath || rpath))
            line(r, out, runpath ? "RUNPATH" : "RPATH", arena_printf(r->a, "%s: %s", l->path, runpath ? runpath : rpath));
    }
}

void report_learned(struct arena *a, const struct fact_wheel *w, const struct term *term, struct buf *out)
{
    const struct report r = {.a = a, .term = term};
    inked(&r, out, INK_BOLD, arena_printf(a, "%s %s", w->name, w->version));
    buf_addc(out, '\n');
    line(&r, out, _("file"), w->file);
    line(&r, out, "SHA-256", w->sha256);
    line(&r, out, _("framework's hash"), w->framework_sha256);
    built_for(&r, w, out);
    line(&r, out, "Python", join(a, w->requires_python, "; ", texts(a, w->tags, w->n_tags, " ")));
    line(&r, out, "glibc", w->glibc ? arena_printf(a, "GLIBC_%s", w->glibc) : NULL);
    const char *cxx = w->glibcxx ? arena_printf(a, "GLIBCXX_%s", w->glibcxx) : NULL;
    line(&r, out, "libstdc++", join(a, cxx, " ", w->cxxabi ? arena_printf(a, "CXXABI_%s", w->cxxabi) : NULL));
    if (w->other_machine)
        line(&r, out, _("not read"), arena_printf(a, i18n_nget("%u library for another processor than x86-64", "%u libraries for another processor than x86-64", w->other_machine), w->other_machine));
    line(&r, out, _("processor must have"), texts(a, w->cpu, w->n_cpu, " "));
    gpu_code(&r, w, out);
    by_name(&r, w, true, out);
    by_name(&r, w, false, out);
    line(&r, out, _("sources disagree"), w->needs_conflict);
    by_loader(&r, w, true, out);
    by_loader(&r, w, false, out);
    search_paths(&r, w, out);
    line(&r, out, _("requires"), texts(a, w->requires, w->n_requires, "\n"));
}
