/* SPDX-License-Identifier: Apache-2.0 */
/* gpu - asks the driver's two libraries, each in a child process of its own with the examined environment and a deadline: one that
 * hangs or crashes becomes a fact, never our own hang or crash. The child is this program again (/proc/self/exe) with GPU_CHILD as
 * its first argument; it opens one library, calls the functions of a table one by one and writes a line before and after each
 * (docs/formats/driver-answers.md). No CUDA context is created. */
#ifndef TG_GPU_GPU_H
#define TG_GPU_GPU_H
#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"
#include "base/root.h"
#include "facts_gen.h"
#include "formats/driverlog.h"

#define GPU_CHILD "--driver-child"

enum gpu_lib { GPU_CUDA, GPU_NVML, GPU_LIBS };

struct gpu_ask; /* the children of one run */

/* Start a child for each library that has a path; it works while the caller goes on.
 * path:        file to open, as the loader simulation found it; NULL: this library is not asked
 * environment: of the children, whole
 * deadline_ms: from now on, for each
 * returns:     never NULL; a child that cannot be started has its reason as an answer. cost: 0.3 ms a child */
struct gpu_ask *gpu_start(struct arena *a, const char *const path[GPU_LIBS], const struct root_env *environment, size_t n_environment, uint32_t deadline_ms);
/* Read what came until all children are done or `ms` milliseconds are over. true: all are done. */
bool gpu_wait(struct gpu_ask *g, uint32_t ms);
/* Wait for the rest of the deadline, kill what is left with all that it started, and wait at most one second for its death; one that
 * does not die is left and reported. No child and no zombie of a child that died remains. */
void gpu_finish(struct gpu_ask *g);
/* The lines of one library after gpu_finish, those of the parent included; NULL when it was not asked. */
const char *gpu_lines(const struct gpu_ask *g, enum gpu_lib lib, size_t *ret_len);

/* The child's whole life. args: what stands behind GPU_CHILD. Does not return.
 * exit status: 0 all was written; 2 it was not started by gpu_start; others: the parent is gone */
_Noreturn void gpu_child(int argc, char **argv);

/* Lines of one library (its own, or those of a manifest) into f->cuda and f->cuda_devices, or f->nvml and f->nvml_devices …
 * lines NULL: it was not asked, for the reason `why_not`. */
void gpu_answers(struct arena *a, struct facts *f, enum gpu_lib lib, const char *lines, size_t len, const char *why_not);
#endif
