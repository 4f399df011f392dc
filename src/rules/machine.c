/* SPDX-License-Identifier: Apache-2.0 */
/* machine - rules of layer 1: the machine, its GPUs and the NVIDIA driver's files. */
#include "rules/judge.h"

/* In causal order. The first entry keeps the array from being empty. */
const struct rule rules_machine[] = {
    {0},
};
const size_t n_rules_machine = 0; /* TG_COUNT(rules_machine) once there are rules */
