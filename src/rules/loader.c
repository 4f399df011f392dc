/* SPDX-License-Identifier: Apache-2.0 */
/* loader - rules of layer 4: what the dynamic loader gives. */
#include "rules/judge.h"

/* In causal order. The first entry keeps the array from being empty. */
const struct rule rules_loader[] = {
    {0},
};
const size_t n_rules_loader = 0; /* TG_COUNT(rules_loader) once there are rules */
