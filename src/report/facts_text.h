/* SPDX-License-Identifier: Apache-2.0 */
/* facts_text - what check -v adds: the facts that were judged, as a reader wants them. */
#ifndef TG_REPORT_FACTS_TEXT_H
#define TG_REPORT_FACTS_TEXT_H
#include "report/report.h"
void facts_text(const struct report *r, struct buf *out);
#endif
