/* SPDX-License-Identifier: Apache-2.0 */
/* driver_errors - what the codes of the driver's libraries mean, and which GPUs TensorFlow lists.
 * Data: data/tables/codes_cuda.yaml, codes_nvml.yaml, tf_list.yaml. */
#ifndef TG_KNOWLEDGE_DRIVER_ERRORS_H
#define TG_KNOWLEDGE_DRIVER_ERRORS_H
#include <stdint.h>

/* "CUDA_ERROR_NO_DEVICE"; NULL for a code that the table does not have. */
const char *cuda_error_name(int32_t code);
const char *nvml_error_name(int32_t code);
/* In a few words, translated; never NULL. */
const char *cuda_error_meaning(int32_t code);
const char *nvml_error_meaning(int32_t code);

uint32_t tf_list_min_cc(void);              /* compute capability times ten below which a GPU is passed over */
uint32_t tf_list_min_multiprocessors(void); /* with several GPUs: those with fewer than this are passed over */
#endif
