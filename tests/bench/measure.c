/* SPDX-License-Identifier: Apache-2.0 */
/* measure - run a program and say what it cost. A small parent, because a child inherits its parent's peak memory (ru_maxrss) before exec.
 *
 * usage: measure time RUNS PROGRAM [ARG...]        minimum of RUNS: cpu_us, wall_us (the program's children included)
 *        measure trace FILE PROGRAM [ARG...]       one run under ptrace: calls, hwm_kib, execs, forks, sockets; regular files opened -> FILE
 *        measure evict FILE                        drop the files listed in FILE from the page cache; prints what stayed
 * The answer is one line of JSON on descriptor 1; the program's own output goes to /dev/null. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <linux/ptrace.h>

extern char **environ;

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "measure: %s: %s\n", what, strerror(errno));
    exit(3);
}

static long now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000L + t.tv_nsec / 1000;
}

static int cmd_time(long runs, char **argv)
{
    posix_spawn_file_actions_t fa;
    posix_spawn_file_actions_init(&fa);
    posix_spawn_file_actions_addopen(&fa, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&fa, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&fa, 2, "/dev/null", O_WRONLY, 0);
    long cpu = 0, wall = 0, cpu_max = 0;
    int status = 0;
    for (long i = 0; i < runs; i++) {
        struct rusage u;
        pid_t pid;
        long t0 = now_us();
        if ((errno = posix_spawnp(&pid, argv[0], &fa, NULL, argv, environ)) != 0)
            die(argv[0]);
        while (wait4(pid, &status, 0, &u) < 0)
            if (errno != EINTR)
                die("wait4");
        long w = now_us() - t0;
        long c = (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000L + u.ru_utime.tv_usec + u.ru_stime.tv_usec;
        cpu = i && cpu < c ? cpu : c;
        wall = i && wall < w ? wall : w;
        cpu_max = cpu_max > c ? cpu_max : c;
    }
    printf("{\"cpu_us\": %ld, \"cpu_max_us\": %ld, \"wall_us\": %ld, \"status\": %d}\n", cpu, cpu_max, wall,
           WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return 0;
}

struct count {
    long calls, hwm_kib, execs, forks, sockets, net, opened;
};

static long hwm_of(pid_t pid)
{
    char name[64], line[256];
    long kib = 0;
    snprintf(name, sizeof name, "/proc/%d/status", (int)pid);
    FILE *f = fopen(name, "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "VmHWM:", 6) == 0)
            kib = strtol(line + 6, NULL, 10);
    if (f)
        fclose(f);
    return kib;
}

static void note_file(pid_t pid, long fd, FILE *out)
{
    char name[64], path[4096];
    struct stat st;
    snprintf(name, sizeof name, "/proc/%d/fd/%ld", (int)pid, fd);
    ssize_t n = readlink(name, path, sizeof path - 1);
    if (n <= 0 || path[0] != '/')
        return;
    path[n] = 0;
    if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && strncmp(path, "/proc/", 6) != 0 && strncmp(path, "/sys/", 5) != 0)
        fprintf(out, "%s\n", path);
}

static void at_syscall(pid_t pid, struct count *c, uint64_t *nr, FILE *out)
{
    struct __ptrace_syscall_info s;
    if (ptrace((enum __ptrace_request)PTRACE_GET_SYSCALL_INFO, pid, sizeof s, &s) <= 0)
        return;
    if (s.op == PTRACE_SYSCALL_INFO_ENTRY) {
        c->calls++;
        *nr = s.entry.nr;
        if (*nr == SYS_socket) {
            c->sockets++;
            c->net += s.entry.args[0] == AF_INET || s.entry.args[0] == AF_INET6;
        }
        c->execs += *nr == SYS_execve || *nr == SYS_execveat;
        c->forks += *nr == SYS_clone || *nr == SYS_clone3 || *nr == SYS_fork || *nr == SYS_vfork;
    } else if (s.op == PTRACE_SYSCALL_INFO_EXIT && s.exit.rval >= 0 && (*nr == SYS_openat || *nr == SYS_open || *nr == SYS_openat2)) {
        c->opened++;
        note_file(pid, s.exit.rval, out);
    }
}

static pid_t start_traced(char **argv)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    int null = open("/dev/null", O_RDWR);
    dup2(null, 0);
    dup2(null, 1);
    dup2(null, 2);
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    raise(SIGSTOP);
    execvp(argv[0], argv);
    _exit(127);
}

static int cmd_trace(const char *list, char **argv)
{
    FILE *out = fopen(list, "w");
    if (!out)
        die(list);
    struct count c = {0};
    uint64_t nr = 0;
    int status;
    pid_t pid = start_traced(argv);
    waitpid(pid, &status, 0);
    ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL);
    bool started = false;
    for (int sig = 0;; sig = 0) {
        ptrace(PTRACE_SYSCALL, pid, 0, sig);
        if (waitpid(pid, &status, 0) < 0)
            die("waitpid");
        if (WIFEXITED(status) || WIFSIGNALED(status))
            break;
        int event = status >> 16;
        if (event == PTRACE_EVENT_EXEC && !started) {
            started = true;
            c = (struct count){0}; /* what counts begins behind the program's own exec */
        } else if (event == PTRACE_EVENT_EXIT) {
            c.hwm_kib = hwm_of(pid);
        } else if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
            at_syscall(pid, &c, &nr, out);
        } else if (event == 0) {
            sig = WSTOPSIG(status);
        }
    }
    fclose(out);
    printf("{\"calls\": %ld, \"hwm_kib\": %ld, \"execs\": %ld, \"forks\": %ld, \"sockets\": %ld, \"net\": %ld, \"opened\": %ld, \"status\": %d}\n", c.calls,
           c.hwm_kib, c.execs, c.forks, c.sockets, c.net, c.opened, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return 0;
}

/* Pages of the file that are in the page cache (bytes). */
static long resident(int fd, size_t size)
{
    long page = sysconf(_SC_PAGESIZE), n = 0;
    void *p = size ? mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (p == MAP_FAILED)
        return 0;
    size_t pages = (size + (size_t)page - 1) / (size_t)page;
    unsigned char *v = malloc(pages);
    if (v && mincore(p, size, v) == 0)
        for (size_t i = 0; i < pages; i++)
            n += v[i] & 1;
    free(v);
    munmap(p, size);
    return n * page;
}

static int cmd_evict(const char *list)
{
    FILE *f = fopen(list, "r");
    char path[4100];
    long files = 0, stayed = 0;
    if (!f)
        die(list);
    while (fgets(path, sizeof path, f)) {
        struct stat st;
        path[strcspn(path, "\n")] = 0;
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
            continue;
        if (fstat(fd, &st) == 0) {
            posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
            stayed += resident(fd, (size_t)st.st_size);
            files++;
        }
        close(fd);
    }
    fclose(f);
    printf("{\"files\": %ld, \"stayed_kib\": %ld}\n", files, stayed / 1024);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc >= 4 && strcmp(argv[1], "time") == 0)
        return cmd_time(strtol(argv[2], NULL, 10), argv + 3);
    if (argc >= 4 && strcmp(argv[1], "trace") == 0)
        return cmd_trace(argv[2], argv + 3);
    if (argc == 3 && strcmp(argv[1], "evict") == 0)
        return cmd_evict(argv[2]);
    fputs("usage: measure time RUNS PROGRAM... | trace FILE PROGRAM... | evict FILE\n", stderr);
    return 2;
}
