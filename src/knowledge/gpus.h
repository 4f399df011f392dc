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
#endif
