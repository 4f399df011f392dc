/* SPDX-License-Identifier: Apache-2.0 */
/* hashes - the checksums of the files that an index has of exact versions, as uv or pip tells them. The engine asks the index, with the user's
 * own settings; nothing is installed or written but the engine's cache. */
#ifndef TG_ACT_HASHES_H
#define TG_ACT_HASHES_H
#include "base/arena.h"
#include "base/err.h"
#include "formats/lockfile.h"

struct hashes_ask {
    const char *uv;      /* absolute; NULL: pip of `python` */
    const char *python;  /* interpreter of the environment, absolute */
    struct lock_package *packages; size_t n; /* name and version; sha256 is filled */
};
/* errors: -EIO: the engine failed (`e` has its last line), or told nothing of a package (`e` names it); those of starting it
 * cost:   of the engine; with a warm cache 0.3 s (uv), else some seconds */
int hashes_get(struct arena *a, struct hashes_ask *ask, struct err *e);
#endif
