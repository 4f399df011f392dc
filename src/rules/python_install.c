/* SPDX-License-Identifier: Apache-2.0 */
/* python_install - rules of layer 3: whether what is installed is whole, the right build, and the copy that is imported. Pure. */
#include <string.h>
#include "base/i18n.h"
#include "base/shellwords.h"
#include "knowledge/pydata.h"
#include "rules/python_rules.h"

static bool from_user_site(const struct fact_shadow *s)
{
    return str_eq(s->origin, "user-site");
}

static void bind_shadow(struct judge *g, struct finding *x, const struct fact_shadow *s)
{
    py_bind_env(g, x);
    judge_bind(g, x, "module", "%s", s->module);
    judge_bind(g, x, "path", "%s", s->path);
    judge_bind(g, x, "folder", "%s", s->dir ? s->dir : path_dir(g->a, s->path));
    judge_bind(g, x, "origin", "%s", s->origin);
    const struct imported_module *m = pydata_module(s->module, strlen(s->module));
    judge_bind(g, x, "expected", "%s", s->expected ? s->expected : m && m->stdlib ? _("the standard library") : _("an installed package"));
    judge_evidence(g, x, "tensorflow.shadows", s->path, "%s (%s)", s->module, s->origin);
}

/* Code in a .pth file that nobody can follow counts where it may put a folder before the one that TensorFlow is in. */
static void doubt_sys_path(struct judge *g)
{
    const struct fact_python *py = &g->f->python;
    const char *package = g->f->tensorflow.package_dir, *site = package ? path_dir(g->a, package) : NULL;
    size_t i = 0;
    while (i < py->n_sys_path && !str_eq(py->sys_path[i].dir, site))
        i++;
    if (py->pth_unknown && site && py->pth_unknown_from <= i)
        judge_unknown(g, 3, _("%s is code that may change what the import finds; it is not run here"), py->pth_unknown);
    if (g->f->tensorflow.unclear_archive)
        judge_unknown(g, 3, _("%s is an archive that the import looks into, and that is not plain enough to tell what it holds"), g->f->tensorflow.unclear_archive);
}

/* Whoever can do without a module takes an ImportError, and nothing else. */
static bool stops_import(const struct fact_shadow *s, const struct imported_module *m)
{
    bool import_error = str_eq(s->raises, "ImportError") || str_eq(s->raises, "ModuleNotFoundError");
    return !m || m->breaks || str_eq(s->module, "tensorflow") || (s->raises && !m->survives && !m->may_survive && (m->required || !import_error));
}

void py_rule_shadowed(struct judge *g)
{
    const struct facts *f = g->f;
    if (!py_runs(f))
        return;
    doubt_sys_path(g);
    for (size_t i = 0; i < f->tensorflow.n_shadows; i++) {
        const struct fact_shadow *s = &f->tensorflow.shadows[i];
        if (from_user_site(s))
            continue;
        struct finding *x = judge_find(g, CAUSE_MODULE_SHADOWED, s->module);
        x->tags |= str_eq(s->origin, "script-dir") ? FIX_A : str_eq(s->origin, "PYTHONPATH") ? FIX_B : FIX_C;
        bind_shadow(g, x, s);
        const struct imported_module *m = pydata_module(s->module, strlen(s->module));
        if (s->raises)
            judge_evidence(g, x, "tensorflow.shadows", s->path, _("its code raises %s"), s->raises);
        if (s->raises && m && m->may_survive)
            judge_unknown(g, 3, _("whether the import goes on with %s shows only when it is tried: tfgpu check --prove"), s->path);
        if (!stops_import(s, m)) {
            x->severity = SEV_DEGRADED;
            x->prevents = PREVENTS_NOTHING;
            x->unproved = _("the import itself goes on with an unrelated module of this name; what uses it later fails");
        }
    }
}

void py_rule_user_site(struct judge *g)
{
    const struct facts *f = g->f;
    for (size_t i = 0; py_runs(f) && i < f->tensorflow.n_shadows; i++) {
        const struct fact_shadow *s = &f->tensorflow.shadows[i];
        if (!from_user_site(s))
            continue;
        const struct imported_module *m = pydata_module(s->module, strlen(s->module));
        const char *dist = m && m->dist ? m->dist : s->module;
        const struct fact_package *k = py_package(f, dist);
        struct finding *x = judge_find(g, CAUSE_USER_SITE_SHADOWING, s->module);
        bind_shadow(g, x, s);
        judge_bind(g, x, "package", "%s", dist);
        judge_bind(g, x, "have", "%s %s", dist, k && k->version ? k->version : "?");
    }
}

