/* SPDX-License-Identifier: Apache-2.0 */
/* engine_get - an engine that is missing: where tfgpu keeps its own, and the steps that get it there. An action of its own, so that undoing an
 * environment does not take the engine away and undoing the engine leaves the environments.
 *
 * uv comes from the package index, into a virtual environment; conda as Miniforge from its publisher, whose installer runs only when its
 * SHA-256 is the one that the publisher says.
 */
#ifndef TG_ACT_ENGINE_GET_H
#define TG_ACT_ENGINE_GET_H
#include "act/engines.h"

/* The folder of tfgpu's own engine ("~/.local/share/tfgpu/engines/uv"); NULL: no HOME, or the engine is none that can be got (VENV). */
const char *engine_own_dir(struct arena *a, enum engine e);
/* The programs that are looked for in it, best first, absolute, NULL-terminated. */
const char *const *engine_own_programs(struct arena *a, enum engine e);

struct engine_get {
    enum engine engine;
    const char *python;         /* UV: the interpreter that makes its folder, absolute */
    const char *url, *sha256;   /* CONDA: the installer */
};
/* command and subject are all that act_is_pending needs: url, sha256 and python may be NULL for that. */
void engine_get_plan(struct arena *a, const struct engine_get *g, struct plan *ret);

/* The address of Miniforge's installer for `machine` ("x86_64"); base: the folder of all versions, NULL: the publisher's. */
const char *miniforge_address(struct arena *a, const char *base, const char *machine);
/* The SHA-256 of `file` in what sha256sum printed; NULL: it is not in it, or the text is not of that kind. */
const char *sum_of(struct arena *a, const char *text, const char *file);
#endif
