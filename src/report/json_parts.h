/* SPDX-License-Identifier: Apache-2.0 */
/* json_parts - pieces of the report for programs; only json_report.c and they include it. */
#ifndef TG_REPORT_JSON_PARTS_H
#define TG_REPORT_JSON_PARTS_H
#include "base/json.h"
#include "report/report.h"

/* json_gpus.c: members "gpus" and "gpu_links" */
void json_gpus(struct jw *w, const struct report *r);
#endif
