/* SPDX-License-Identifier: Apache-2.0 */
/* test-child - programs that answer, crash, hang, flood and leave children behind; none of them costs us more than its deadline. */
#include "base/child.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tap.h"

enum { ANSWER = 4096, OUTPUT = 1000, DEADLINE = 20000, SHORT = 300 };

/* In place of the C library's: lets a test make a child that SIGKILL does not reach. */
static bool kill_is_lost;
int kill(pid_t pid, int sig)
{
    return kill_is_lost ? 0 : (int)syscall(SYS_kill, pid, sig);
}

static int run(struct arena *a, const char *script, unsigned deadline_ms, struct child_result *r)
{
    const char *const argv[] = {"sh", "-c", script, NULL}, *const envp[] = {"PATH=/usr/bin:/bin", "ONLY=this", NULL};
    struct err e = {0};
    *r = (struct child_result){0};
    return child_run(a, &(struct child_spec){.exe = "/bin/sh", .argv = argv, .envp = envp, .deadline_ms = deadline_ms,
                                             .max_answer = ANSWER, .max_output = OUTPUT}, r, &e);
}

static bool no_child_left(void)
{
    return waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;
}

static void test_answers(struct arena *a)
{
    struct child_result r;
    ok(run(a, "echo one >&3; printf two >&3; echo out; echo err >&2; exit 5", DEADLINE, &r) == 0, "it starts");
    ok(r.end == CHILD_EXITED && r.code == 5, "its exit code is told");
    ok_str(r.answer, "one\ntwo", "the answer is whole, its last line without newline too");
    ok_str(r.output, "out\nerr\n", "what it prints is kept apart");
    ok(r.peak_rss_bytes > 100000 && r.peak_rss_bytes < 100000000, "its memory is told");
    run(a, "env | grep -v -e ^PWD= -e ^_= -e ^SHLVL= >&3; read x || echo eof >&3", DEADLINE, &r);
    ok(strstr(r.answer, "ONLY=this\n") && strstr(r.answer, "eof\n") && !strstr(r.answer, "HOME="), "its environment is what was given, its input is empty");
    dup2(STDOUT_FILENO, 200);
    run(a, "ls /proc/self/fd >&3", DEADLINE, &r);
    close(200);
    ok(strcmp(r.answer, "0\n1\n2\n3\n4\n") == 0 || syscall(SYS_close_range, 200, 201, 0) < 0, "no descriptor leaks (4 is the folder that is listed)");
    run(a, "ulimit -c >&3; trap >&3; kill -PIPE $$", DEADLINE, &r);
    ok(r.end == CHILD_SIGNALED && r.signal == SIGPIPE, "SIGPIPE has its default meaning");
    ok(no_child_left(), "no zombie");
}

static void test_ends_badly(struct arena *a)
{
    struct child_result r;
    run(a, "echo before >&3; kill -SEGV $$; echo after >&3", DEADLINE, &r);
    ok(r.end == CHILD_SIGNALED && r.signal == SIGSEGV, "a crash names its signal");
    ok_str(r.answer, "before\n", "what was answered before is kept");
    run(a, "echo before >&3; while :; do :; done", SHORT, &r);
    ok(r.end == CHILD_TIMEOUT && r.elapsed_ms >= SHORT && r.elapsed_ms < SHORT + 1000, "one that spins is killed in time (%u ms)", r.elapsed_ms);
    ok_str(r.answer, "before\n", "its answer so far is kept");
    run(a, "trap '' TERM INT HUP; exec 3>&-; echo hidden; sleep 60", SHORT, &r);
    ok(r.end == CHILD_TIMEOUT && r.signal == SIGKILL && r.elapsed_ms < SHORT + 1000, "one that ignores signals and closes its answer is killed in time");
    run(a, "kill -STOP $$", SHORT, &r);
    ok(r.end == CHILD_TIMEOUT && r.elapsed_ms < SHORT + 1000, "a stopped one is killed in time");
    run(a, "while :; do echo 0123456789012345678901234567890123456789 >&3; done", DEADLINE, &r);
    ok(r.end == CHILD_FLOOD && r.n_answer == ANSWER && r.elapsed_ms < DEADLINE / 2, "one that answers too much is killed");
    run(a, "i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done; echo fine >&3", DEADLINE, &r);
    ok(r.end == CHILD_EXITED && r.n_output == OUTPUT && strstr(r.output, "line 2999\n"), "much output is no fault; its end is kept");
    ok(no_child_left(), "no zombie");
}

