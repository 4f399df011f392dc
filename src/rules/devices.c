/* SPDX-License-Identifier: Apache-2.0 */
/* devices - rules of layer 5: what the driver itself answered. Pure. */
#include "base/i18n.h"
#include "rules/judge.h"

const struct rule rules_devices[] = {{CAUSE_COUNT, NULL}};
const size_t n_rules_devices = 0;
