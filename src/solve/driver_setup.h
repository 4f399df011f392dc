/* SPDX-License-Identifier: Apache-2.0 */
/* driver_setup - what it takes to get the NVIDIA driver on this machine, or why none is to be installed here. Pure: facts in, commands out;
 * they are for root and are only ever shown. */
#ifndef TG_SOLVE_DRIVER_SETUP_H
#define TG_SOLVE_DRIVER_SETUP_H
#include <stdbool.h>
#include "base/arena.h"
#include "facts_gen.h"

struct driver_step { const char *title; const char **commands; size_t n_commands; const char *note; }; /* translated; note: NULL */
struct driver_setup {
    const char *why_not;      /* nothing is to be done in here, translated; then there are no steps */
    bool is_there;            /* because the driver is there already */
    struct driver_step *steps; size_t n_steps;
};
void driver_setup(struct arena *a, const struct facts *f, struct driver_setup *ret);
#endif
