/* SPDX-License-Identifier: Apache-2.0 */
/* ask - the parent of the driver children: starts them, reads their lines, keeps the deadline, buries them. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/util.h"
#include "gpu/child.h"
#include "gpu/gpu.h"

enum { LINES_MAX = 1 << 20, OUR_LINES = 256, DEATH_MS = 1000, SLICE_MS = 10, READ = 16384 };

struct child {
    pid_t pid;        /* 0: none, or buried */
    int fd;           /* our end of the pipe; -1: closed */
    int pidfd;        /* -1: the kernel has none; then we look now and then */
    bool asked, dead; /* dead: it has ended, and is not buried yet */
    uint64_t begin;
    struct buf lines;
    const char *text; size_t len; /* the lines, after gpu_finish */
};

struct gpu_ask { struct arena *a; struct child c[GPU_LIBS]; uint64_t end; uint32_t deadline_ms; };

static uint64_t now_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000u + (uint64_t)t.tv_nsec / 1000000u;
}

/* -- start ------------------------------------------------------------------------------------------------------------- */

static char **make_environment(struct arena *a, const struct root_env *env, size_t n)
{
    char **list = arena_array(a, n + 1, sizeof *list);
    for (size_t i = 0; i < n; i++)
        list[i] = arena_printf(a, "%s=%s", env[i].name, env[i].value);
    return list;
}

/* The child gets /dev/null as 0 to 2 and the pipe as GPU_CHILD_FD; every other descriptor is closed, each signal is as at a login. */
static int spawn(struct child *c, int pipe_end, char **argv, char **environment)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    sigset_t all, none;
    if (posix_spawn_file_actions_init(&files) != 0)
        return ENOMEM;
    if (posix_spawnattr_init(&attr) != 0) {
        posix_spawn_file_actions_destroy(&files);
        return ENOMEM;
    }
    sigfillset(&all);
    sigemptyset(&none);
    int rc = posix_spawn_file_actions_adddup2(&files, pipe_end, GPU_CHILD_FD);
    for (int fd = 0; fd < GPU_CHILD_FD && rc == 0; fd++)
        rc = posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
    rc = rc ? rc : posix_spawn_file_actions_addclosefrom_np(&files, GPU_CHILD_FD + 1);
    rc = rc ? rc : posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    rc = rc ? rc : posix_spawnattr_setpgroup(&attr, 0);
    rc = rc ? rc : posix_spawnattr_setsigdefault(&attr, &all);
    rc = rc ? rc : posix_spawnattr_setsigmask(&attr, &none);
    rc = rc ? rc : posix_spawn(&c->pid, "/proc/self/exe", &files, &attr, argv, environment);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&files);
    return rc;
}

static void start(struct gpu_ask *g, struct child *c, const char *name, const char *path, char **environment)
{
    int ends[2];
    char parent[24];
    snprintf(parent, sizeof parent, "%ld", (long)getpid());
    char *argv[] = {arena_strdup(g->a, "tfgpu"), arena_strdup(g->a, GPU_CHILD), arena_strdup(g->a, name), arena_strdup(g->a, path), parent, NULL};
    c->asked = true;
    c->begin = now_ms();
    if (pipe2(ends, O_CLOEXEC) < 0) {
        buf_addf(&c->lines, "< start = %d\n", errno);
        return;
    }
    if (ends[1] == GPU_CHILD_FD && (ends[1] = fcntl(GPU_CHILD_FD, F_DUPFD_CLOEXEC, GPU_CHILD_FD + 1)) >= 0)
        close(GPU_CHILD_FD); /* dup2 of a descriptor onto itself would leave its close-on-exec flag set */
    int rc = ends[1] < 0 ? errno : spawn(c, ends[1], argv, environment);
    if (ends[1] >= 0)
        close(ends[1]);
    if (rc != 0) {
        c->pid = 0;
        close(ends[0]);
        buf_addf(&c->lines, "< start = %d\n", rc);
        return;
    }
    c->fd = ends[0];
    (void)fcntl(c->fd, F_SETFL, O_NONBLOCK);
    c->pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0);
}

struct gpu_ask *gpu_start(struct arena *a, const char *const path[GPU_LIBS], const struct root_env *environment, size_t n_environment, uint32_t deadline_ms)
{
    static const char *const names[GPU_LIBS] = {[GPU_CUDA] = "cuda", [GPU_NVML] = "nvml"};
    struct gpu_ask *g = ARENA_NEW(a, struct gpu_ask);
    char **env = path[GPU_CUDA] || path[GPU_NVML] ? make_environment(a, environment, n_environment) : NULL;
    g->a = a;
    g->deadline_ms = deadline_ms;
    g->end = now_ms() + deadline_ms;
    for (int i = 0; i < GPU_LIBS; i++) {
        g->c[i].fd = g->c[i].pidfd = -1;
        buf_init(&g->c[i].lines, LINES_MAX);
        if (path[i])
            start(g, &g->c[i], names[i], path[i], env);
    }
    return g;
}

