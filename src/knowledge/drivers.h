/* SPDX-License-Identifier: Apache-2.0 */
/* drivers - what an NVIDIA driver's number means. Data: data/tables/drivers.yaml. */
#ifndef TG_KNOWLEDGE_DRIVERS_H
#define TG_KNOWLEDGE_DRIVERS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct driver_floor { uint32_t cuda; const char *linux_min, *windows_min; };

/* Smallest driver for any program of this CUDA major; NULL when no row says (older or newer majors). */
const struct driver_floor *driver_floor(uint32_t cuda_major);
/* Highest CUDA version that this driver supports by itself: the row of the highest known branch not above it; NULL below all. */
const char *driver_max_cuda(const char *version);
/* First known branch that supports this CUDA version ("12.3") by itself; 0: none. */
uint32_t driver_branch_for(const char *cuda);
/* Last branch that knows GPUs of this compute capability (times ten); 0: still supported, or unknown. */
uint32_t driver_last_branch(uint32_t cc);
/* First branch that can know them; 0 when no row says. */
uint32_t driver_first_branch(uint32_t cc);
/* Smallest compute capability that the open kernel modules serve. */
uint32_t driver_open_module_min_cc(void);
/* A product line for which NVIDIA gives no forward-compatibility package. `gpu` is the product's name; NULL: false. */
bool driver_lacks_forward_compat(const char *gpu);

enum driver_dir_kind { DRIVER_DIR_SYSTEM, DRIVER_DIR_WSL, DRIVER_DIR_CONTAINER, DRIVER_DIR_COMPAT, DRIVER_DIR_STUB };
struct driver_dir { const char *dir; enum driver_dir_kind kind; };
/* Folders in which libcuda and libnvidia-ml lie, beside those that the loader searches. */
const struct driver_dir *driver_dirs(size_t *ret_n);
#endif
