/* SPDX-License-Identifier: Apache-2.0 */
/* child - runs another program with a deadline and takes the lines that it answers; it can hang, crash, flood or refuse to die
 * without our doing the same. Knows nothing of what is asked.
 *
 * The child leads a process group of its own, has /dev/null as standard input, writes no core file, and is killed by the kernel
 * when we die first. Its answer comes through a descriptor of its own; what it and its libraries print on standard output and
 * standard error is kept apart. Ctrl-C, SIGTERM, SIGHUP and SIGQUIT sent to us while it runs kill its group at once and then do to
 * us what they would have done.
 */
#ifndef TG_BASE_CHILD_H
#define TG_BASE_CHILD_H
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"

enum { CHILD_FD = 3 };  /* the descriptor in the child that takes the answer */

struct child_spec {
    const char *exe;         /* run as it is: no search along PATH */
    const char *const *argv; /* NULL-terminated, [0] included */
    const char *const *envp; /* NULL-terminated; the whole environment of the child */
    const char *cwd;         /* NULL: ours */
    unsigned deadline_ms;    /* from the start; then the group is killed */
    size_t max_answer;       /* bytes; a child that answers more is killed */
    size_t max_output;       /* last bytes of standard output and error that are kept; the rest is thrown away */
    /* Called for each whole line of the answer as it comes, without its newline (text[n] is NUL; the text may hold NUL bytes too,
     * and is good during the call). NULL: not wanted. */
    void (*line)(void *ctx, const char *text, size_t n);
    void *ctx;
};

enum child_end {
    CHILD_EXITED,   /* `code` */
    CHILD_SIGNALED, /* ended by `signal`, which was not ours */
    CHILD_TIMEOUT,  /* did not end in time; killed */
    CHILD_FLOOD,    /* answered more than max_answer; killed */
    CHILD_UNDEAD,   /* killed after the deadline or for flooding, but not gone one second later; left alone */
};

struct child_result {
    enum child_end end;
    int code, signal;
    int asked;                           /* child_pass: the last signal that asked us to end (SIGINT, SIGTERM, SIGHUP, SIGQUIT), 0 for none */
    const char *answer; size_t n_answer; /* all that came, cut at max_answer; NUL behind it */
    const char *output; size_t n_output; /* the last max_output bytes printed; NUL behind it */
    unsigned elapsed_ms;                 /* start to end */
    uint64_t peak_rss_bytes, cpu_us;     /* of the child; 0 when it is undead */
};

/* Returns when the child and all that it started in its group are gone (or CHILD_UNDEAD), at most one second after the deadline.
 * No zombie stays behind but an undead child. What the child started and put into another group is not waited for.
 *
 * ret:    in the arena; untouched on failure
 * errors: the errno of what kept the program from starting: -ENOENT, -EACCES, -ENOEXEC … of `exe`, -EMFILE, -EAGAIN
 * cost:   some 30 system calls and one vfork: below half a millisecond beside the child's own work */
int child_run(struct arena *a, const struct child_spec *spec, struct child_result *ret, struct err *e);

/* Runs a user's program in our place, for as long as it wants: it has our standard input, environment, folder and process group, and
 * what it writes on standard output and error goes to ours unchanged, and to `seen` too. Where ours is a terminal it writes to a
 * pseudo-terminal of the same size, so that it behaves as it would without us; where both are, it has one for both, so that their
 * order is kept. Signals that are sent to us alone (SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2) are sent on to it; what
 * a terminal sends to its foreground group it gets by itself. It is asked to end (SIGTERM) when we die first. */
struct child_pass_spec {
    const char *const *argv; /* NULL-terminated; [0] is searched along PATH */
    const char *const *env;  /* NAME=VALUE on top of our environment, NULL-terminated; NULL: nothing */
    const char *cwd;         /* NULL: ours */
    const sigset_t *mask;    /* signals that are held back from it; NULL: those that are from us */
    /* What it wrote on standard output (1) or error (2), after it was written to ours; good during the call. On one pseudo-terminal
     * all comes as 1. NULL: not wanted. */
    void (*seen)(void *ctx, int stream, const char *p, size_t n);
    void *ctx;
};
/* Returns when the program has ended and what it wrote was read: to its end, or until what it left running is silent for 0.1 s, at
 * most 2 s. A reader of ours that went away shows to the program as it would without us.
 *
 * ret:    end is CHILD_EXITED or CHILD_SIGNALED; answer and output are NULL; elapsed_ms, peak_rss_bytes, cpu_us
 * errors: as for child_run */
int child_pass(const struct child_pass_spec *spec, struct child_result *ret, struct err *e);
#endif
