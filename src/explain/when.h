/* SPDX-License-Identifier: Apache-2.0 */
/* when - the time that a line of a log begins with, and the rank whose line or file it is. Pure. */
#ifndef TG_EXPLAIN_WHEN_H
#define TG_EXPLAIN_WHEN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"

/* Times of one clock can be compared; a date without zone is that of the machine that wrote it. */
enum when_clock { WHEN_NONE, WHEN_LOCAL, WHEN_ZONED, WHEN_UPTIME, WHEN_CLOCKS };

struct when {
    enum when_clock clock;
    uint16_t year;          /* 0: the log does not say */
    uint8_t month, day;     /* from 1; 0 with WHEN_UPTIME */
    int16_t zone_min;       /* east of Greenwich */
    uint64_t us;            /* since midnight; with WHEN_UPTIME since the machine started */
};

/* The time that stands at the beginning of the line, behind a rank or an opening bracket perhaps. clock WHEN_NONE: none.
 * formats: TensorFlow "2024-01-02 03:04:05.123456: ", ISO 8601 and RFC 3339, Python's logging (a comma before the fraction), glog and
 *          absl "I0102 03:04:05.123", syslog "Jan  2 03:04:05", ctime "Tue Jan  2 03:04:05 2024", TensorRT "[01/02/2024-03:04:05]",
 *          the kernel's "[12345.678901]", Slurm's "CANCELLED AT 2024-01-02T03:04:05" */
struct when when_of_line(const char *p, size_t n);
/* A number to compare times of one clock by, in microseconds. year: for one that has none. */
int64_t when_key(const struct when *w, unsigned year);
/* As RFC 3339 writes it, without a zone when none is known; "--01-02T…" without a year, "12345.678901" of an uptime. NULL: none. */
const char *when_text(struct arena *a, const struct when *w);

enum rank_kind { RANK_NONE, RANK_RANK, RANK_TASK, RANK_WORKER, RANK_NODE };
struct rank { enum rank_kind kind; uint32_t number; };

/* By the name of a file: rank3.log, worker-2/out, slurm-123_4.out (of an array), torchrun's attempt_0/3/stderr.log. */
struct rank rank_of_name(const char *path);
/* By what the line begins with: "[rank3]:", torchrun's "[default3]:", mpirun's "[1,3]<stderr>:", "srun: error: node7: task 3:", docker
 * compose's "worker-2  |", kubectl's "[pod/worker-2/tf]", and, where `labelled` says that all
 * lines around have one, the "3: " of srun --label. *ret_n: how many bytes that is. */
struct rank rank_of_line(const char *p, size_t n, bool labelled, size_t *ret_n);
#endif
