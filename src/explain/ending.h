/* SPDX-License-Identifier: Apache-2.0 */
/* ending - how a program ended, as a line that the causes' patterns can match and that people can read. Pure. */
#ifndef TG_EXPLAIN_ENDING_H
#define TG_EXPLAIN_ENDING_H
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"

struct explain_ending {
    const char *const *argv;    /* of the program; NULL-terminated */
    bool by_signal;
    int code, signal;           /* code: as a shell says it: 128 + signal where one ended it */
    uint64_t elapsed_ms, peak_rss_bytes;
};

/* "exit code 132: ended by signal 4: SIGILL, Illegal instruction". Of a program that says by its exit code that its own child died
 * (128 + signal, as shells do) the same with that signal. NULL: no signal that is a fault ended it. English, as programs print it. */
const char *ending_line(struct arena *a, const struct explain_ending *e);
/* "python train.py", cut when long. */
const char *ending_command(struct arena *a, const struct explain_ending *e);
/* The signal's name, or NULL: none ended it. */
const char *ending_signal(struct arena *a, const struct explain_ending *e);
#endif