/* -- read and bury ----------------------------------------------------------------------------------------------------- */

/* What is in the pipe now. A child that writes more than anything it could have to say is cut off. */
static void drain(struct child *c)
{
    char part[READ];
    while (c->fd >= 0) {
        ssize_t n = read(c->fd, part, sizeof part);
        if (n > 0)
            buf_add(&c->lines, part, (size_t)n);
        if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN) || c->lines.full) {
            close(c->fd);
            c->fd = -1;
        }
        if (n < 0 && errno == EAGAIN)
            return;
    }
}

static void look(struct child *c)
{
    siginfo_t info = {0};
    if (c->pid && !c->dead && waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0)
        c->dead = info.si_pid == c->pid;
}

static bool is_done(const struct child *c)
{
    return !c->pid || c->dead;
}

/* Until both are done or the time is over. The end of the pipe proves nothing: something that the driver started may hold it. */
static bool wait_until(struct gpu_ask *g, uint64_t end)
{
    for (;;) {
        struct pollfd p[2 * GPU_LIBS];
        nfds_t n = 0;
        bool all = true;
        uint64_t slice = 60000;
        for (int i = 0; i < GPU_LIBS; i++) {
            struct child *c = &g->c[i];
            look(c); /* before the pipe is emptied: what a dead child wrote is all there */
            drain(c);
            if (is_done(c))
                continue;
            all = false;
            if (c->pidfd < 0)
                slice = c->fd >= 0 ? SLICE_MS : 1;
            if (c->fd >= 0)
                p[n++] = (struct pollfd){.fd = c->fd, .events = POLLIN};
            if (c->pidfd >= 0)
                p[n++] = (struct pollfd){.fd = c->pidfd, .events = POLLIN};
        }
        uint64_t now = now_ms();
        if (all || now >= end)
            return all;
        uint64_t ms = end - now;
        (void)poll(p, n, (int)(ms < slice ? ms : slice));
    }
}

bool gpu_wait(struct gpu_ask *g, uint32_t ms)
{
    uint64_t end = now_ms() + ms;
    return wait_until(g, end < g->end ? end : g->end);
}

/* Before it is buried, its number is still its own: the group can be killed without hitting a stranger. */
static void kill_group(const struct child *c)
{
    if (c->pid) {
        (void)kill(-c->pid, SIGKILL);
        (void)kill(c->pid, SIGKILL);
    }
}

static void bury(const struct gpu_ask *g, struct child *c, bool late, uint64_t took)
{
    int status = 0;
    bool ended = memmem(c->lines.p ? c->lines.p : "", c->lines.len, "\n! end\n", 7) != NULL;
    if (c->lines.len && c->lines.p[c->lines.len - 1] != '\n')
        buf_addc(&c->lines, '\n');
    c->lines.full = false;
    c->lines.max += OUR_LINES;
    if (!c->dead)
        buf_adds(&c->lines, "! left\n");
    else if (waitpid(c->pid, &status, 0) == c->pid && !late && !ended && WIFSIGNALED(status))
        buf_addf(&c->lines, "! signal %d\n", WTERMSIG(status));
    else if (!late && !ended && WIFEXITED(status))
        buf_addf(&c->lines, "! exit %d\n", WEXITSTATUS(status));
    if (late && !ended)
        buf_addf(&c->lines, "! timeout %u\n", g->deadline_ms);
    if (!ended)
        buf_addf(&c->lines, "! ms %llu\n", (unsigned long long)took);
    c->pid = 0;
}

void gpu_finish(struct gpu_ask *g)
{
    bool late[GPU_LIBS];
    uint64_t took[GPU_LIBS];
    (void)wait_until(g, g->end);
    for (int i = 0; i < GPU_LIBS; i++) {
        late[i] = !is_done(&g->c[i]);
        took[i] = now_ms() - g->c[i].begin;
        kill_group(&g->c[i]);
    }
    (void)wait_until(g, now_ms() + DEATH_MS);
    for (int i = 0; i < GPU_LIBS; i++) {
        struct child *c = &g->c[i];
        if (c->pid)
            bury(g, c, late[i], took[i]);
        if (c->fd >= 0)
            close(c->fd);
        if (c->pidfd >= 0)
            close(c->pidfd);
        c->fd = c->pidfd = -1;
        c->len = c->lines.len;
        c->text = c->len ? arena_strndup(g->a, c->lines.p, c->len) : "";
        buf_done(&c->lines);
    }
}

const char *gpu_lines(const struct gpu_ask *g, enum gpu_lib lib, size_t *ret_len)
{
    const struct child *c = &g->c[lib];
    *ret_len = c->len;
    return c->asked ? c->text : NULL;
}
