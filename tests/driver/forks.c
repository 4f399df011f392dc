/* SPDX-License-Identifier: Apache-2.0 */
/* forks - a pretended libcuda.so.1 for tests/driver/run-child: its cuInit starts a process that outlives it and keeps the pipe open. */
#include <sys/prctl.h>
#include <unistd.h>

int cuInit(unsigned flags);
int cuDriverGetVersion(int *version);
int cuDeviceGetCount(int *count);

__attribute__((visibility("default"))) int cuInit(unsigned flags)
{
    (void)flags;
    if (fork() == 0) {
        prctl(PR_SET_NAME, "tfgpu-stray");
        sleep(600);
        _exit(0);
    }
    return 0;
}

__attribute__((visibility("default"))) int cuDriverGetVersion(int *version)
{
    *version = 12040;
    return 0;
}

__attribute__((visibility("default"))) int cuDeviceGetCount(int *count)
{
    *count = 0;
    return 0;
}
