/* SPDX-License-Identifier: Apache-2.0 */
/* lockexport - a lock in the languages of other programs. Pure. What a lock may hold (lockfile.h) stands in them as it is; nothing has to be quoted. */
#ifndef TG_FORMATS_LOCKEXPORT_H
#define TG_FORMATS_LOCKEXPORT_H
#include "formats/lockfile.h"

#define LOCKEXPORT_HOME "/opt/tfgpu" /* where Dockerfile and first-boot recipe put the environment */

void lockexport_requirements(const struct lockfile *l, struct buf *out);  /* for pip and uv, --require-hashes */
void lockexport_environment(const struct lockfile *l, struct buf *out);   /* environment.yml: Python from conda-forge, the rest through pip with checksums */
void lockexport_dockerfile(const struct lockfile *l, struct buf *out);    /* wants requirements.txt beside it */
void lockexport_compose(const struct lockfile *l, struct buf *out);       /* wants the Dockerfile beside it; reserves the GPUs where the lock is for them */
void lockexport_devcontainer(const struct lockfile *l, struct buf *out);  /* .devcontainer/devcontainer.json; the same Dockerfile one folder up */
/* A shell script for the first boot of a rented Ubuntu machine, as user data of cloud-init or by hand as root: driver, fabric manager where the
 * board has NVSwitches, the environment. */
void lockexport_first_boot(const struct lockfile *l, struct buf *out);
#endif
