/* SPDX-License-Identifier: Apache-2.0 */
/* links - f->gpu_links, which several sources fill: the bus, CUDA, the management library. */
#ifndef TG_FACTS_LINKS_H
#define TG_FACTS_LINKS_H
#include <stdbool.h>
#include "base/arena.h"
#include "facts_gen.h"

/* Equal PCI addresses, whatever the number of digits of the domain ("0000:01:00.0", "00000000:01:00.0") and the case. */
bool links_same_pci(const char *a, const char *b);
/* The address as Linux writes it: at least four digits of the domain, no further zeros in front, small letters. NULL stays NULL. */
const char *links_plain_pci(struct arena *a, const char *pci);
/* The record of two GPUs, either way round; NULL: there is none. */
const struct fact_gpu_link *links_find(const struct facts *f, const char *a, const char *b);
/* The same, made when there is none. Addresses are not copied. NULL: they are not two different ones. */
struct fact_gpu_link *links_get(struct arena *a, struct facts *f, const char *pci_a, const char *pci_b);
#endif
