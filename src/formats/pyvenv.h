/* SPDX-License-Identifier: Apache-2.0 */
/* pyvenv - pyvenv.cfg, the file that makes a folder a Python virtual environment. Lines "key = value", keys in any case;
 * everything else is ignored. Readers: CPython's Modules/getpath.py (first `home`) and Lib/site.py (last
 * `include-system-site-packages`). */
#ifndef TG_FORMATS_PYVENV_H
#define TG_FORMATS_PYVENV_H
#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"

struct pyvenv_cfg {
    const char *home;      /* folder of the base interpreter; NULL: CPython then takes the folder for no environment */
    const char *version;   /* `version` or `version_info` of the base interpreter when the environment was made, or NULL */
    const char *executable; /* base interpreter as `venv` writes it, or NULL */
    const char *prompt;
    const char *implementation;
    const char *uv;        /* version of uv that made it, or NULL */
    bool system_site;      /* include-system-site-packages; true when the key is missing, as in site.py */
};

/* buf,len: any bytes. ret: strings in `a`. No errors: whatever is not a line of the format is passed over. O(n). */
void pyvenv_parse(const char *buf, size_t len, struct arena *a, struct pyvenv_cfg *ret);
#endif
