/* SPDX-License-Identifier: Apache-2.0 */
/* python - rules of layer 3: their table and what they share. */
#include <string.h>
#include "base/i18n.h"
#include "formats/pep440.h"
#include "rules/python_rules.h"

bool py_runs(const struct facts *f)
{
    return f->python.exe && f->python.state == FACT_PRESENT;
}

bool py_has_tf(const struct facts *f)
{
    return py_runs(f) && f->tensorflow.state == FACT_PRESENT;
}

const struct fact_package *py_package(const struct facts *f, const char *name)
{
    for (size_t i = 0; i < f->n_packages; i++)
        if (str_eq(f->packages[i].name, name) && !f->packages[i].shadowed_by)
            return &f->packages[i];
    return NULL;
}

const struct fact_requirement *py_requirement(const struct facts *f, const char *name)
{
    const struct fact_requirement *any = NULL;
    for (size_t i = 0; i < f->tensorflow.n_requirements; i++) {
        const struct fact_requirement *r = &f->tensorflow.requirements[i];
        if (!str_eq(r->name, name) || r->by)
            continue;
        if (r->met == TRI_NO && r->installed)
            return r;
        any = any ? any : r;
    }
    return any;
}

int py_unmet_side(const struct fact_requirement *r)
{
    if (!r || r->met != TRI_NO || !r->installed)
        return 0;
    struct str s = pep440_first_unmet((struct str){r->installed, strlen(r->installed)}, (struct str){r->spec, strlen(r->spec)});
    if (!s.n || *s.p == '!')
        return 0;
    if (*s.p == '<')
        return 1;
    if (*s.p == '>')
        return -1;
    size_t op = strspn(s.p, "~=");
    struct pep440 have, want;
    if (op >= s.n || pep440_parse(r->installed, strlen(r->installed), &have) || pep440_parse(s.p + op, s.n - op, &want))
        return 0;
    return pep440_cmp(&have, &want) < 0 ? -1 : 1;
}

int py_version_cmp(const char *a, const char *b)
{
    struct pep440 v, w;
    if (!a || !b || pep440_parse(a, strlen(a), &v) || pep440_parse(b, strlen(b), &w))
        return 0;
    return pep440_cmp(&v, &w);
}

void py_bind_env(struct judge *g, struct finding *x)
{
    const struct facts *f = g->f;
    judge_bind(g, x, "python", "%s", f->python.exe ? f->python.exe : "python3");
    judge_bind(g, x, "prefix", "%s", f->python.prefix ? f->python.prefix : f->python.exe ? f->python.exe : "python3");
    judge_bind(g, x, "dist", "%s", f->tensorflow.dist ? f->tensorflow.dist : "tensorflow");
    judge_bind(g, x, "version", "%s", f->tensorflow.version ? f->tensorflow.version : f->python.version ? f->python.version : "?");
}

/* In causal order: an interpreter, TensorFlow in it, its files whole, a processor and libraries that can run it, packages that fit. */
const struct rule rules_python[] = {
    {CAUSE_PYTHON_MISSING, py_rule_python_missing},
    {CAUSE_PYTHON_ENV_BROKEN, py_rule_env_broken},
    {CAUSE_PYTHON_VARIABLE_REFUSED, py_rule_variable_refused},
    {CAUSE_PYTHON_STARTUP_ENDS, py_rule_startup_ends},
    {CAUSE_PYTHON_ARCH_UNSUPPORTED, py_rule_arch},
    {CAUSE_TENSORFLOW_GPU_REMOVED, py_rule_tf_gpu_removed},
    {CAUSE_TF_FILES_MISSING, py_rule_tf_files_missing},
    {CAUSE_PYTHON_VERSION_UNSUPPORTED, py_rule_python_version},
    {CAUSE_TF_NOT_INSTALLED, py_rule_tf_not_installed},
    {CAUSE_MODULE_SHADOWED, py_rule_shadowed},
    {CAUSE_INSTALL_DAMAGED, py_rule_damaged},
    {CAUSE_REQUIREMENT_MISSING, py_rule_requirement_missing},
    {CAUSE_NUMPY2_ABI, py_rule_numpy2},
    {CAUSE_NUMPY_TOO_OLD, py_rule_numpy_old},
    {CAUSE_GLIBC_TOO_OLD, py_rule_glibc},
    {CAUSE_LIBSTDCXX_TOO_OLD, py_rule_libstdcxx},
    {CAUSE_CPU_LACKS_AVX, py_rule_avx},
    {CAUSE_PROTOBUF_TOO_OLD, py_rule_protobuf_old},
    {CAUSE_PROTOBUF_TOO_NEW, py_rule_protobuf_new},
    {CAUSE_PROTOBUF_IMPLEMENTATION_MISSING, py_rule_protobuf_choice},
    {CAUSE_KERAS_CONFIG_INVALID, py_rule_keras_config},
    {CAUSE_PYTHON_DROPS_DOCSTRINGS, py_rule_docstrings},
    {CAUSE_CPU_ONLY_BUILD, py_rule_cpu_only},
    {CAUSE_REQUIREMENT_UNMET, py_rule_requirement_unmet},
    {CAUSE_TF_DISTS_OVERLAP, py_rule_overlap},
    {CAUSE_INSTALL_MODIFIED, py_rule_modified},
    {CAUSE_USER_SITE_SHADOWING, py_rule_user_site},
    {CAUSE_SHELL_PYTHON_NOT_ENV, py_rule_shell},
    {CAUSE_JUPYTER_WRONG_KERNEL_ENV, py_rule_kernel_env},
    {CAUSE_JUPYTER_KERNEL_MISSING_ENV_VARS, py_rule_kernel_vars},
    {CAUSE_IMPORT_LIB_UNLOADABLE, py_rule_unloadable}, /* last: only when no other rule of the layer explains it */
};
const size_t n_rules_python = TG_COUNT(rules_python);
