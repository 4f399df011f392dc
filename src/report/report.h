/* SPDX-License-Identifier: Apache-2.0 */
/* report - renderers: facts and findings in, text out. They compute nothing and decide nothing. */
#ifndef TG_REPORT_REPORT_H
#define TG_REPORT_REPORT_H
#include <stdbool.h>
#include "base/arena.h"
#include "base/buf.h"
#include "base/term.h"
#include "facts_gen.h"
#include "rules/judge.h"

struct explain_catalog;
struct report {
    struct arena *a;
    const struct facts *f;
    const struct judgement *j;
    const struct judgement *early; /* text only: what report_text_files has shown before the driver answered, or NULL */
    const struct term *term;  /* text only */
    const struct explain_catalog *catalog; /* of an answer of explain; else NULL */
    const char *machine;      /* label of a root that is not this machine, or NULL */
    bool verbose;
};

/* For people: a line a layer, the first broken link with its fix, then the other findings; verbose: every fact judged. */
void report_text(const struct report *r, struct buf *out);
/* The beginning of that report, heading and layers 1 to 4, from what the files say (r->j and r->early: the same); report_text with
 * r->early then goes on behind it, and repeats only layers that have changed since. */
void report_text_files(const struct report *r, struct buf *out);
/* For programs: docs/schema/check.schema.json. verbose: `facts` too. */
void report_json(const struct report *r, struct buf *out);
/* The row of `tfgpu learn` for people. */
void report_learned(struct arena *a, const struct fact_wheel *w, const struct term *term, struct buf *out);
#endif
