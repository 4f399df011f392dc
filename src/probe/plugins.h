/* SPDX-License-Identifier: Apache-2.0 */
/* plugins - libraries of others that the end of `import tensorflow` opens. */
#ifndef TG_PROBE_PLUGINS_H
#define TG_PROBE_PLUGINS_H
#include "probe/probe.h"

/* Opens them in p->proc, up to the first that cannot be loaded, and adds them to f->tensorflow.modules. Needs p->sys and the import chain
 * in p->proc. cost: nothing where there are none, but for one look into the user's site folder */
void plugins_open(struct probe *p);

enum plugins_early { PLUGINS_NONE, PLUGINS_SUSPECT /* of that name, but not the real one: its symbols count */, PLUGINS_KILLS /* stated in .modules */ };
/* Is TensorFlow's own library among what is loaded before Python runs (LD_PRELOAD)? For p->proc that has just started. */
enum plugins_early plugins_preloaded(struct probe *p);
#endif
