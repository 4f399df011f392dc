/* SPDX-License-Identifier: Apache-2.0 */
/* zipmember - one member of a zip archive as a source that can be read anywhere, without unpacking it to disk or memory.
 *
 * A deflated member is inflated as far as was asked, once; on the way the inflater's state is copied at even distances, and a
 * read behind it starts at the copy before it. The check sum is compared when the end is reached; a member that is longer
 * or shorter than the directory says, or whose sum differs, cannot be read.
 */
#ifndef TG_FORMATS_ZIPMEMBER_H
#define TG_FORMATS_ZIPMEMBER_H
#include "formats/zip.h"

struct zipmember;
enum {
    ZIPMEMBER_COPIES = 448,       /* of the inflater, 40 kB each: 17.5 MiB for a member of any size */
    ZIPMEMBER_BLOCKS = 16 << 20,  /* bytes of inflated blocks that are kept, at most 4 blocks where a block is larger than 4 MiB */
};

/* zipmember_open - zip, m: must live as long as the member.
 * errors: those of zip_data; -ENOMEM
 * cost:   nothing is inflated yet. A whole pass: as zlib inflates, 400 MB/s; a read elsewhere: half a block (1 MiB for a member of
 *         1 GB) on average, nothing when its block is kept. */
int zipmember_open(const struct bytesrc *zip, const struct zip_entry *m, struct zipmember **ret, struct err *e);
/* -EBADMSG: the packed data is damaged. */
struct bytesrc zipmember_src(struct zipmember *m);
/* What it holds of the archive's damage, or NULL: why a read gave -EBADMSG. */
const char *zipmember_damage(const struct zipmember *m);
/* Give the kept blocks back; the copies of the inflater stay. */
void zipmember_trim(struct zipmember *m);
struct zipmember *zipmember_close(struct zipmember *m); /* NULL is fine; gives NULL */
#endif
