/* SPDX-License-Identifier: Apache-2.0 */
/* index_get - pages of a package index, by the program curl, several at once. Proxies, certificates and ~/.netrc: curl reads the usual ones. */
#ifndef TG_ACT_INDEX_GET_H
#define TG_ACT_INDEX_GET_H
#include "act/index_conf.h"

struct index_page {
    const char *url;           /* in */
    bool has;                  /* the server has it (else it said 404 or 410) */
    const char *text; size_t n;
};
/* All of them. Nothing stays on the disk.
 * curl:   the program, absolute
 * errors: -EIO: curl failed, or the server refused; -EFBIG; `e` has the words, without passwords */
int index_get(struct arena *a, const char *curl, const struct index_conf *conf, struct index_page *pages, size_t n, struct err *e);
#endif
