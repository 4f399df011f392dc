/* SPDX-License-Identifier: Apache-2.0 */
/* snapshot - facts as a file: what one machine knows, judged on another (docs/formats/facts.md). */
#ifndef TG_FACTS_SNAPSHOT_H
#define TG_FACTS_SNAPSHOT_H
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "facts_gen.h"

enum { FACTS_MAX_BYTES = 8 << 20, FACTS_MAX_ITEMS = 100 * 1000 };

/* The whole file. Text that is not UTF-8 becomes U+FFFD. */
void facts_write(const struct facts *f, struct buf *out);

/* facts_read - the facts of a file that facts_write, of this version or another, has made.
 *
 * p,n:     any bytes; not kept
 * ret:     in the arena; what the file lacks is as a probe that did not run leaves it. Untouched on failure
 * errors:  -EINVAL no facts file, or of a schema that we do not know; -EBADMSG damaged JSON, or a value of the wrong type or out of
 *          range: `e` names line or field; -E2BIG more than FACTS_MAX_BYTES or FACTS_MAX_ITEMS
 * cost:    O(n); memory some twenty times n */
int facts_read(struct arena *a, const char *p, size_t n, struct facts *ret, struct err *e);
#endif
