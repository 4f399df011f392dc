/* SPDX-License-Identifier: Apache-2.0 */
/* gpus - which GPUs count, and how the three views of one GPU (bus, management library, CUDA) belong together. Pure. */
#ifndef TG_RULES_GPUS_H
#define TG_RULES_GPUS_H
#include "rules/judge.h"

/* CUDA said how many GPUs it shows to this process. */
bool gpus_cuda_answered(const struct facts *f);
bool gpus_nvml_answered(const struct facts *f);
/* The GPUs on the bus are those that the process is given: no container, or one with a device node for each. */
bool gpus_bus_decides(const struct facts *f);
/* GPUs that this process could use: CUDA's number; before it was asked the device nodes of a container, or the GPUs that the driver
 * holds. 0: none, or CUDA_VISIBLE_DEVICES hides an unknown number of them. */
size_t gpus_in_use(const struct facts *f);
/* The i-th one as the bus shows it; NULL: the bus does not show it, or it is not known which one it is. */
const struct fact_gpu *gpus_on_bus(const struct facts *f, size_t i);
/* Name for people: CUDA's, else the bus table's; NULL: neither says one. */
const char *gpus_known_name(const struct facts *f, size_t i);
/* The same, never NULL. */
const char *gpus_name(const struct facts *f, size_t i);

/* By PCI address; NULL: that view does not show it. */
const struct fact_gpu *gpus_bus_find(const struct facts *f, const char *pci);
const struct fact_cuda_device *gpus_cuda_find(const struct facts *f, const char *pci);
const struct fact_nvml_device *gpus_nvml_find(const struct facts *f, const char *pci);
/* CUDA shows this GPU, or was not asked. */
bool gpus_counts(const struct facts *f, const struct fact_nvml_device *d);

/* What one CUDA device has: of a card that is split by MIG the slice's, by its UUID, where the management library shows that one; what the card
 * as a whole has free is no answer then. `c` or `n` may be NULL. */
struct gpu_memory { bool has_total, has_free; uint64_t total, free; /* bytes */ };
struct gpu_memory gpus_memory(const struct fact_cuda_device *c, const struct fact_nvml_device *n);

/* Can a pair use NVLink? */
enum tri gpus_nvlink(const struct fact_gpu_link *l);
#endif
