/* SPDX-License-Identifier: Apache-2.0 */
/* listed - the distinct values of a group of which a log names several: each library that is missing. */
#ifndef TG_EXPLAIN_LISTED_H
#define TG_EXPLAIN_LISTED_H
#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"
#include "base/util.h"

enum { LISTED_MAX = 12 }; /* what is kept; of more it is said that there are more */
struct listed { const char *name; const char *values[LISTED_MAX]; size_t n; bool more; };

/* Is it a group that is listed, and this a value that is not there yet? Cost: LISTED_MAX comparisons. */
bool listed_wants(struct listed *l, const char *group, struct str value);
/* `group` and `value` live as long as the list. */
void listed_add(struct arena *a, struct listed *l, const char *group, const char *value);
void listed_merge(struct arena *a, struct listed *to, const struct listed *from);
/* In the order of the log. */
const char *listed_join(struct arena *a, const struct listed *l);
#endif
