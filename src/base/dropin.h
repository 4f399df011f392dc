/* SPDX-License-Identifier: Apache-2.0 */
/* dropin - the files of a folder to which anyone may add some (/etc/x/y.d). Not for folders of the judged machine (base/root.h). */
#ifndef TG_BASE_DROPIN_H
#define TG_BASE_DROPIN_H
#include <stddef.h>
#include "base/arena.h"

/* text, n: as read, a NUL behind. why: one translated line, why it was not; then text is NULL. */
struct dropin { const char *path, *name, *text; size_t n; const char *why; };

/* dropins_read - every file of the folder whose name ends in `suffix` and begins with no dot, by name.
 *
 * max_bytes: of a file; a larger one is not read
 * most:      so many files; behind them comes one row with `why`
 * Regular files only, links are followed. A folder that is not there has none; one that cannot be read is a row with its name and `why`.
 * cost:      where there is no folder, one failing open
 */
void dropins_read(struct arena *a, const char *folder, const char *suffix, size_t max_bytes, size_t most, struct dropin **ret, size_t *ret_n);
#endif
