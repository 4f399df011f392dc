/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_code - compute capability against the code in a file. */
#include "knowledge/gpu_code.h"
#include <stdbool.h>

enum arch_fit gpu_code_fit(const struct gpu_code *s, uint32_t cc)
{
    bool newer_only = true;
    if (s->n_sass == 0 && s->n_ptx == 0 && s->n_sass_exact == 0)
        return ARCH_NONE;
    for (size_t i = 0; i < s->n_sass_exact; i++)
        if (s->sass_exact[i] == cc)
            return ARCH_NATIVE;
    for (size_t i = 0; i < s->n_sass; i++) {
        if (s->sass[i] / 10 == cc / 10 && s->sass[i] <= cc)
            return ARCH_NATIVE;
        newer_only = newer_only && s->sass[i] > cc;
    }
    for (size_t i = 0; i < s->n_ptx; i++)
        if (s->ptx[i] <= cc)
            return ARCH_JIT;
    return newer_only ? ARCH_TOO_OLD : ARCH_TOO_NEW;
}
