/* SPDX-License-Identifier: Apache-2.0 */
/* python_rules - the rules of layer 3 by subject, and what they share. Their order is the table's in python.c. */
#ifndef TG_RULES_PYTHON_RULES_H
#define TG_RULES_PYTHON_RULES_H
#include "rules/judge.h"

/* python_env.c: the interpreter, whether TensorFlow is there */
void py_rule_python_missing(struct judge *g);
void py_rule_env_broken(struct judge *g);
void py_rule_variable_refused(struct judge *g);
void py_rule_startup_ends(struct judge *g);
void py_rule_arch(struct judge *g);
void py_rule_tf_not_installed(struct judge *g);
void py_rule_tf_files_missing(struct judge *g);
void py_rule_tf_gpu_removed(struct judge *g);
void py_rule_python_version(struct judge *g);
/* python_abi.c: processor, C and C++ library, NumPy, protobuf */
void py_rule_avx(struct judge *g);
void py_rule_glibc(struct judge *g);
void py_rule_libstdcxx(struct judge *g);
void py_rule_numpy2(struct judge *g);
void py_rule_numpy_old(struct judge *g);
void py_rule_protobuf_new(struct judge *g);
void py_rule_protobuf_old(struct judge *g);
void py_rule_protobuf_choice(struct judge *g);
void py_rule_docstrings(struct judge *g);
/* python_install.c: what is installed and in which state */
void py_rule_shadowed(struct judge *g);
void py_rule_user_site(struct judge *g);
void py_rule_damaged(struct judge *g);
void py_rule_modified(struct judge *g);
void py_rule_requirement_missing(struct judge *g);
void py_rule_requirement_unmet(struct judge *g);
void py_rule_cpu_only(struct judge *g);
void py_rule_overlap(struct judge *g);
/* python_keras.c: settings of Keras */
void py_rule_keras_config(struct judge *g);
/* python_unloadable.c: the last of the layer */
void py_rule_unloadable(struct judge *g);
/* python_shell.c: what plain commands and notebooks run */
void py_rule_shell(struct judge *g);
void py_rule_kernel_env(struct judge *g);
void py_rule_kernel_vars(struct judge *g);

/* There is an interpreter that can start. */
bool py_runs(const struct facts *f);
/* There is a TensorFlow that it would import. */
bool py_has_tf(const struct facts *f);
/* The distribution of this name that is imported, or NULL. */
const struct fact_package *py_package(const struct facts *f, const char *name);
/* TensorFlow's own requirement of this name that an installed version does not meet (or any, with met other than NO), or NULL. */
const struct fact_requirement *py_requirement(const struct facts *f, const char *name);
/* On which side does the installed version leave the requirement? -1 too old, 1 too new, 0 neither (met, unknown, excluded). */
int py_unmet_side(const struct fact_requirement *r);
/* -1, 0, 1 by PEP 440; 0 also when one of them is no version. */
int py_version_cmp(const char *a, const char *b);
/* The NumPy that is installed is 2 or later, and TensorFlow was made for NumPy 1. */
bool py_numpy2_breaks(const struct facts *f);
/* Bind python, prefix, dist, version. */
void py_bind_env(struct judge *g, struct finding *x);
#endif
