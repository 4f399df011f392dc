/* SPDX-License-Identifier: Apache-2.0 */
/* driver - how `check` asks the driver: begin while the files are read, show what the files say when it is slow, end at the deadline. */
#ifndef TG_CMD_DRIVER_H
#define TG_CMD_DRIVER_H
#include "cmd/cmd.h"
#include "gpu/gpu.h"

enum { DRIVER_DEADLINE_MS = 10000, DRIVER_DEADLINE_MAX_S = 3600 };

struct driver_run { struct gpu_ask *ask; uint32_t deadline_ms; };

/* --driver-timeout: seconds with at most three decimals; "0": the driver is not asked. NULL: the default. -EINVAL: not such a number */
int driver_deadline(const char *text, uint32_t *ret_ms);
/* For struct probe's driver_known; its `caller` is a struct driver_run. Starts nothing without a driver, or on a tree. */
void driver_begin(struct probe *p);
/* true: the answers are there, or will never come (nothing was started); false: still waiting after `ms`. */
bool driver_wait(const struct driver_run *d, uint32_t ms);
/* Ends the asking and puts the answers (the child's, or those that a tree's manifest states) into the facts, with what
 * has to be looked at again because of them. */
void driver_end(struct driver_run *d, struct probe *p);
#endif
