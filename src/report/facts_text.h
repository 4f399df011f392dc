/* SPDX-License-Identifier: Apache-2.0 */
/* facts_text - what check -v adds: the facts that were judged, as a reader wants them (JSON has them all). */
#ifndef TG_REPORT_FACTS_TEXT_H
#define TG_REPORT_FACTS_TEXT_H
#include "report/report.h"

void facts_text(const struct report *r, struct buf *out);
/* Its part about the GPUs: what the driver says of each, the ways between them, limits of the host. */
void gpus_text(const struct report *r, struct buf *out);
/* Its last part: the libraries that TensorFlow opens, each with winner, version and rule, or how the search failed. */
void libraries_text(const struct report *r, struct buf *out);
/* What TensorFlow computed (check --prove); nothing when it did not get so far. */
void proof_text(const struct report *r, struct buf *out);
/* The path with the folder of the installed packages shortened to "SP"; NULL stays NULL. */
const char *short_path(const struct report *r, const char *path);
#endif
