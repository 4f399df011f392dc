/* SPDX-License-Identifier: Apache-2.0 */
/* visible - the devices that the CUDA double shows, in their order.
 *
 * The driver itself reads these variables, within cuInit. Rules and where they are written down:
 * - CUDA_VISIBLE_DEVICES: CUDA Programming Guide, "CUDA Environment Variables": a list of indices or UUIDs separated by commas; a
 *   UUID may be shortened as long as it is unique; devices are enumerated in the order of the list; an invalid entry ends it,
 *   those before it stay; unset: all, empty: none.
 * - An index is read as strtoul does ("1gpu" is 1, blanks before it are skipped); an index or UUID written twice empties the
 *   list; the kind of the first entry (index, GPU-, MIG-) holds for the whole list: torch/cuda/__init__.py,
 *   _parse_visible_devices and _transform_uuid_to_ordinals (PyTorch mirrors the driver there and is tested against it).
 * - MIG: NVIDIA MIG User Guide, "CUDA Device Enumeration": a process sees one MIG instance at most, and no whole GPU beside it;
 *   MIG-<UUID>, before driver 470 MIG-GPU-<UUID>/<GPU instance>/<compute instance>; an index or UUID of a GPU in MIG mode means
 *   its first instance; a GPU in MIG mode without instances cannot be used.
 * - CUDA_DEVICE_ORDER: CUDA Programming Guide: PCI_BUS_ID: ascending; else (FASTEST_FIRST) the device that a simple heuristic
 *   takes for the fastest is 0, the order of the others is not stated (here: that of the bus). Indices count in this order. */
#ifndef TG_FAKES_VISIBLE_H
#define TG_FAKES_VISIBLE_H
#include "double.h"

struct visible { unsigned n; struct { int gpu, mig; } device[DOUBLE_MAX_DEVICES]; }; /* mig: -1: the whole GPU */

/* list, order: values of the two variables, NULL: unset. */
void visible_devices(const char *list, const char *order, struct visible *ret);
#endif
