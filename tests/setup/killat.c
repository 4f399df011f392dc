/* SPDX-License-Identifier: Apache-2.0 */
/* killat - runs a program and kills it (SIGKILL) when it enters or leaves its N-th system call; what it starts is left alone.
 *
 * usage: killat FD N PROGRAM ARGS...   N counts entries and exits; 0: never
 * Prints "stops COUNT CODE" on descriptor FD when the program ended by itself, "killed SYSCALL" when it was killed.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/util.h"

int main(int argc, char **argv)
{
    uint64_t at, n = 0;
    uint32_t fd;
    int status;
    if (argc < 4 || str_to_u32(argv[1], &fd) < 0 || str_to_u64(argv[2], strlen(argv[2]), 10, &at) < 0)
        return 2;
    pid_t pid = fork();
    if (pid == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        close((int)fd);
        execvp(argv[3], argv + 3);
        _exit(127);
    }
    if (waitpid(pid, &status, 0) < 0 || ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD) < 0)
        return 2;
    for (long sig = 0;; ) {
        struct user_regs_struct regs;
        if (ptrace(PTRACE_SYSCALL, pid, NULL, sig) < 0 && errno != ESRCH)
            return 2;
        if (waitpid(pid, &status, 0) < 0)
            return 2;
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            dprintf((int)fd, "stops %llu %d\n", (unsigned long long)n, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
            return 0;
        }
        sig = WIFSTOPPED(status) && WSTOPSIG(status) != (SIGTRAP | 0x80) && WSTOPSIG(status) != SIGTRAP ? WSTOPSIG(status) : 0;
        if (WSTOPSIG(status) != (SIGTRAP | 0x80) || ++n != at)
            continue;
        long long number = ptrace(PTRACE_GETREGS, pid, NULL, &regs) == 0 ? (long long)regs.orig_rax : -1;
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
        dprintf((int)fd, "killed %lld\n", number);
        return 0;
    }
}
