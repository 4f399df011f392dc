/* SPDX-License-Identifier: Apache-2.0 */
/* signals - names of the signals that end a process (signal(7), x86 and ARM). */
#include "gpu/signals.h"
#include "base/util.h"

const char *gpu_signal_name(struct arena *a, int64_t number)
{
    static const char *const names[] = {
        [1] = "SIGHUP", [2] = "SIGINT", [3] = "SIGQUIT", [4] = "SIGILL", [5] = "SIGTRAP", [6] = "SIGABRT", [7] = "SIGBUS", [8] = "SIGFPE",
        [9] = "SIGKILL", [10] = "SIGUSR1", [11] = "SIGSEGV", [12] = "SIGUSR2", [13] = "SIGPIPE", [14] = "SIGALRM", [15] = "SIGTERM",
        [24] = "SIGXCPU", [25] = "SIGXFSZ", [31] = "SIGSYS",
    };
    bool known = number > 0 && number < (int64_t)TG_COUNT(names) && names[number];
    return known ? names[number] : arena_printf(a, "signal %lld", (long long)number);
}