static const char *how_text(enum fact_tamper how)
{
    switch (how) {
    case FACT_TAMPER_MISSING: return _("is missing");
    case FACT_TAMPER_SIZE: return _("has another size than when it was installed");
    case FACT_TAMPER_HASH: return _("has other contents than when it was installed");
    case FACT_TAMPER_EMPTY: return _("is empty");
    case FACT_TAMPER_CUT: return _("is cut off");
    case FACT_TAMPER_UNREADABLE: return _("cannot be read");
    }
    return "";
}

/* Damage as opposed to an edit: what is left cannot be what the package put there, or nothing that can be imported. */
static bool is_damage(const struct fact_tampered *d)
{
    return (d->how != FACT_TAMPER_SIZE && d->how != FACT_TAMPER_HASH) || d->py_fault != FACT_PY_FAULT_NONE;
}

static const char *fault_text(struct judge *g, const struct fact_tampered *d)
{
    switch (d->py_fault) {
    case FACT_PY_FAULT_NONE:
    case FACT_PY_FAULT_NO_FILE:
    case FACT_PY_FAULT_UNREADABLE: return NULL;
    case FACT_PY_FAULT_NUL: return arena_printf(g->a, _("line %u: a NUL byte"), d->py_line);
    case FACT_PY_FAULT_ENCODING: return arena_printf(g->a, _("line %u: bytes that are not UTF-8"), d->py_line);
    case FACT_PY_FAULT_STRING: return arena_printf(g->a, _("line %u: a string that does not end"), d->py_line);
    case FACT_PY_FAULT_BRACKET: return arena_printf(g->a, _("line %u: a bracket without its counterpart"), d->py_line);
    case FACT_PY_FAULT_INDENT: return arena_printf(g->a, _("line %u: wrong indentation"), d->py_line);
    case FACT_PY_FAULT_CHARACTER: return arena_printf(g->a, _("line %u: a character that Python does not know"), d->py_line);
    case FACT_PY_FAULT_SYNTAX: return arena_printf(g->a, _("line %u: no valid statement"), d->py_line);
    case FACT_PY_FAULT_NAME:
        return d->py_by ? arena_printf(g->a, _("it has no '%s', which %s imports from it"), d->py_name, d->py_by) : arena_printf(g->a, _("it has no '%s'"), d->py_name);
    }
    return NULL;
}

static void show_tampered(struct judge *g, struct finding *x, const struct fact_tampered *d)
{
    if (d->have_size == d->want_size || d->how == FACT_TAMPER_MISSING)
        judge_evidence(g, x, "tensorflow.tampered", d->path, "%s", how_text(d->how));
    else
        judge_evidence(g, x, "tensorflow.tampered", d->path, _("%s: %llu bytes, RECORD says %llu"), how_text(d->how),
                       (unsigned long long)d->have_size, (unsigned long long)d->want_size);
    if (fault_text(g, d))
        judge_evidence(g, x, "tensorflow.tampered", d->path, "%s", fault_text(g, d));
}

/* "numpy/__init__.py": the last part alone names no file. */
static const char *short_name(struct arena *a, const char *path)
{
    const char *base = path_base(path);
    return str_eq(base, "__init__.py") ? path_join(a, path_base(path_dir(a, path)), base) : base;
}

/* The packages whose files differ: each is to be installed again, in the version that is there. */
static void bind_owners(struct judge *g, struct finding *x, bool damage)
{
    const struct fact_tensorflow *t = &g->f->tensorflow;
    const char *specs = "", *options = "";
    for (size_t i = 0; i < t->n_tampered; i++) {
        const char *name = t->tampered[i].package;
        bool seen = is_damage(&t->tampered[i]) != damage;
        for (size_t k = 0; k < i && !seen; k++)
            seen = is_damage(&t->tampered[k]) == damage && str_eq(t->tampered[k].package, name);
        if (seen || !name)
            continue;
        const struct fact_package *k = str_eq(name, t->dist) ? NULL : py_package(g->f, name);
        const char *version = k ? k->version : str_eq(name, t->dist) ? t->version : NULL;
        const char *spec = version ? arena_printf(g->a, "\"%s==%s\"", name, version) : name;
        specs = arena_printf(g->a, "%s%s%s", specs, *specs ? " " : "", spec);
        options = arena_printf(g->a, "%s%s--reinstall-package %s", options, *options ? " " : "", name);
    }
    judge_bind(g, x, "specs_args", "%s", specs);
    judge_bind(g, x, "reinstall_args", "%s", options);
}

