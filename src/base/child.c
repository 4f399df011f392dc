/* SPDX-License-Identifier: Apache-2.0 */
/* child - runs another program with a deadline and takes the lines that it answers. */
#include "base/child.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/child_internal.h"
#include "base/i18n.h"
#include "base/util.h"

enum { KILL_WAIT_MS = 1000, POLL_MAX_MS = 60000, CHUNK = 16384, LAST_PIECES = 64, NOT_STARTED = 127 };
enum { READ, WRITE };

struct run {
    const struct child_spec *spec;
    pid_t pid;
    int answer, output;              /* two pipes */
    struct child_signals signals;    /* asked: those that end us */
    struct buf lines, tail;
    size_t line_start;               /* of the line that has not ended yet */
    int64_t start_ms;
    siginfo_t status;
    bool gone, ended_by_us;
    enum child_end why;              /* when ended_by_us */
};

int64_t child_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void child_close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

int child_pipe(int ret[2])
{
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) < 0)
        return -errno;
    for (int i = READ; i <= WRITE; i++) {
        ret[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, CHILD_FD_ABOVE);
        int r = ret[i] < 0 ? -errno : 0;
        close(fds[i]);
        if (r < 0) {
            if (i == WRITE)
                child_close_fd(&ret[READ]);
            else
                close(fds[WRITE]);
            return r;
        }
    }
    return 0;
}

/* -- the child's side ------------------------------------------------------------------------------------------------------ */

struct entry { const struct child_spec *spec; const sigset_t *mask; pid_t parent; const int *answer, *output; };

static int enter(void *ctx)
{
    const struct entry *x = ctx;
    const struct child_spec *s = x->spec;
    const struct rlimit no_core = {1, 1}; /* 0 would still feed a core_pattern that is a pipe */
    const struct sigaction dfl = {.sa_handler = SIG_DFL};
    if (setpgid(0, 0) < 0)
        return errno;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* a sandbox may lack it */
    if (getppid() != x->parent)
        return ESRCH;
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(x->output[WRITE], STDOUT_FILENO) < 0 || dup2(x->output[WRITE], STDERR_FILENO) < 0 ||
        dup2(x->answer[WRITE], CHILD_FD) < 0)
        return errno;
    if (s->cwd && chdir(s->cwd) < 0)
        return errno;
#ifdef SYS_close_range
    (void)syscall(SYS_close_range, CHILD_FD_ABOVE, ~0u, CLOSE_RANGE_CLOEXEC); /* what our caller left open is none of its business; Linux 5.11 */
#endif
    (void)setrlimit(RLIMIT_CORE, &no_core); /* not worth failing for */
    (void)sigaction(SIGPIPE, &dfl, NULL);
    (void)sigprocmask(SIG_SETMASK, x->mask, NULL);
    execve(s->exe, (char *const *)(uintptr_t)s->argv, (char *const *)(uintptr_t)s->envp);
    return errno;
}

/* The child's errno comes through a pipe that exec closes: memory is shared with it only where vfork is a real one. */
int child_start(int (*enter_fn)(void *ctx), void *ctx, pid_t *ret)
{
    int report[2];
    int rc = child_pipe(report);
    if (rc < 0)
        return rc;
    pid_t pid = vfork();
    if (pid == 0) {
        int error = enter_fn(ctx);
        while (write(report[WRITE], &error, sizeof error) < 0 && errno == EINTR)
            ;
        _exit(NOT_STARTED);
    }
    rc = pid < 0 ? -errno : 0;
    close(report[WRITE]);
    int error;
    ssize_t n = 0;
    while (rc == 0 && (n = read(report[READ], &error, sizeof error)) < 0 && errno == EINTR)
        ;
    close(report[READ]);
    if (rc == 0 && n == (ssize_t)sizeof error) {
        (void)waitpid(pid, NULL, 0);
        return -error;
    }
    *ret = pid;
    return rc;
}

static int start(struct run *r, const int answer[2], const int output[2])
{
    struct entry x = {r->spec, &r->signals.old_mask, getpid(), answer, output};
    r->start_ms = child_now_ms();
    return child_start(enter, &x, &r->pid);
}

/* -- signals --------------------------------------------------------------------------------------------------------------- */

