/* SPDX-License-Identifier: Apache-2.0 */
/* places - texts with places: "{key}" is filled with a value, "{key|words}" gives the words where there is none. */
#ifndef TG_BASE_PLACES_H
#define TG_BASE_PLACES_H
#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"

/* The value of the key (n bytes, no NUL), or NULL. */
typedef const char *place_value(const void *ctx, const char *key, size_t n);

/* places_fill - the text with its places filled.
 *
 * text:        NULL gives NULL. "${" is the shell's and no place
 * shell:       it is a command: values are quoted as where they stand needs it; keys that end in _args are not (they are lists
 *              that we quoted ourselves)
 * ret_unbound: how many places had no value and no words; they stay as they are. May be NULL
 */
const char *places_fill(struct arena *a, const char *text, bool shell, place_value *value, const void *ctx, size_t *ret_unbound);
#endif
