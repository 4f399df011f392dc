/* SPDX-License-Identifier: Apache-2.0 */
/* nokill - preloaded by tests/driver/run-child: a machine on which the driver child cannot be killed, or whose kernel has no pidfd_open. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/types.h>

int kill(pid_t pid, int sig);
__attribute__((visibility("default"))) int kill(pid_t pid, int sig)
{
    (void)pid;
    (void)sig;
    return 0;
}

/* Only pidfd_open comes this way in tfgpu's driver code; it is refused as an old kernel or a sandbox would. */
long syscall(long number, ...);
__attribute__((visibility("default"))) long syscall(long number, ...)
{
    (void)number;
    errno = ENOSYS;
    return -1;
}
