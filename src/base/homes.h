/* SPDX-License-Identifier: Apache-2.0 */
/* homes - the folders that a user's own files of tfgpu lie in (XDG base directory specification). */
#ifndef TG_BASE_HOMES_H
#define TG_BASE_HOMES_H
#include "base/arena.h"
#include "base/err.h"

enum homes_kind { HOMES_STATE, HOMES_CACHE, HOMES_CONFIG, HOMES_DATA };

/* $XDG_…_HOME/tfgpu, or its default below HOME; NULL where neither is an absolute path. Nothing is looked at or made. */
const char *homes_path(struct arena *a, enum homes_kind kind);
/* The folder `name` in it, made (0700) where it is missing. errors: -ENOENT: no HOME; what mkdir says; `e` has a line */
int homes_make(struct arena *a, enum homes_kind kind, const char *name, const char **ret, struct err *e);
#endif
