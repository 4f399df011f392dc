/* SPDX-License-Identifier: Apache-2.0 */
/* zip - the directory of a zip archive. Format: PKWARE APPNOTE 6.3.10 (4.3.12 to 4.3.16, 4.5.3), as the wheel format of the Python
 * packaging specifications uses it: one disk, methods stored and deflate. An archive that different readers would understand
 * differently (two members of one name, overlapping members, names that lead elsewhere) is refused. */
#ifndef TG_FORMATS_ZIP_H
#define TG_FORMATS_ZIP_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/bytesrc.h"
#include "base/err.h"

enum { ZIP_STORED = 0, ZIP_DEFLATE = 8 };
enum { ZIP_MAX_DIR = 64 << 20 }; /* bytes of the central directory */
#define ZIP_MAX_TOTAL ((uint64_t)64 << 30) /* bytes of all members unpacked */

struct zip_entry {
    const char *name;        /* UTF-8 or not, as written; no control character, not absolute, without ".." */
    uint64_t size, packed;   /* bytes, unpacked and as stored */
    uint64_t header;         /* offset of the local header */
    uint64_t end;            /* offset at which the next member or the directory begins */
    uint32_t crc;
    uint16_t method, flags;
};
struct zip {
    struct zip_entry *entries; size_t n;       /* by name, as bytes; folders left out */
    const char **folders; size_t n_folders;    /* members that are folders, "x/", likewise: an archive need not have any */
};

/* zip_read - the members of an archive.
 * ret:    names in `a`; untouched on failure
 * errors: -ENOEXEC  not a zip archive at all
 *         -EBADMSG  a damaged, cut or ambiguous one; `e` says what
 *         -ENOTSUP  several disks
 *         -E2BIG    directory beyond ZIP_MAX_DIR, members beyond ZIP_MAX_TOTAL
 *         those of the source
 * cost:   two or three reads at the end, one of the directory (2 MB for 15,000 members), a sort */
int zip_read(const struct bytesrc *s, struct arena *a, struct zip *ret, struct err *e);

/* The member with this name, or NULL. */
const struct zip_entry *zip_find(const struct zip *z, const char *name);

/* Is this folder ("x/") a member of its own? */
bool zip_has_folder(const struct zip *z, const char *name);

/* Where the bytes of a member begin, from its local header. -EBADMSG: that header does not fit; -ENOTSUP: encrypted or another method. */
int zip_data(const struct bytesrc *s, const struct zip_entry *m, uint64_t *ret_off, struct err *e);
#endif
