/* SPDX-License-Identifier: Apache-2.0 */
/* json - a JSON writer into a buf. Commas and indentation are its business; escaping too. Reading is jansson's. */
#ifndef TG_BASE_JSON_H
#define TG_BASE_JSON_H
#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"

struct jw { struct buf *out; int depth; bool first; };

void jw_init(struct jw *w, struct buf *out);
void jw_obj(struct jw *w, const char *key);  /* key NULL inside arrays and at the top */
void jw_obj_end(struct jw *w);
void jw_arr(struct jw *w, const char *key);
void jw_arr_end(struct jw *w);
void jw_str(struct jw *w, const char *key, const char *value); /* NULL writes null; invalid UTF-8 becomes U+FFFD */
void jw_u64(struct jw *w, const char *key, uint64_t value);
void jw_i64(struct jw *w, const char *key, int64_t value);
void jw_bool(struct jw *w, const char *key, bool value);
void jw_null(struct jw *w, const char *key);
#endif
