/* SPDX-License-Identifier: Apache-2.0 */
/* sniff - is this a log? */
#ifndef TG_EXPLAIN_SNIFF_H
#define TG_EXPLAIN_SNIFF_H
#include <stddef.h>

enum sniffed {
    SNIFF_TEXT, SNIFF_UTF16LE, SNIFF_UTF16BE, /* without byte order mark; with one it is text */
    SNIFF_GZIP, SNIFF_ZSTD, SNIFF_XZ, SNIFF_BZIP2, SNIFF_ZIP, SNIFF_TAR, SNIFF_BINARY,
};

/* What the first bytes of a file (some kB of them) are. A log may hold colours, NULs in front (a file that was cut while it was
 * written to), invalid UTF-8 and UTF-16. Nothing is text. */
enum sniffed sniff(const unsigned char *p, size_t n);
#endif
