/* SPDX-License-Identifier: Apache-2.0 */
/* wheel - a wheel file as the set of files that installing it would make, read in place. Format: "Binary distribution format" of the
 * Python packaging specifications; the archive: formats/zip. Nothing is unpacked to disk, nothing of it is executed. */
#ifndef TG_FORMATS_WHEEL_H
#define TG_FORMATS_WHEEL_H
#include "base/files.h"
#include "formats/zip.h"

struct wheel_file { const char *path; const struct zip_entry *member; }; /* path: below site-packages */
struct wheel_slot;

struct wheel {
    const struct bytesrc *src;
    struct zip zip;
    struct wheel_file *list; size_t n; /* by path, as bytes; scripts, headers and data of NAME.data/ left out */
    const char *info;                  /* "tensorflow-2.20.0.dist-info" */
    struct files files;                /* opens by path */
    struct wheel_slot *slots;
};

/* wheel_open - src, a, ret: must stay where they are until wheel_close.
 * errors: those of zip_read; -ENOEXEC: a zip archive without exactly one NAME.dist-info/METADATA at its top: not a wheel */
int wheel_open(const struct bytesrc *src, struct arena *a, struct wheel *ret, struct err *e);
void wheel_close(struct wheel *w);
/* A read of a member that gave -EBADMSG: what is wrong with it. Otherwise untouched. */
int wheel_explain(const struct wheel *w, int rc, struct err *e);
#endif
