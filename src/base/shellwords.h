/* SPDX-License-Identifier: Apache-2.0 */
/* shellwords - commands as a user would type them. What we run is never a shell string; this is what is shown. */
#ifndef TG_BASE_SHELLWORDS_H
#define TG_BASE_SHELLWORDS_H
#include <stddef.h>
#include "base/arena.h"

/* The word, in single quotes where a shell would change it. */
const char *shellword_quote(struct arena *a, const char *word);
/* "NAME=VALUE program word 'other word'": variables first. */
const char *shellwords(struct arena *a, const char *const *env, size_t n_env, const char *const *argv, size_t n_argv);
#endif
