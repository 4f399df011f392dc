/* SPDX-License-Identifier: Apache-2.0 */
/* which - what runs when a command's name is typed: the walk along PATH with the examined user's permissions, and pyenv's
 * shims resolved as pyenv does it (PYENV_VERSION, .python-version, the global version file, "system"). */
#ifndef TG_PROBE_WHICH_H
#define TG_PROBE_WHICH_H
#include "base/root.h"
#include "facts_gen.h"

struct which {
    enum fact_cmd_kind kind; /* MISSING, PROGRAM, PYENV_SHIM, SCRIPT */
    const char *path;        /* first hit on PATH, absolute; NULL when missing */
    const char *program;     /* file that really runs: the same, or what the shim leads to; NULL when that is missing */
    const char *pyenv_version; /* "3.11.7", "system"; NULL without a shim */
    const char *pyenv_origin;  /* what set that version: a file, "PYENV_VERSION"; NULL: nothing did */
};

/* Where it is typed, and what a walk leaves for the next one: pyenv's choice of versions is read once. */
struct which_at { struct root *r; struct arena *a; const char *pyenv_root, *versions, *origin; };
#define WHICH_AT(r, a) (&(struct which_at){(r), (a), NULL, NULL, NULL})

void which_find(struct which_at *at, const char *name, struct which *ret);
/* The same for a path that is known already (a shim given by its path). */
void which_path(struct which_at *at, const char *path, struct which *ret);
/* The interpreter that a script's "#!" leads to, or NULL (not a script, or it leads nowhere). */
const char *which_shebang(struct which_at *at, const char *script);
#endif
