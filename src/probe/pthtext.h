/* SPDX-License-Identifier: Apache-2.0 */
/* pthtext - whether an interpreter can decode a .pth file: with bytes that it cannot, it does not start.
 * Rules: CPython Lib/site.py (addpackage) 3.6 to 3.14, PEP 538, PEP 540; tried with tests/truth (group pth-bytes). */
#ifndef TG_PROBE_PTHTEXT_H
#define TG_PROBE_PTHTEXT_H
#include "probe/interp.h"

struct pthreader {
    bool utf8_first;    /* UTF-8 with or without a mark, then the locale's encoding; else that alone */
    bool locale_only;   /* Python's UTF-8 mode does not count */
    bool skip_hidden;   /* files whose name starts with a dot are not read */
};

/* What this site.py does. text NULL: it cannot be read, and what the version does is taken. */
struct pthreader pthreader_of(const char *text, size_t len, uint32_t minor);
/* TRI_UNKNOWN: the locale's encoding is neither UTF-8 nor ASCII. *ret_at: the first byte that does not decode.
 * cost: none beyond one pass where all is ASCII; else up to three stats, and the archive of locales is looked through */
enum tri pth_decodes(struct root *r, const struct pthreader *how, uint32_t minor, const char *text, size_t len, size_t *ret_at);
#endif
