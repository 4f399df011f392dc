/* SPDX-License-Identifier: Apache-2.0 */
/* child_internal - what child_run and child_pass share: starting, waiting, signals that are held back. Only they include it. */
#ifndef TG_BASE_CHILD_INTERNAL_H
#define TG_BASE_CHILD_INTERNAL_H
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/child.h"

enum { CHILD_FD_ABOVE = CHILD_FD + 1 }; /* our own descriptors do not lie where the child's will */

int64_t child_now_ms(void);
void child_close_fd(int *fd); /* sets it to -1 */
/* [0] to read, [1] to write; 0 or a negative errno. */
int child_pipe(int ret[2]);

/* Run `enter` in a new process; it does not return when it has called exec, else it gives an errno, which comes back negative.
 * It runs between vfork and exec: the memory is the parent's, so nothing but system calls. */
int child_start(int (*enter)(void *ctx), void *ctx, pid_t *ret);

/* Signals that come as descriptors until they are released; then one that was not taken does what it would have done. */
struct child_signals { int died, asked; sigset_t old_mask; struct sigaction old_chld; };
/* died: SIGCHLD; asked: these, but for those that are ignored. On failure release them all the same. */
int child_signals_hold(struct child_signals *s, const int *list, size_t n);
void child_signals_release(struct child_signals *s);

/* Is it dead? It is not buried yet: its number is still its own. */
bool child_is_dead(pid_t pid, siginfo_t *ret);
/* Bury it, and tell what it used and how it ended. */
void child_bury(pid_t pid, const siginfo_t *status, struct child_result *ret);
#endif
