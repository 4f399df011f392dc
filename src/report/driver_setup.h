/* SPDX-License-Identifier: Apache-2.0 */
/* driver_setup - how the driver gets onto this machine, for people. */
#ifndef TG_REPORT_DRIVER_SETUP_H
#define TG_REPORT_DRIVER_SETUP_H
#include "base/buf.h"
#include "base/term.h"
#include "solve/driver_setup.h"

/* The steps with their commands, to be copied; or the one reason why there are none. as_root: without sudo. */
void report_driver_setup(struct arena *a, const struct driver_setup *d, bool as_root, const struct term *term, struct buf *out);
#endif
