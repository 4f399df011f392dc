/* SPDX-License-Identifier: Apache-2.0 */
/* driver - rules of layer 1 once the kernel's part of the driver runs: nodes, libraries, versions. Entries of rules_machine. */
#ifndef TG_RULES_DRIVER_H
#define TG_RULES_DRIVER_H
#include "rules/judge.h"

void rule_driver_dropped_gpu(struct judge *g);
void rule_driver_open_module(struct judge *g);
void rule_driver_older_than_gpu(struct judge *g);
void rule_driver_nodes(struct judge *g);
void rule_driver_permission(struct judge *g);
void rule_driver_uvm(struct judge *g);
void rule_driver_capabilities(struct judge *g);
void rule_driver_libcuda(struct judge *g);
void rule_driver_stub(struct judge *g);
void rule_driver_wsl_linux(struct judge *g);
void rule_driver_mismatch(struct judge *g);
void rule_driver_compat(struct judge *g);
void rule_driver_floor(struct judge *g);
void rule_driver_nvml(struct judge *g);
/* driver_init.c: by the driver's own answer */
void rule_driver_os_call(struct judge *g);
void rule_driver_unknown_error(struct judge *g);
void rule_driver_gpu_lost(struct judge *g);
#endif
