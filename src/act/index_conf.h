/* SPDX-License-Identifier: Apache-2.0 */
/* index_conf - the package index that an engine asks, as the user has set it: variables first, then the engine's own files. Settings of a
 * project (pyproject.toml) and further indexes beside it are not read. */
#ifndef TG_ACT_INDEX_CONF_H
#define TG_ACT_INDEX_CONF_H
#include "act/engines.h"

struct index_conf {
    const char *url;    /* "https://host/simple", no slash at its end; may hold a password */
    const char *from;   /* the variable or file that says so; NULL: the engine's default */
    const char *cacert; /* certificates for it, pip's setting; NULL: curl's own */
};
/* live: whose variables and files count */
void index_conf(struct arena *a, const struct root *live, enum engine e, struct index_conf *ret);
/* The address without user and password, for messages. */
const char *index_shown(struct arena *a, const char *url);
/* index-url or the index that is marked default in the text of a uv.toml; NULL: it names none. */
const char *index_of_uv_toml(struct arena *a, const char *text, size_t n);
#endif
