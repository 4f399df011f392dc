/* SPDX-License-Identifier: Apache-2.0 */
/* gpus - what a PCI device id or a chip's name tells about an NVIDIA GPU. Data: data/tables/gpus.yaml. */
#ifndef TG_KNOWLEDGE_GPUS_H
#define TG_KNOWLEDGE_GPUS_H
#include <stdbool.h>
#include <stdint.h>
#include "base/util.h"

struct gpu_info {
    const char *name; /* product's name without the maker's, or NULL */
    const char *chip; /* "AD102" */
    const char *arch; /* "Ada Lovelace" */
    uint32_t cc;      /* compute capability times ten */
};

/* By PCI device id (vendor 10de): an exact row, else the range of one chip that the id lies in (then name is NULL). */
bool gpu_by_device(uint32_t device_id, struct gpu_info *ret);
/* By a chip's name as pci.ids writes it; letters behind the known chip's name count as its variant ("AD102GL", "TU106BM"). */
bool gpu_by_chip(struct str chip, struct gpu_info *ret);
/* By the product's name as people write it: case, the maker's name, "GeForce" and the like may be left out ("rtx 5090", "H100"); a name that
 * is the beginning of several counts when all of them have one compute capability.
 * 0; -ENOENT none; -EEXIST several of different compute capability: `ret` is untouched */
int gpu_by_name(const char *name, struct gpu_info *ret);
#endif
