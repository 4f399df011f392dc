/* SPDX-License-Identifier: Apache-2.0 */
/* catalogs - the compiled po/<lang>.po, made by tools/gen-catalogs at build time; only i18n.c includes it. */
#ifndef TG_BASE_CATALOGS_H
#define TG_BASE_CATALOGS_H
#include <stddef.h>

struct catalog { const char *name; const unsigned char *mo; size_t size; }; /* little-endian MO file */
extern const struct catalog catalogs[];
extern const size_t n_catalogs;
#endif