/* Files that the import may or may not open, or survive. */
static void doubt_import(struct judge *g)
{
    const struct fact_tensorflow *t = &g->f->tensorflow;
    const struct fact_tampered *first = NULL;
    size_t n = 0;
    for (size_t i = 0; i < t->n_tampered; i++) {
        if (!t->tampered[i].unsure || !str_eq(t->tampered[i].package, t->dist))
            continue;
        first = first ? first : &t->tampered[i];
        n++;
    }
    if (first)
        judge_unknown(g, 3, _("whether the import works with %s, which %s (such files: %zu), shows only when it is tried: tfgpu check --prove"),
                      short_name(g->a, first->path), how_text(first->how), n);
    for (size_t i = 0; i < t->n_tampered; i++) {
        const struct fact_tampered *d = &t->tampered[i];
        const struct fact_package *k = d->unsure && !d->needed && !str_eq(d->package, t->dist) ? py_package(g->f, d->package) : NULL;
        if (k) {
            judge_unknown(g, 3, _("whether `import tensorflow` loads %s of %s %s is not known"), path_base(d->path), k->name, k->version ? k->version : "?");
            return;
        }
    }
}

/* One finding for all files of a kind; the first, or the first that the import needs, is its subject. */
static void report_tampered(struct judge *g, enum cause_id id, bool damage)
{
    enum { SHOWN = 8 };
    const struct fact_tensorflow *t = &g->f->tensorflow;
    const struct fact_tampered *first = NULL;
    size_t n = 0;
    for (size_t i = 0; i < t->n_tampered; i++) {
        const struct fact_tampered *d = &t->tampered[i];
        if (is_damage(d) != damage)
            continue;
        n++;
        if (!first || (d->needed && !first->needed))
            first = d;
    }
    if (!first)
        return;
    struct finding *x = judge_find(g, id, short_name(g->a, first->path));
    py_bind_env(g, x);
    bind_owners(g, x, damage);
    judge_bind(g, x, "how", "%s", how_text(first->how));
    judge_bind(g, x, "count", "%zu", n);
    show_tampered(g, x, first);
    for (size_t i = 0, shown = 1; i < t->n_tampered && shown < SHOWN; i++)
        if (is_damage(&t->tampered[i]) == damage && &t->tampered[i] != first)
            show_tampered(g, x, &t->tampered[i]), shown++;
    if (damage && !first->needed) {
        x->severity = SEV_DEGRADED;
        x->prevents = PREVENTS_NOTHING;
    }
}

void py_rule_damaged(struct judge *g)
{
    if (!py_has_tf(g->f))
        return;
    doubt_import(g);
    report_tampered(g, CAUSE_INSTALL_DAMAGED, true);
}

void py_rule_modified(struct judge *g)
{
    if (py_has_tf(g->f))
        report_tampered(g, CAUSE_INSTALL_MODIFIED, false);
}

static bool needed_for_import(const char *dist)
{
    const struct imported_module *m = pydata_module_of(dist);
    return m && m->required;
}

/* TensorFlow's own requirements that hold here, without those that have rules of their own. */
static bool is_plain(const struct fact_requirement *r)
{
    return !r->extra && !r->by;
}

static const char *requirement_text(struct judge *g, const struct fact_requirement *r)
{
    return arena_printf(g->a, "%s%s", r->name, r->spec);
}

static void add_to(struct judge *g, const char **list, const char *sep, const char *s)
{
    *list = *list ? arena_printf(g->a, "%s%s%s", *list, sep, s) : s;
}

void py_rule_requirement_missing(struct judge *g)
{
    const struct facts *f = g->f;
    const struct fact_requirement *first = NULL;
    const char *names = NULL, *specs = NULL;
    bool broken = false;
    for (size_t i = 0; py_has_tf(f) && i < f->tensorflow.n_requirements; i++) {
        const struct fact_requirement *r = &f->tensorflow.requirements[i];
        if (!is_plain(r) || r->installed || r->met != TRI_NO)
            continue;
        bool needed = needed_for_import(r->name) && !r->importable;
        if (!first || (needed && !broken))
            first = r;
        broken |= needed;
        add_to(g, &names, ", ", requirement_text(g, r));
        add_to(g, &specs, " ", shellword_quote(g->a, requirement_text(g, r)));
    }
    if (!first)
        return;
    struct finding *x = judge_find(g, CAUSE_REQUIREMENT_MISSING, first->name);
    py_bind_env(g, x);
    judge_bind(g, x, "names", "%s", names);
    judge_bind(g, x, "specs_args", "%s", specs);
    judge_evidence(g, x, "tensorflow.requirements", f->tensorflow.info, "%s", names);
    if (!broken) {
        x->severity = SEV_NOTE;
        x->prevents = PREVENTS_NOTHING;
        x->unproved = _("the import itself goes on without it; what uses it later fails");
    }
}

