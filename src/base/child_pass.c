/* SPDX-License-Identifier: Apache-2.0 */
/* child_pass - runs a user's program in our place and reads along. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>
#include "base/child_internal.h"
#include "base/i18n.h"
#include "base/util.h"

enum { CHUNK = 16384, PIECE = 4096, QUIET_MS = 100, LAST_MS = 2000, PTY_NAME = 64 }; /* PIECE: what a pipe that is ready takes at once, pipe(7) */

/* One of the child's standard descriptors. */
struct stream { int ours, from, child_end; bool is_pty; };

struct pass {
    const struct child_pass_spec *spec;
    struct child_signals signals;
    pid_t pid;
    struct stream out, err; /* err.from -1 while out carries both */
    bool gone;
    int asked;
    siginfo_t status;
};

/* A pseudo-terminal like the terminal `like`, but one that leaves the bytes as they are: the terminal itself sees to line ends. */
static int open_pty(int like, int *ret_master, int *ret_slave)
{
    char name[PTY_NAME];
    struct winsize ws;
    struct termios t;
    int slave = -1, master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master < 0)
        return -errno;
    bool good = grantpt(master) == 0 && unlockpt(master) == 0 && ptsname_r(master, name, sizeof name) == 0 && (slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)) >= 0;
    if (good && tcgetattr(like, &t) == 0) {
        t.c_oflag &= ~(tcflag_t)OPOST;
        (void)tcsetattr(slave, TCSANOW, &t);
    }
    if (good && ioctl(like, TIOCGWINSZ, &ws) == 0)
        (void)ioctl(slave, TIOCSWINSZ, &ws);
    int m = good ? fcntl(master, F_DUPFD_CLOEXEC, CHILD_FD_ABOVE) : -1, s = good ? fcntl(slave, F_DUPFD_CLOEXEC, CHILD_FD_ABOVE) : -1;
    int rc = m < 0 || s < 0 ? -errno : 0;
    child_close_fd(&master);
    child_close_fd(&slave);
    if (rc < 0) {
        child_close_fd(&m);
        child_close_fd(&s);
        return rc;
    }
    *ret_master = m;
    *ret_slave = s;
    return 0;
}

/* Where no pseudo-terminal can be had (no /dev/pts), a pipe must do. */
static int open_stream(struct stream *s)
{
    int ends[2];
    int rc = 0;
    s->is_pty = isatty(s->ours) && open_pty(s->ours, &s->from, &s->child_end) == 0;
    if (!s->is_pty) {
        rc = child_pipe(ends);
        if (rc < 0)
            return rc;
        s->from = ends[0];
        s->child_end = ends[1];
    }
    return fcntl(s->from, F_SETFL, O_NONBLOCK) < 0 ? -errno : rc;
}

static bool same_terminal(int x, int y)
{
    struct stat sx, sy;
    return isatty(x) && isatty(y) && fstat(x, &sx) == 0 && fstat(y, &sy) == 0 && sx.st_rdev == sy.st_rdev;
}

/* -- the child's side ------------------------------------------------------------------------------------------------------ */

struct entry { const struct pass *pass; pid_t parent; char **envp; };

static int enter(void *ctx)
{
    const struct entry *x = ctx;
    const struct pass *p = x->pass;
    const struct sigaction dfl = {.sa_handler = SIG_DFL};
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM); /* a sandbox may lack it */
    if (getppid() != x->parent)
        return ESRCH;
    if (dup2(p->out.child_end, STDOUT_FILENO) < 0 || dup2(p->err.child_end >= 0 ? p->err.child_end : p->out.child_end, STDERR_FILENO) < 0)
        return errno;
    if (p->spec->cwd && chdir(p->spec->cwd) < 0)
        return errno;
    (void)sigaction(SIGPIPE, &dfl, NULL);
    (void)sigprocmask(SIG_SETMASK, p->spec->mask ? p->spec->mask : &p->signals.old_mask, NULL);
    execvpe(p->spec->argv[0], (char *const *)(uintptr_t)p->spec->argv, x->envp);
    return errno;
}

/* -- signals --------------------------------------------------------------------------------------------------------------- */

static void new_size(const struct stream *s)
{
    struct winsize ws;
    if (s->is_pty && s->from >= 0 && ioctl(s->ours, TIOCGWINSZ, &ws) == 0)
        (void)ioctl(s->from, TIOCSWINSZ, &ws);
}

static void send_on(struct pass *p)
{
    struct signalfd_siginfo s;
    while (read(p->signals.asked, &s, sizeof s) == (ssize_t)sizeof s) {
        bool from_terminal = s.ssi_code == SI_KERNEL;
        if (s.ssi_signo == SIGINT || s.ssi_signo == SIGTERM || s.ssi_signo == SIGHUP || s.ssi_signo == SIGQUIT)
            p->asked = (int)s.ssi_signo;
        if (s.ssi_signo == SIGWINCH) { /* it had the terminal's, but its own had the old size then */
            new_size(&p->out);
            new_size(&p->err);
        }
        if (!p->gone && (!from_terminal || s.ssi_signo == SIGWINCH))
            (void)kill(p->pid, (int)s.ssi_signo);
    }
}

