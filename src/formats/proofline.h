/* SPDX-License-Identifier: Apache-2.0 */
/* proofline - what the process that computes with TensorFlow answers: one JSON object a line. Format: docs/formats/proof-lines.md. */
#ifndef TG_FORMATS_PROOFLINE_H
#define TG_FORMATS_PROOFLINE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"

enum { PROOFLINE_MAX_BYTES = 16384, PROOFLINE_MAX_LINES = 10000 };
enum proofline_event { PROOFLINE_BEGIN, PROOFLINE_END, PROOFLINE_ERROR, PROOFLINE_SKIP };
/* How the process ended, as its parent saw it. */
enum proofline_exit { PROOFLINE_EXITED, PROOFLINE_SIGNALED, PROOFLINE_TIMEOUT, PROOFLINE_FLOOD, PROOFLINE_UNDEAD, PROOFLINE_NOT_STARTED };

struct proofnum { bool has; double v; }; /* never negative, finite, at most 1e18 */

struct proofline {
    const char *stage;  /* never NULL */
    enum proofline_event event;
    /* texts; NULL when absent, null or "None" */
    const char *device, *op, *dtype, *size, *placed, *name, *version, *file, *error_type, *error_text, *growth_error;
    const char *max_error_text, *cpu_error_text; /* where they are no numbers: nan, inf, shape */
    struct proofnum ms, gpus, cc, runs, flops, first_us, last_us, async_us, sync_us, tolerance, max_error, cpu_error;
    enum tri cuda_build, tf32, growth;
};

struct proofrecord {
    struct proofline *lines; size_t n_lines;
    size_t malformed;           /* lines passed over: no JSON object, a wrong type, too long, too many */
    bool quick;
    enum proofline_exit end;
    int code, signal;           /* of EXITED, SIGNALED */
    uint32_t ms, deadline_ms, peak_mib;
    const char *why, *output;   /* of NOT_STARTED; what it printed, or NULL */
};

/* One line, without its newline; not kept. false: malformed, `ret` is untouched. Members that are not known are passed over. */
bool proofline_parse(const char *p, size_t n, struct arena *a, struct proofline *ret);
/* Lines of an answer, appended to `ret`, whose other members are left as they are. cost: O(n); memory in proportion to n. */
void proofline_parse_all(const char *p, size_t n, struct arena *a, struct proofrecord *ret);
/* Member "proof" of a captured tree's manifest (docs/formats/root-manifest.md), as JSON text.
 * errors: -EBADMSG  no JSON object, or a member of the wrong type; malformed lines are only counted. `ret` untouched then. */
int proofrecord_parse(const char *p, size_t n, struct arena *a, struct proofrecord *ret, struct err *e);
#endif
