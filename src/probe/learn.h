/* SPDX-License-Identifier: Apache-2.0 */
/* learn - the knowledge row of one distribution, from its own files: the same from a wheel as from the environment it was
 * installed in (file, sha256 and bytes of the wheel apart). Nothing of it is executed. */
#ifndef TG_PROBE_LEARN_H
#define TG_PROBE_LEARN_H
#include "base/files.h"
#include "facts_gen.h"
#include "probe/probe.h"

struct learn_in {
    const struct files *files;  /* of one distribution; paths below site-packages */
    const char *info;           /* "tensorflow-2.20.0.dist-info" */
    const char **objects; size_t n_objects; /* its shared objects, sorted */
};

bool learn_is_object(const char *path); /* named like a shared object: x.so, x.so.1, x.so.1.2 */

/* errors: -ENOENT, -EBADMSG: no METADATA or none that makes sense; -EBADMSG and -EIO also for a file that cannot be read to its end;
 *         -ENOTSUP: a member of a wheel that is encrypted or packed by an unknown method
 * cost:   environment: about 20 reads a shared object and 3,000 for the GPU code of TensorFlow; wheel: its shared objects are
 *         inflated once, the parts with GPU code twice */
int learn_distribution(const struct learn_in *in, struct arena *a, struct fact_wheel *ret, struct err *e);

/* learn_env.c: the distribution of the judged environment that `package` names (NULL: TensorFlow, else torch, else jax).
 * p: with packages. errors as above; -ENOENT: no such distribution; `e` says it. */
int learn_environment(struct probe *p, const char *package, struct fact_wheel *ret, struct err *e);

/* The same for the framework of the environment as a whole: jax itself holds no GPU code, what it was built for is its plugins'. */
int learn_framework(struct probe *p, struct fact_wheel *ret, struct err *e);

/* learn_wheel.c: a wheel file. name: of the file, without folders.
 * errors: -ENOEXEC: no zip archive or no wheel; those of zip_read and learn_distribution
 * cost:   one read of the file for its SHA-256, then as learn_distribution; memory below 64 MiB whatever its size */
int learn_wheel(const struct bytesrc *src, const char *name, struct arena *a, struct fact_wheel *ret, struct err *e);

/* learn_elf.c: the shared objects; fills needed, libraries, the union of their GPU code, the floors and cpu (from the note). */
int learn_objects(const struct learn_in *in, const char *const *entries, struct arena *a, struct fact_wheel *ret, struct err *e);
#endif
