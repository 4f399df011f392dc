/* SPDX-License-Identifier: Apache-2.0 */
/* integrity - what integrity.c shares with extensions.c: files against the RECORD of their package, and what is wrong with them. */
#ifndef TG_PROBE_INTEGRITY_H
#define TG_PROBE_INTEGRITY_H
#include "probe/tf_record.h"

struct target { const char *site, *package; }; /* folder that RECORD's paths start from; whose RECORD it is */

/* By stat alone: there, of RECORD's size, readable? If not, it joins f->tensorflow.tampered. true: as installed. */
bool integrity_compare_size(struct probe *p, const struct target *g, const struct tf_file *f, bool needed);
/* May this user list and search a package's folder? Python lists the folders that it looks for modules in; what it cannot list holds none for
 * it. FOLDER_CLOSED: not, and that is among the facts. cost: one or two calls.
 * Source: Lib/importlib/_bootstrap_external.py, FileFinder._fill_cache */
enum integrity_folder { FOLDER_ABSENT, FOLDER_CLOSED, FOLDER_OPEN };
enum integrity_folder integrity_compare_folder(struct probe *p, const struct target *g, const char *path);

/* extensions.c: extension modules of the packages that `import tensorflow` loads them from (data/tables/imported_modules.yaml), and the
 * libraries beside them: f->tensorflow.tampered, and where one of them stops the import, .modules. Needs f->packages, f->python.
 * cost: one RECORD a package, one stat a file; the loader is simulated only where one of them is not as installed */
void probe_extensions(struct probe *p);
/* py_sources.c: Python files of other packages without which the import fails (the same table): f->tensorflow.tampered. Needs f->packages.
 * cost: one stat a file; RECORD is read only where one is not there, empty or newer than RECORD */
void probe_py_sources(struct probe *p);
#endif
