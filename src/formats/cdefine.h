/* SPDX-License-Identifier: Apache-2.0 */
/* cdefine - "#define NAME 123" in a C header. Pure. */
#ifndef TG_FORMATS_CDEFINE_H
#define TG_FORMATS_CDEFINE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first line "#define NAME <decimal>"; blanks as C allows them, comments behind the number are fine. false when there
 * is none or the value is no plain decimal number. cost: one pass over the text. */
bool cdefine_number(const char *text, size_t len, const char *name, uint32_t *ret);
#endif
