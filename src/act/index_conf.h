/* SPDX-License-Identifier: Apache-2.0 */
/* index_conf - the package index that an engine asks, as the user has set it: variables first, then the engine's own files. Settings of a
 * project (pyproject.toml) and further indexes beside it are not read. */
#ifndef TG_ACT_INDEX_CONF_H
#define TG_ACT_INDEX_CONF_H
#include "act/engines.h"

struct index_conf {
    const char *url;    /* "https://host/simple", no slash at its end; may hold a password; NULL: the user has named none */
    const char *from;   /* the variable or file that says so; NULL with `url` */
    const char *cacert; /* certificates for it, pip's setting; NULL: curl's own */
};
/* live: whose variables and files count */
void index_conf(struct arena *a, const struct root *live, enum engine e, struct index_conf *ret);
/* The engine's default, which its help names. Starts `uv pip install --help` or `python -m pip install --help`; program: uv, else a Python.
 * NULL: it does not start, has no pip, takes longer than 20 s or names none. */
const char *index_ask(struct arena *a, enum engine e, const char *program);
/* The same from the text. Formats: uv's "(by default: <URL>)", pip's "(default URL)". */
const char *index_of_help(struct arena *a, const char *text, size_t n);
/* The address without user and password, for messages. */
const char *index_shown(struct arena *a, const char *url);
/* index-url or the index that is marked default in the text of a uv.toml; NULL: it names none. */
const char *index_of_uv_toml(struct arena *a, const char *text, size_t n);
#endif