static void look(struct pass *p)
{
    struct signalfd_siginfo s;
    while (read(p->signals.died, &s, sizeof s) > 0)
        ;
    p->gone = p->gone || child_is_dead(p->pid, &p->status);
}

/* -- what it writes --------------------------------------------------------------------------------------------------------- */

/* Write it all, and send signals on while our reader lets us wait. false: nobody reads any more. */
static bool write_on(struct pass *p, int fd, const char *data, size_t n)
{
    while (n) {
        struct pollfd f[] = {{.fd = fd, .events = POLLOUT}, {.fd = p->signals.asked, .events = POLLIN}};
        if (poll(f, TG_COUNT(f), -1) < 0 && errno != EINTR)
            return false;
        if (f[1].revents)
            send_on(p);
        if (!f[0].revents)
            continue;
        ssize_t w = write(fd, data, n < PIECE ? n : PIECE);
        if (w < 0 && errno != EINTR && errno != EAGAIN)
            return false;
        data += w > 0 ? w : 0;
        n -= w > 0 ? (size_t)w : 0;
    }
    return true;
}

/* One piece; true when there was any. */
static bool take(struct pass *p, struct stream *s, int number)
{
    char chunk[CHUNK];
    ssize_t n = read(s->from, chunk, sizeof chunk);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (n <= 0) { /* EIO: a pseudo-terminal that nobody holds any more */
        child_close_fd(&s->from);
        return false;
    }
    bool written = write_on(p, s->ours, chunk, (size_t)n);
    if (p->spec->seen)
        p->spec->seen(p->spec->ctx, number, chunk, (size_t)n);
    if (!written)
        child_close_fd(&s->from); /* what it writes next fails as it would have failed without us */
    return true;
}

static bool wait_and_take(struct pass *p, int wait_ms)
{
    struct pollfd f[] = {{.fd = p->out.from, .events = POLLIN}, {.fd = p->err.from, .events = POLLIN}, {.fd = p->signals.died, .events = POLLIN},
                         {.fd = p->signals.asked, .events = POLLIN}};
    bool any = false;
    if (poll(f, TG_COUNT(f), wait_ms) <= 0)
        return false;
    if (f[3].revents)
        send_on(p);
    if (f[0].revents)
        any |= take(p, &p->out, STDOUT_FILENO);
    if (f[1].revents)
        any |= take(p, &p->err, STDERR_FILENO);
    if (f[2].revents)
        look(p);
    return any;
}

static void follow(struct pass *p)
{
    look(p);
    while (!p->gone)
        (void)wait_and_take(p, -1);
    int64_t until = child_now_ms() + LAST_MS;
    while ((p->out.from >= 0 || p->err.from >= 0) && child_now_ms() < until) {
        bool open = p->out.from >= 0, open_err = p->err.from >= 0;
        if (!wait_and_take(p, QUIET_MS) && open == (p->out.from >= 0) && open_err == (p->err.from >= 0))
            break;
    }
}

/* Ours with the spec's on top; NULL when memory is short. What is replaced comes out first. */
static char **environment(const struct child_pass_spec *spec)
{
    size_t n = 0, n_more = 0;
    while (environ[n])
        n++;
    while (spec->env && spec->env[n_more])
        n_more++;
    char **all = calloc(n + n_more + 1, sizeof *all);
    size_t k = 0;
    for (size_t i = 0; all && i < n; i++) {
        size_t name = strcspn(environ[i], "=");
        bool replaced = false;
        for (size_t m = 0; m < n_more; m++)
            replaced = replaced || (strncmp(environ[i], spec->env[m], name) == 0 && spec->env[m][name] == '=');
        if (!replaced)
            all[k++] = environ[i];
    }
    for (size_t m = 0; all && m < n_more; m++)
        all[k++] = (char *)(uintptr_t)spec->env[m];
    return all;
}

int child_pass(const struct child_pass_spec *spec, struct child_result *ret, struct err *e)
{
    static const int sent_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH};
    struct pass p = {.spec = spec, .out = {STDOUT_FILENO, -1, -1, false}, .err = {STDERR_FILENO, -1, -1, false}};
    struct entry x = {&p, getpid(), environment(spec)};
    int64_t start = child_now_ms();
    int rc = x.envp ? open_stream(&p.out) : -ENOMEM;
    if (rc == 0 && !(p.out.is_pty && same_terminal(STDOUT_FILENO, STDERR_FILENO)))
        rc = open_stream(&p.err);
    if (rc == 0) {
        rc = child_signals_hold(&p.signals, sent_on, TG_COUNT(sent_on));
        if (rc == 0)
            rc = child_start(enter, &x, &p.pid);
        child_close_fd(&p.out.child_end);
        child_close_fd(&p.err.child_end);
        if (rc == 0) {
            follow(&p);
            *ret = (struct child_result){.elapsed_ms = (unsigned)(child_now_ms() - start)};
            child_bury(p.pid, &p.status, ret);
            ret->asked = p.asked;
        }
        child_signals_release(&p.signals);
    }
    child_close_fd(&p.out.child_end);
    child_close_fd(&p.err.child_end);
    child_close_fd(&p.out.from);
    child_close_fd(&p.err.from);
    free(x.envp);
    return rc < 0 ? err_set(e, rc, _("cannot start %s: %s"), spec->argv[0], strerror(-rc)) : 0;
}
