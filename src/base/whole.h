/* SPDX-License-Identifier: Apache-2.0 */
/* whole - whole files that the user names: read at once, replaced at once. Not for files of the judged machine (base/root.h). */
#ifndef TG_BASE_WHOLE_H
#define TG_BASE_WHOLE_H
#include <stddef.h>
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

/* The bytes of a regular file or a pipe; "-": standard input. Of a file larger than `max` only the beginning is
 * read, and *ret_n is larger than `max`. errors: negative errno, -EISDIR for a folder, -EINVAL for a device; `e` says why, without the name. */
int whole_read(struct arena *a, const char *path, size_t max, char **ret, size_t *ret_n, struct err *e);

/* The file gets these bytes, or stays as it was: a new file beside it is written, synced and renamed over it, with the owner and the
 * permissions of the old one; where there was none, with `mode` less the umask. A link stays one, and the file that it names is replaced.
 * A device or a pipe of that name is written to. errors: negative errno; `e` says why, without the name. */
int whole_replace(const char *path, const struct buf *bytes, unsigned mode, struct err *e);

/* All n bytes to a descriptor, whatever it takes at once. 0 or a negative errno. */
int whole_write(int fd, const void *bytes, size_t n);
#endif