static void test_leaves_children(struct arena *a)
{
    struct child_result r;
    run(a, "sleep 60 & echo $! >&3", DEADLINE, &r);
    ok(r.end == CHILD_EXITED && r.elapsed_ms < DEADLINE / 2, "a grandchild that holds the pipes does not hold us");
    pid_t left = (pid_t)strtol(r.answer, NULL, 10);
    for (int i = 0; i < 100 && syscall(SYS_kill, left, 0) == 0; i++) {
        char path[64], state[64] = "";
        snprintf(path, sizeof path, "/proc/%d/stat", (int)left);
        int fd = open(path, O_RDONLY);
        ssize_t n = fd < 0 ? 0 : read(fd, state, sizeof state - 1);
        if (fd >= 0)
            close(fd);
        if (n <= 0 || strstr(state, ") Z"))
            break;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        if (i == 99)
            left = 0;
    }
    ok(left > 0, "it is killed with its group");
    run(a, "setsid sh -c 'while :; do echo x; done' & sleep 0.2; echo done >&3", DEADLINE, &r);
    ok(r.end == CHILD_EXITED && r.elapsed_ms < DEADLINE / 2, "one that left the group and prints for ever does not hold us");
}

static void test_undead(struct arena *a)
{
    struct child_result r;
    kill_is_lost = true;
    run(a, "echo $$ >&3; exec sleep 60", SHORT, &r);
    kill_is_lost = false;
    ok(r.end == CHILD_UNDEAD && r.elapsed_ms < SHORT + 1500, "one that cannot be killed is left after a second (%u ms)", r.elapsed_ms);
    pid_t pid = (pid_t)strtol(r.answer, NULL, 10);
    kill(pid, SIGKILL);
    ok(waitpid(pid, NULL, 0) == pid, "and is still there then");
}

static void test_no_start(struct arena *a)
{
    static const struct { const char *exe, *cwd; int want; } cases[] = {
        {"/nonexistent/program", NULL, -ENOENT}, {"/etc/passwd", NULL, -EACCES}, {"/", NULL, -EACCES}, {"/bin/sh", "/nonexistent", -ENOENT}};
    const char *const argv[] = {"x", NULL}, *const envp[] = {NULL};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct child_result r;
        struct err e = {0};
        int rc = child_run(a, &(struct child_spec){.exe = cases[i].exe, .argv = argv, .envp = envp, .cwd = cases[i].cwd, .deadline_ms = DEADLINE,
                                                   .max_answer = 10, .max_output = 10}, &r, &e);
        ok(rc == cases[i].want && strstr(e.msg, cases[i].exe), "%s: %s", cases[i].exe, e.msg);
    }
    ok(no_child_left(), "no zombie");
}

struct seen { char text[200]; };

static void on_line(void *ctx, const char *text, size_t n)
{
    struct seen *s = ctx;
    snprintf(s->text + strlen(s->text), sizeof s->text - strlen(s->text), "[%s %zu]", text, n);
}

static void test_lines(struct arena *a)
{
    const char *const argv[] = {"sh", "-c", "printf 'a\\nb' >&3; sleep 0.05; printf 'c\\n\\nd\\0e\\nrest' >&3", NULL}, *const envp[] = {"PATH=/bin:/usr/bin", NULL};
    struct child_result r;
    struct seen seen = {0};
    struct err e = {0};
    int rc = child_run(a, &(struct child_spec){.exe = "/bin/sh", .argv = argv, .envp = envp, .deadline_ms = DEADLINE, .max_answer = 100, .max_output = 10,
                                               .line = on_line, .ctx = &seen}, &r, &e);
    ok(rc == 0 && r.n_answer == 14, "an answer with a NUL byte is whole");
    ok_str(seen.text, "[a 1][bc 2][ 0][d 3]", "lines come whole, the unfinished one does not");
}

/* Us, in a process of our own: a signal ends both, in its usual way. */
static void test_interrupt(struct arena *a, int sig)
{
    int fds[2];
    char pid[32] = "";
    if (pipe(fds) < 0)
        return;
    pid_t us = fork();
    if (us == 0) {
        struct child_result r;
        char script[128];
        dup2(fds[1], 9);
        snprintf(script, sizeof script, "echo $$ >/proc/%d/fd/9; exec sleep 60", (int)getpid());
        run(a, script, DEADLINE, &r);
        _exit(1);
    }
    close(fds[1]);
    ssize_t n = read(fds[0], pid, sizeof pid - 1);
    close(fds[0]);
    kill(us, sig);
    int status;
    waitpid(us, &status, 0);
    ok(n > 0 && WIFSIGNALED(status) && WTERMSIG(status) == sig, "signal %d ends us as it would have", sig);
    pid_t child = (pid_t)strtol(pid, NULL, 10);
    for (int i = 0; i < 200 && waitpid(child, NULL, 0) != child && kill(child, 0) == 0; i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    ok(child > 0 && kill(child, 0) < 0, "and the child with us");
}

int main(void)
{
    struct arena a;
    arena_init(&a, 0);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    test_answers(&a);
    test_ends_badly(&a);
    test_leaves_children(&a);
    test_undead(&a);
    test_no_start(&a);
    test_lines(&a);
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* to reap what a killed "us" left */
    test_interrupt(&a, SIGINT);
    test_interrupt(&a, SIGTERM);
    test_interrupt(&a, SIGKILL); /* the kernel kills the child */
    arena_done(&a);
    return tap_done();
}
