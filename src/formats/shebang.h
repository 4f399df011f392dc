/* SPDX-License-Identifier: Apache-2.0 */
/* shebang - which interpreter the first lines of a script name: "#!/usr/bin/python3", "#!/usr/bin/env -S python3 -u", and the
 * shell detour that pip and distlib write when the path is long or holds a blank:
 *     #!/bin/sh
 *     '''exec' "/long/path/bin/python" "$0" "$@"
 * Rules: execve(2), "Interpreter scripts" (one optional argument, the line ends at 255 bytes). */
#ifndef TG_FORMATS_SHEBANG_H
#define TG_FORMATS_SHEBANG_H
#include <stdbool.h>
#include <stddef.h>
#include "base/util.h"

struct shebang {
    struct str program;  /* interpreter: a path, or a name when `by_path` */
    bool by_path;        /* through env(1): the name is looked up on PATH */
};

/* buf,len: the beginning of the file (1 KiB is enough); false when it is no interpreter script. Slices of buf. */
bool shebang_parse(const char *buf, size_t len, struct shebang *ret);
#endif
