/* SPDX-License-Identifier: Apache-2.0 */
/* fetch - a file from the network, by the program curl: resumable, and never used before its checksum is right. Files: only steps.c. */
#ifndef TG_ACT_FETCH_H
#define TG_ACT_FETCH_H
#include "act/act.h"

/* The file is whole and its checksum right when this returns 0; what came of it stays in $XDG_CACHE_HOME/tfgpu/downloads until
 * fetch_forget(), so that the next try goes on there. Proxies: curl reads the usual variables.
 * ret:    a descriptor to read from
 * errors: -EBADMSG: another checksum (what came is thrown away); -EIO: curl failed; -ENOENT: no curl */
int fetch_file(struct act *x, const struct step *s, int *ret, int *ret_stopped, struct err *e);
void fetch_forget(struct arena *a, const struct step *s);
/* A small text (at most 4 KiB), at once; nothing is kept. curl: the program, absolute.
 * errors: -EIO: curl failed; `e` has its words */
int fetch_text(struct arena *a, const char *curl, const char *url, const char **ret, struct err *e);
#endif
