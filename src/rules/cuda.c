/* SPDX-License-Identifier: Apache-2.0 */
/* cuda - rules of layer 2: the CUDA and cuDNN libraries. */
#include "rules/judge.h"

/* In causal order. The first entry keeps the array from being empty. */
const struct rule rules_cuda[] = {
    {0},
};
const size_t n_rules_cuda = 0; /* TG_COUNT(rules_cuda) once there are rules */
