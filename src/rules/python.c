/* SPDX-License-Identifier: Apache-2.0 */
/* python - rules of layer 3: the interpreter, packages and binary interfaces. */
#include "rules/judge.h"

/* In causal order. The first entry keeps the array from being empty. */
const struct rule rules_python[] = {
    {0},
};
const size_t n_rules_python = 0; /* TG_COUNT(rules_python) once there are rules */
