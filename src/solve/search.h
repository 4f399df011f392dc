/* SPDX-License-Identifier: Apache-2.0 */
/* search - what fits while some parts of the ask are switched off. Private to src/solve. */
#ifndef TG_SOLVE_SEARCH_H
#define TG_SOLVE_SEARCH_H
#include "solve/fits.h"

struct found { struct plan plan; size_t jit; bool repair, apart; size_t release, preference; };

bool any_fits(struct scope *s, unsigned mask);
/* All of them, best first; appended to *ret. */
void find_all(struct scope *s, unsigned mask, struct found **ret, size_t *ret_n);
/* Parts that exclude each other, none of which can be left out; only when nothing fits. */
unsigned solve_why(struct scope *s);
/* ret->changes; only when nothing fits. */
void find_changes(struct scope *s, struct solve_answer *ret);
const struct solve_gpu *scope_gpu(const struct scope *s, size_t i); /* one of the i-th capability */
#endif
