/* SPDX-License-Identifier: Apache-2.0 */
/* setup_driver - tfgpu setup --driver: shows how the driver gets onto this machine. */
#ifndef TG_CMD_SETUP_DRIVER_H
#define TG_CMD_SETUP_DRIVER_H
#include "cmd/cmd.h"

#define SETUP_DRIVER "install" /* the value of --driver that is given without one */

/* Changes nothing. EXIT_BROKEN: none is to be installed here, and the reason is shown. */
int setup_driver(struct cmd_ctx *c);
#endif
