/* SPDX-License-Identifier: Apache-2.0 */
/* lock - what the commands lock and setup share. Each returns an exit code; unless EXIT_GOOD, a line is on stderr. */
#ifndef TG_CMD_LOCK_H
#define TG_CMD_LOCK_H
#include "cmd/cmd.h"
#include "formats/lockfile.h"
#include "solve/solve.h"

/* The choices of --export. */
enum export { EXPORT_LOCK, EXPORT_REQUIREMENTS, EXPORT_ENVIRONMENT, EXPORT_CONDA_EXPLICIT, EXPORT_DOCKERFILE, EXPORT_COMPOSE, EXPORT_DEVCONTAINER, EXPORT_FIRST_BOOT };

/* Reads a lock that the user names ("-": standard input). */
int lock_load(struct cmd_ctx *c, const char *path, struct lockfile *ret);
/* The lock of the environment that p found (NEED_PYTHON | NEED_PACKAGES). The checksums come from uv, or with NULL from
 * the environment's pip, which ask the index. */
int lock_make(struct cmd_ctx *c, struct probe *p, const char *uv, struct lockfile *ret);
/* uv on PATH, else the one that setup got, or NULL: then pip is asked, which fetches every package again for it (from its cache, if it has one). */
const char *lock_uv(struct cmd_ctx *c, struct root *root);
/* Does the machine have what the lock's TensorFlow needs? EXIT_BROKEN: no; the lines say why. */
int lock_fits(struct cmd_ctx *c, const struct lockfile *l, const struct solve_ask *ask);
#endif
