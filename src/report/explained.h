/* SPDX-License-Identifier: Apache-2.0 */
/* explained - renderers of what a log shows. */
#ifndef TG_REPORT_EXPLAINED_H
#define TG_REPORT_EXPLAINED_H
#include "base/arena.h"
#include "base/buf.h"
#include "base/term.h"
#include "explain/explain.h"
#include "explain/site.h"

/* For people: the first cause with its line, why and fix; then the others in short. several: name the files. */
void report_explained(struct arena *a, const struct explain_answer *x, bool several, const struct term *term, struct buf *out);
/* The same of a command that was run (x->ending), in short when it went well. */
void report_explained_run(struct arena *a, const struct explain_answer *x, const struct term *term, struct buf *out);
/* For programs: docs/schema/explain.schema.json. */
void report_explained_json(struct arena *a, const struct explain_answer *x, struct buf *out);
/* The page of one cause: everything that is known of it; text or JSON. */
void report_cause(struct arena *a, const struct explain_catalog *k, const struct explain_entry *entry, const struct term *term, struct buf *out);
void report_cause_json(struct arena *a, const struct explain_catalog *k, const struct explain_entry *entry, struct buf *out);
/* What explain knows, one after the other, with where it comes from. hidden: files that another one of their name makes void. */
struct kb_list { const struct explain_catalog *catalog; const struct site_cause *site; size_t n_site; const char *const *hidden; size_t n_hidden; };
void report_kb(struct arena *a, const struct kb_list *x, const struct term *term, struct buf *out);
void report_kb_json(struct arena *a, const struct kb_list *x, struct buf *out);
/* What `kb lint` found in a file. */
struct kb_file { const char *name; const struct site_mistakes *mistakes; const char *note; };
void report_lint(struct arena *a, const struct kb_file *files, size_t n, struct buf *out);
void report_lint_json(const struct kb_file *files, size_t n, struct buf *out);
/* The codes that one number, `name` as typed, can mean. */
void report_codes(struct arena *a, const struct explain_catalog *k, const char *name, const struct explained_reading *codes, size_t n, const struct term *term, struct buf *out);
void report_codes_json(struct arena *a, const struct explain_catalog *k, const struct explained_reading *codes, size_t n, struct buf *out);
#endif
