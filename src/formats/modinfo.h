/* SPDX-License-Identifier: Apache-2.0 */
/* modinfo - what a kernel module's file says of itself: section .modinfo, "key=value" strings ended by NUL, and the mark of an
 * appended signature. format: Linux include/linux/moduleparam.h (MODULE_INFO), include/linux/module_signature.h */
#ifndef TG_FORMATS_MODINFO_H
#define TG_FORMATS_MODINFO_H
#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"
#include "base/bytesrc.h"
#include "base/err.h"

struct modinfo {
    const char *version;  /* NULL where not stated */
    const char *license;  /* the open NVIDIA module says "Dual MIT/GPL", the closed one "NVIDIA" */
    const char *vermagic; /* begins with the release of the kernel it was built for */
    bool is_signed;       /* a signature is appended; whose, is not looked at */
};

/* Value of `key` in the bytes of a .modinfo section; NULL when absent. */
const char *modinfo_get(const char *p, size_t len, const char *key, struct arena *a);

/* Read an uncompressed module.
 * errors: -EBADMSG not an ELF module or no .modinfo (compressed modules too); -EFBIG section larger than 1 MiB; those of the source
 * cost:   header, section headers, names, .modinfo and the last 28 bytes: 5 reads, about 20 kB for nvidia.ko */
int modinfo_read(const struct bytesrc *s, struct arena *a, struct modinfo *ret, struct err *e);
#endif
