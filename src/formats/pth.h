/* SPDX-License-Identifier: Apache-2.0 */
/* pth - path configuration files: `name.pth` in a site folder, and `python._pth` beside an interpreter.
 * Readers: CPython's Lib/site.py (addpackage) and Modules/getpath.py. */
#ifndef TG_FORMATS_PTH_H
#define TG_FORMATS_PTH_H
#include <stddef.h>
#include <stdint.h>
#include "base/util.h"

enum pth_kind {
    PTH_PATH,        /* a path, relative to the file's folder */
    PTH_CODE,        /* "import …": site executes it; pthcode.h reads what it does to sys.path */
    PTH_IMPORT_SITE, /* "import site" in a ._pth */
};
struct pth_line { enum pth_kind kind; struct str text; uint32_t line; };

/* Next line of a .pth that means something (comments and blank lines are skipped); false at the end.
 * A byte order mark belongs to the first line: whoever passes over it starts behind it. *pos and *line start at 0. text: a slice of buf, trailing blanks cut. */
bool pth_next(const char *buf, size_t len, size_t *pos, uint32_t *line, struct pth_line *ret);
/* The same for a ._pth: "#" starts a comment anywhere, blanks are cut on both sides, a byte order mark is passed over. */
bool pth_next_isolated(const char *buf, size_t len, size_t *pos, uint32_t *line, struct pth_line *ret);
#endif
