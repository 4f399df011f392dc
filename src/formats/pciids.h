/* SPDX-License-Identifier: Apache-2.0 */
/* pciids - names of PCI devices from the system's pci.ids (1.5 MB of text), read in a few windows.
 * format: pci.ids(5): vendors "10de  NVIDIA Corporation" in ascending order, their devices "\t2684  AD102 [GeForce RTX 4090]" in ascending
 * order below them, subsystems with two tabs, comments '#', classes "C 03" at the end. */
#ifndef TG_FORMATS_PCIIDS_H
#define TG_FORMATS_PCIIDS_H
#include "base/arena.h"
#include "base/bytesrc.h"
#include "base/err.h"

/* Name of vendor:device as written; both are found by bisection.
 * returns: 1 found, 0 not, or a negative errno of the source; a file that is not sorted gives 0, never a wrong name
 * cost:    about 20 reads of 4 KiB */
int pciids_find(const struct bytesrc *s, uint16_t vendor, uint16_t device, struct arena *a, const char **ret, struct err *e);
#endif
