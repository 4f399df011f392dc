/* SPDX-License-Identifier: Apache-2.0 */
/* signals - names of the signals that end a process. */
#ifndef TG_GPU_SIGNALS_H
#define TG_GPU_SIGNALS_H
#include <stdint.h>
#include "base/arena.h"

/* "SIGSEGV"; for one without a name here "signal 42". Linux numbers, so that another machine's capture reads the same. */
const char *gpu_signal_name(struct arena *a, int64_t number);
#endif
