/* SPDX-License-Identifier: Apache-2.0 */
/* shadows - modules that the import of TensorFlow would take from an unexpected place: f->tensorflow.shadows. */
#ifndef TG_PROBE_SHADOWS_H
#define TG_PROBE_SHADOWS_H
#include "probe/probe.h"

/* Needs p->sys, f->packages, f->tensorflow.package_dir. Cost: one bounded listing of the folders that come before the right
 * ones on sys.path; a folder with more entries is asked for each name instead, so that its size does not matter. */
void shadows_find(struct probe *p);
#endif
