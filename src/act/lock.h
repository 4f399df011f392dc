/* SPDX-License-Identifier: Apache-2.0 */
/* lock - one tfgpu at a time changes anything. The lock goes with the process that holds it, however it ends. */
#ifndef TG_ACT_LOCK_H
#define TG_ACT_LOCK_H
#include "base/arena.h"
#include "base/err.h"

/* home: the folder of the journals (act/journal.h); command: said to whoever else wants the lock.
 * ret:    a descriptor; closing it gives the lock back. Programs that we start do not inherit it
 * errors: -EWOULDBLOCK: somebody else holds it; `e` says who (process and command) */
int lock_take(struct arena *a, int home, const char *command, int *ret, struct err *e);
#endif
