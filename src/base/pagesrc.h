/* SPDX-License-Identifier: Apache-2.0 */
/* pagesrc - a bytesrc that remembers the last pieces, for readers that come back to the same neighbourhoods of a big file. */
#ifndef TG_BASE_PAGESRC_H
#define TG_BASE_PAGESRC_H
#include "base/arena.h"
#include "base/bytesrc.h"

struct pagesrc;
/* `src` must live as long as the result. Reads of more than 1 kB go through; what a piece cannot be filled with because
 * a capture lacks it is asked for exactly. At most 64 kB. */
struct pagesrc *pagesrc_new(struct arena *a, const struct bytesrc *src);
struct bytesrc pagesrc_src(struct pagesrc *p);
unsigned pagesrc_reads(const struct pagesrc *p); /* reads that went to `src` */
#endif
