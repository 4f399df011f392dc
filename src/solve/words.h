/* SPDX-License-Identifier: Apache-2.0 */
/* words - what the solver found, in sentences. Private to src/solve. */
#ifndef TG_SOLVE_WORDS_H
#define TG_SOLVE_WORDS_H
#include "solve/search.h"

void words_reasons(struct scope *s, unsigned parts, struct solve_answer *ret);
void words_defects(struct scope *s, const struct plan *p, struct solve_offer *o);
void words_newer(struct scope *s, const struct release *best, struct solve_answer *ret);
void words_notes(struct scope *s, struct solve_answer *ret);
#endif
