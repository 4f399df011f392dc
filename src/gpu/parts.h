/* SPDX-License-Identifier: Apache-2.0 */
/* parts - those of the driver's answers that are lists: processes, MIG slices, links between GPUs. Only answers.c includes it. */
#ifndef TG_GPU_PARTS_H
#define TG_GPU_PARTS_H
#include "base/arena.h"
#include "facts_gen.h"
#include "formats/driverlog.h"

/* CUDA's peer access, into f->gpu_links (needs f->cuda_devices). */
void gpu_cuda_parts(struct arena *a, struct facts *f, const struct driverlog *l);
/* f->nvml_devices[].mig and .nvlinks, f->nvml_processes, f->gpu_links (needs f->nvml_devices). */
void gpu_nvml_parts(struct arena *a, struct facts *f, const struct driverlog *l);
#endif
