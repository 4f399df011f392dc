/* SPDX-License-Identifier: Apache-2.0 */
/* devices - entries of rules_devices that have their own files. Pure. */
#ifndef TG_RULES_DEVICES_H
#define TG_RULES_DEVICES_H
#include "rules/judge.h"

void rule_visible_mask(struct judge *g); /* visible.c */
void rule_jit_disabled(struct judge *g); /* gpu_arch.c */
void rule_jit_cache(struct judge *g);
#endif
