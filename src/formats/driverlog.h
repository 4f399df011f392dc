/* SPDX-License-Identifier: Apache-2.0 */
/* driverlog - the lines that the driver child writes: which calls were made, what each answered, how the child ended.
 * format: docs/formats/driver-answers.md. Knows no function of any driver. */
#ifndef TG_FORMATS_DRIVERLOG_H
#define TG_FORMATS_DRIVERLOG_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"

enum {
    DRIVERLOG_LINE_MAX = 1024,  /* bytes of a line with its newline; longer ones are passed over */
    DRIVERLOG_CALLS_MAX = 16384 /* calls that are kept; further ones count as bad lines */
};

enum driverlog_end { /* what came last */
    DRIVERLOG_CUT,     /* nothing says: the lines stop */
    DRIVERLOG_END,     /* the child came to its end */
    DRIVERLOG_SIGNAL,  /* a signal ended it: `number` */
    DRIVERLOG_EXIT,    /* it went away by itself: `number` is its status */
    DRIVERLOG_TIMEOUT, /* killed at the deadline of `number` milliseconds */
};

struct driverlog_call {
    const char *what;   /* name and arguments: "cuDeviceGetName 0" */
    uint32_t hash;      /* of `what` */
    bool back;          /* it came back */
    bool missing;       /* the library does not export the function */
    int64_t code;       /* what it returned; 0 unless `back` */
    const char *value;  /* the rest of the line; "" when nothing was answered; never NULL */
    bool timed; uint64_t us; /* time that the call took */
};

struct driverlog {
    struct driverlog_call *calls; size_t n_calls; /* in the order in which they began */
    const char *at;     /* the last call that began and did not come back, or NULL */
    enum driverlog_end end;
    int64_t number;
    bool left;          /* the child could not be killed */
    bool timed; uint64_t ms;
    size_t bad;         /* lines that were passed over */
};

/* Any bytes. Never fails: what is not a record is counted in `bad`. Strings are copied into `a` (at most the input's size, control
 * characters and invalid UTF-8 stay as they are: renderers escape). cost: O(n) plus
 * one comparison of numbers for each pair of calls. */
void driverlog_parse(const char *p, size_t len, struct arena *a, struct driverlog *ret);

/* The call with this name and argument text ("cuInit", "cuDeviceGetName 0"), or NULL. */
const struct driverlog_call *driverlog_find(const struct driverlog *l, const char *what);
/* The n-th (from 0) blank-separated word of the call's value as a number, decimal with an optional minus sign; false when there is none. */
bool driverlog_number(const struct driverlog_call *c, size_t n, int64_t *ret);
#endif