/* NumPy and protobuf out of their limits are judged by what they do to the import. */
static bool has_own_rule(const struct facts *f, const struct fact_requirement *r)
{
    int side = py_unmet_side(r);
    return (str_eq(r->name, "protobuf") && side != 0) || (str_eq(r->name, "numpy") && (side < 0 || (side > 0 && py_numpy2_breaks(f))));
}

void py_rule_requirement_unmet(struct judge *g)
{
    const struct facts *f = g->f;
    const struct fact_requirement *first = NULL;
    const char *names = NULL, *specs = NULL;
    for (size_t i = 0; py_has_tf(f) && i < f->tensorflow.n_requirements; i++) {
        const struct fact_requirement *r = &f->tensorflow.requirements[i];
        if (!is_plain(r) || !r->installed || r->met != TRI_NO || has_own_rule(f, r))
            continue;
        first = first && !str_eq(r->name, f->tensorflow.py_abi.lacking_of) ? first : r;
        add_to(g, &names, ", ", arena_printf(g->a, "%s %s (%s)", r->name, r->installed, r->spec));
        add_to(g, &specs, " ", shellword_quote(g->a, requirement_text(g, r)));
    }
    if (!first)
        return;
    struct finding *x = judge_find(g, CAUSE_REQUIREMENT_UNMET, first->name);
    py_bind_env(g, x);
    judge_bind(g, x, "have", "%s", first->installed);
    judge_bind(g, x, "want", "%s", first->spec);
    judge_bind(g, x, "names", "%s", names);
    judge_bind(g, x, "specs_args", "%s", specs);
    judge_evidence(g, x, "tensorflow.requirements", f->tensorflow.info, "%s", names);
    const struct fact_py_abi *abi = &f->tensorflow.py_abi;
    if (abi->lacking) {
        judge_evidence(g, x, "tensorflow.py_abi.lacking", abi->lacking_file, _("it has no '%s', which %s takes of it"), abi->lacking, path_base(abi->lacking_file));
        x->severity = SEV_BROKEN;
        x->prevents = PREVENTS_IMPORT;
    }
}

/* The names of all distributions that own the folder, for an uninstall. */
static const char *all_dists(struct judge *g)
{
    const struct fact_tensorflow *t = &g->f->tensorflow;
    const char *all = t->dist ? t->dist : "tensorflow";
    for (size_t i = 0; i < t->n_other_dists; i++)
        all = arena_printf(g->a, "%s %s", all, arena_strndup(g->a, t->other_dists[i], strcspn(t->other_dists[i], "=")));
    return all;
}

void py_rule_cpu_only(struct judge *g)
{
    const struct facts *f = g->f;
    const struct fact_tensorflow *t = &f->tensorflow;
    if (!py_has_tf(f))
        return;
    if (t->build.state == FACT_PRESENT && t->build.is_cuda == TRI_UNKNOWN)
        judge_unknown(g, 3, _("build_info does not say whether this TensorFlow was built with CUDA"));
    if (t->build.is_cuda != TRI_NO)
        return;
    struct finding *x = judge_find(g, CAUSE_CPU_ONLY_BUILD, t->dist ? t->dist : "tensorflow");
    py_bind_env(g, x);
    judge_bind(g, x, "uninstall_args", "%s", all_dists(g));
    judge_bind(g, x, "arch", "%s", f->machine.arch ? f->machine.arch : "?");
    x->tags |= !f->machine.arch || str_eq(f->machine.arch, "x86_64") ? FIX_A : FIX_B;
    judge_evidence(g, x, "tensorflow.build.is_cuda", t->build.source, "is_cuda_build False%s", t->build.is_rocm == TRI_YES ? ", is_rocm_build True" : "");
}

void py_rule_overlap(struct judge *g)
{
    const struct fact_tensorflow *t = &g->f->tensorflow;
    if (!py_has_tf(g->f) || !t->n_other_dists)
        return;
    struct finding *x = judge_find(g, CAUSE_TF_DISTS_OVERLAP, t->dist);
    const char *others = NULL;
    for (size_t i = 0; i < t->n_other_dists; i++) {
        add_to(g, &others, ", ", t->other_dists[i]);
        judge_evidence(g, x, "tensorflow.other_dists", NULL, "%s", t->other_dists[i]);
    }
    py_bind_env(g, x);
    judge_bind(g, x, "others", "%s", others);
    judge_bind(g, x, "uninstall_args", "%s", all_dists(g));
}
