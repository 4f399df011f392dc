/* SPDX-License-Identifier: Apache-2.0 */
/* mended - what tfgpu fix says beside its plan. */
#ifndef TG_REPORT_MENDED_H
#define TG_REPORT_MENDED_H
#include "report/report.h"

/* The findings that the plan below it is for, one line each. */
void report_mending(const struct report *r, const struct finding *const *list, size_t n, struct buf *out);
/* What is mended after the plan below it, with a plan of its own; nothing where there are none. */
void report_mending_next(const struct report *r, const struct finding *const *list, size_t n, struct buf *out);
/* A finding that is not mended by itself: what it is, why not, its fix steps. why: a reason, translated */
void report_unmended(const struct report *r, const struct finding *f, const char *why, struct buf *out);
/* Findings that 'tfgpu fix ID' would take on, with their ids; nothing where there are none. */
void report_mendable(const struct report *r, const struct finding *const *list, size_t n, struct buf *out);
#endif