int child_signals_hold(struct child_signals *s, const int *list, size_t n)
{
    const struct sigaction dfl = {.sa_handler = SIG_DFL}; /* were it ignored, children would vanish unseen */
    sigset_t chld, asked, all;
    s->died = s->asked = -1;
    sigemptyset(&chld);
    sigemptyset(&asked);
    sigaddset(&chld, SIGCHLD);
    for (size_t i = 0; i < n; i++) {
        struct sigaction old;
        if (sigaction(list[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) /* one that is blocked is kept even if ignored */
            sigaddset(&asked, list[i]);
    }
    sigorset(&all, &chld, &asked);
    if (sigprocmask(SIG_BLOCK, &all, &s->old_mask) < 0)
        return -errno;
    (void)sigaction(SIGCHLD, &dfl, &s->old_chld);
    s->died = signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK);
    int rc = s->died < 0 ? -errno : 0;
    s->asked = rc < 0 ? -1 : signalfd(-1, &asked, SFD_CLOEXEC | SFD_NONBLOCK);
    return rc < 0 ? rc : s->asked < 0 ? -errno : 0;
}

void child_signals_release(struct child_signals *s)
{
    child_close_fd(&s->died);
    child_close_fd(&s->asked);
    (void)sigaction(SIGCHLD, &s->old_chld, NULL);
    (void)sigprocmask(SIG_SETMASK, &s->old_mask, NULL);
}

static int hold_signals(struct run *r)
{
    static const int ends_us[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    return child_signals_hold(&r->signals, ends_us, TG_COUNT(ends_us));
}

/* -- what comes from it ---------------------------------------------------------------------------------------------------- */

static void end_it(struct run *r, enum child_end why)
{
    if (r->ended_by_us || r->gone)
        return;
    r->ended_by_us = true;
    r->why = why;
    (void)kill(-r->pid, SIGKILL);
}

static void hand_lines(struct run *r)
{
    const struct child_spec *s = r->spec;
    for (;;) {
        char *from = r->lines.p + r->line_start, *nl = memchr(from, '\n', r->lines.len - r->line_start);
        if (!nl)
            return;
        if (s->line) {
            *nl = '\0';
            s->line(s->ctx, from, (size_t)(nl - from));
            *nl = '\n';
        }
        r->line_start = (size_t)(nl - r->lines.p) + 1;
    }
}

static void take_answer(struct run *r, const char *p, size_t n)
{
    buf_add(&r->lines, p, n);
    hand_lines(r);
    if (r->lines.full)
        end_it(r, CHILD_FLOOD);
}

/* The buffer holds twice what is kept, so that it is moved once in max_output bytes. */
static void take_output(struct run *r, const char *p, size_t n)
{
    size_t keep = r->spec->max_output;
    if (n > keep) {
        p += n - keep;
        n = keep;
    }
    if (r->tail.len + n > 2 * keep) {
        size_t drop = r->tail.len - (keep - n);
        memmove(r->tail.p, r->tail.p + drop, r->tail.len - drop);
        r->tail.len -= drop;
    }
    buf_add(&r->tail, p, n);
}

/* At most so many pieces: somebody who left the group may write for ever. */
static void drain(struct run *r, int *fd, void (*take)(struct run *, const char *, size_t), unsigned pieces)
{
    char chunk[CHUNK];
    while (*fd >= 0 && pieces-- > 0) {
        ssize_t n = read(*fd, chunk, sizeof chunk);
        if (n > 0)
            take(r, chunk, (size_t)n);
        else if (n == 0 || (errno != EAGAIN && errno != EINTR))
            child_close_fd(fd);
        if (n <= 0)
            return;
    }
}

bool child_is_dead(pid_t pid, siginfo_t *ret)
{
    *ret = (siginfo_t){0};
    return waitid(P_PID, (id_t)pid, ret, WEXITED | WNOHANG | WNOWAIT) == 0 && ret->si_pid == pid;
}

void child_bury(pid_t pid, const siginfo_t *status, struct child_result *ret)
{
    struct rusage ru = {0};
    int raw;
    if (wait4(pid, &raw, 0, &ru) == pid) {
        ret->peak_rss_bytes = (uint64_t)ru.ru_maxrss * 1024;
        ret->cpu_us = (uint64_t)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000000 + (uint64_t)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec);
    }
    ret->end = status->si_code == CLD_EXITED ? CHILD_EXITED : CHILD_SIGNALED;
    *(status->si_code == CLD_EXITED ? &ret->code : &ret->signal) = status->si_status;
}

/* Reap it once it is dead. Its group goes first, while its number cannot belong to anybody else. */
static void look(struct run *r)
{
    siginfo_t info;
    if (r->gone || !child_is_dead(r->pid, &info))
        return;
    (void)kill(-r->pid, SIGKILL);
    r->gone = true;
    r->status = info;
}

static void wait_and_take(struct run *r, int64_t until_ms)
{
    struct pollfd p[] = {
        {.fd = r->answer, .events = POLLIN}, {.fd = r->output, .events = POLLIN}, {.fd = r->signals.died, .events = POLLIN},
        {.fd = r->ended_by_us ? -1 : r->signals.asked, .events = POLLIN},
    };
    int64_t left = until_ms - child_now_ms();
    if (poll(p, TG_COUNT(p), left < 0 ? 0 : left > POLL_MAX_MS ? POLL_MAX_MS : (int)left) <= 0)
        return;
    if (p[0].revents)
        drain(r, &r->answer, take_answer, 1);
    if (p[1].revents)
        drain(r, &r->output, take_output, 1);
    if (p[2].revents) {
        struct signalfd_siginfo s;
        while (read(r->signals.died, &s, sizeof s) > 0)
            ;
    }
    if (p[3].revents)
        end_it(r, CHILD_TIMEOUT);
    look(r);
}

static void follow(struct run *r)
{
    int64_t until = r->start_ms + r->spec->deadline_ms;
    look(r);
    while (!r->gone && child_now_ms() < until && !r->ended_by_us)
        wait_and_take(r, until);
    if (!r->gone) {
        end_it(r, CHILD_TIMEOUT);
        until = child_now_ms() + KILL_WAIT_MS;
        while (!r->gone && child_now_ms() < until)
            wait_and_take(r, until);
    }
    drain(r, &r->answer, take_answer, LAST_PIECES);
    drain(r, &r->output, take_output, LAST_PIECES);
}

/* -- the result ------------------------------------------------------------------------------------------------------------ */

static void settle(struct run *r, struct arena *a, struct child_result *ret)
{
    size_t keep = r->tail.len < r->spec->max_output ? r->tail.len : r->spec->max_output;
    *ret = (struct child_result){.elapsed_ms = (unsigned)(child_now_ms() - r->start_ms), .n_answer = r->lines.len, .n_output = keep};
    ret->answer = arena_strndup(a, r->lines.p ? r->lines.p : "", r->lines.len);
    ret->output = arena_strndup(a, keep ? r->tail.p + r->tail.len - keep : "", keep);
    if (r->gone)
        child_bury(r->pid, &r->status, ret);
    if (r->ended_by_us)
        ret->end = r->gone ? r->why : CHILD_UNDEAD;
    else if (r->lines.full)
        ret->end = CHILD_FLOOD;
}

static int prepare(struct run *r, int answer[2], int output[2])
{
    int rc = child_pipe(answer);
    if (rc == 0)
        rc = child_pipe(output);
    r->answer = answer[READ];
    r->output = output[READ];
    if (rc == 0 && (fcntl(r->answer, F_SETFL, O_NONBLOCK) < 0 || fcntl(r->output, F_SETFL, O_NONBLOCK) < 0))
        rc = -errno;
    return rc;
}

int child_run(struct arena *a, const struct child_spec *spec, struct child_result *ret, struct err *e)
{
    struct run r = {.spec = spec, .answer = -1, .output = -1};
    int answer[2] = {-1, -1}, output[2] = {-1, -1};
    int rc = prepare(&r, answer, output);
    if (rc < 0)
        goto close_pipes;
    buf_init(&r.lines, spec->max_answer);
    buf_init(&r.tail, 2 * spec->max_output + 1);
    rc = hold_signals(&r);
    if (rc == 0)
        rc = start(&r, answer, output);
    child_close_fd(&answer[WRITE]);
    child_close_fd(&output[WRITE]);
    if (rc == 0) {
        follow(&r);
        settle(&r, a, ret);
    }
    buf_done(&r.lines);
    buf_done(&r.tail);
    child_signals_release(&r.signals);
close_pipes:
    child_close_fd(&answer[WRITE]);
    child_close_fd(&output[WRITE]);
    child_close_fd(&r.answer);
    child_close_fd(&r.output);
    return rc < 0 ? err_set(e, rc, _("cannot start %s: %s"), spec->exe, strerror(-rc)) : 0;
}
