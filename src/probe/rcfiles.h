/* SPDX-License-Identifier: Apache-2.0 */
/* rcfiles - what the user's shell start-up files say about Python, PATH, conda and LD_LIBRARY_PATH. */
#ifndef TG_PROBE_RCFILES_H
#define TG_PROBE_RCFILES_H
#include "formats/shellrc.h"
#include "probe/probe.h"

/* Variables as a start-up file sees them: what it assigned itself, then `fixed`, then the examined process' environment. */
struct rc_vars {
    struct probe *p;
    const struct root_env *fixed; size_t n_fixed;
    struct root_env *own; size_t n_own;
};
const char *rc_get(void *ctx, const char *name);           /* shell_vars.get; ctx: struct rc_vars */
void rc_set(struct rc_vars *v, const char *name, const char *value);
/* shell_vars.command: `dirname $(python -c 'import nvidia.cudnn; print(nvidia.cudnn.__file__)')` and its kin, from the files
 * of the judged environment (needs p->f->python). NULL for everything else. */
const char *rc_command(void *ctx, struct arena *a, struct str text);

/* f->shell_files from the files of the user's shell (SHELL; both bash's and zsh's when that is unknown) and those that they
 * read, one level deep. */
void rc_scan(struct probe *p);
/* The last definition of a name as alias or function, or NULL. */
const struct fact_shell_file *rc_definition(const struct facts *f, const char *name);
#endif
