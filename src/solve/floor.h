/* SPDX-License-Identifier: Apache-2.0 */
/* floor - what a machine must have for an installed TensorFlow, and whether one has it. The same functions decide as for an offer of the
 * solver. Pure. */
#ifndef TG_SOLVE_FLOOR_H
#define TG_SOLVE_FLOOR_H
#include "formats/lockfile.h"
#include "solve/solve.h"

/* From what learn read of the installed files. Strings stay the wheel's. */
void floor_of_wheel(struct arena *a, const struct fact_wheel *w, struct lock_floor *ret);
/* What this machine (`ask`: os, machine, GPUs, driver, glibc, cpu) lacks: one translated line each. What is not known is held against
 * nothing; `ret_notes` names what that was. */
void floor_unmet(struct arena *a, const struct lock_floor *f, const struct solve_ask *ask, struct solve_reason **ret, size_t *ret_n,
                 const char ***ret_notes, size_t *ret_n_notes);
#endif
