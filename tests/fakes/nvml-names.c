/* SPDX-License-Identifier: Apache-2.0 */
/* nvml-names - every function that libraries ask the driver for (nvml-names.inc) and that the double does not define otherwise: it
 * answers NVML_ERROR_NOT_SUPPORTED, as an honest double that computes nothing must. Weak: a definition elsewhere wins. */
#include "double.h"

enum { NOT_SUPPORTED = 3 };

#define NAME(function)                                           \
    API __attribute__((weak)) int function(void)                 \
    {                                                            \
        int code = double_call(__func__, DOUBLE_ANY);            \
        return code ? code : NOT_SUPPORTED;                      \
    }
#include "nvml-names.inc"
