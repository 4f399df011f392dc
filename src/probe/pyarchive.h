/* SPDX-License-Identifier: Apache-2.0 */
/* pyarchive - a zip archive, or a folder inside one, as an entry of sys.path.
 * Rules: CPython Lib/zipimport.py; tried with tests/truth (group zip-archives). */
#ifndef TG_PROBE_PYARCHIVE_H
#define TG_PROBE_PYARCHIVE_H
#include "base/root.h"
#include "formats/zip.h"

struct pyarchive {
    const char *file;    /* the archive */
    const char *below;   /* "" or the folder inside it that the entry names, with a slash at its end */
    struct zip zip;
    struct rfile *open;
};

/* The archive that this entry of sys.path leads into; Python takes no entry for one that is a folder.
 * errors: -ENOENT  none: nothing is imported from there (no such file, no zip archive, a cut one, unreadable)
 *         -EBADMSG, -ENOTSUP, -E2BIG  an archive that others than Python understand in another way: what it holds cannot be told
 * cost:   one stat for each part of the path that is not there; two or three reads of an archive. Close what was opened. */
int pyarchive_open(struct root *r, struct arena *a, const char *entry, struct pyarchive *ret);
void pyarchive_close(struct pyarchive *z);
/* Is there such a file, as seen from the entry ("numpy/__init__.py")? */
bool pyarchive_has(const struct pyarchive *z, struct arena *scratch, const char *name);
/* Is this folder a member of the archive? Only then is it a part of a namespace package. */
bool pyarchive_has_folder(const struct pyarchive *z, struct arena *scratch, const char *name);
/* Its text, NUL added behind. errors: -ENOENT, -EFBIG (more than `max`), -EBADMSG and such: damaged or packed by another method */
int pyarchive_read(const struct pyarchive *z, const char *name, size_t max, struct arena *a, const char **ret, size_t *ret_len);
/* What can be imported from there: modules as files, packages (folders with an __init__.py, compiled or not) and other folders as folders. */
void pyarchive_list(const struct pyarchive *z, struct arena *a, struct root_dirent **ret, size_t *ret_n);
#endif
