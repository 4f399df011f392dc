/* SPDX-License-Identifier: Apache-2.0 */
/* words - what the solver found, in sentences. Private to src/solve. */
#ifndef TG_SOLVE_WORDS_H
#define TG_SOLVE_WORDS_H
#include "solve/fits.h"

unsigned solve_why(struct scope *s); /* parts that exclude each other, none of which can be left out; nothing fits */
void words_reasons(struct scope *s, unsigned parts, struct solve_answer *ret);
/* `plans`: what fits once `parts` are free, best first; at least one. */
void words_change(struct scope *s, unsigned parts, const struct plan *const *plans, size_t n, struct solve_change *ret);
void words_defects(struct scope *s, const struct plan *p, struct solve_offer *o);
void words_newer(struct scope *s, const struct release *best, struct solve_answer *ret);
void words_notes(struct scope *s, struct solve_answer *ret);
#endif
