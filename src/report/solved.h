/* SPDX-License-Identifier: Apache-2.0 */
/* solved - renderers of what the solver found. */
#ifndef TG_REPORT_SOLVED_H
#define TG_REPORT_SOLVED_H
#include "base/arena.h"
#include "base/buf.h"
#include "base/term.h"
#include "solve/solve.h"

/* For people: a table with a line a release (verbose: a line an offer), the pins of the best, why nothing newer; or why nothing fits. */
void report_solved(struct arena *a, const struct solve_ask *ask, const struct solve_answer *x, bool verbose, const struct term *term, struct buf *out);
/* For programs: docs/schema/solve.schema.json. */
void report_solved_json(const struct solve_ask *ask, const struct solve_answer *x, struct buf *out);
#endif
