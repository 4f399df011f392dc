/* SPDX-License-Identifier: Apache-2.0 */
/* facts_text - the facts that were judged, as a reader wants them. */
#include "report/facts_text.h"

void facts_text(const struct report *r, struct buf *out)
{
    (void)r;
    (void)out;
}
