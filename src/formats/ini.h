/* SPDX-License-Identifier: Apache-2.0 */
/* ini - single values of small settings files: wsl.conf, .wslconfig (sections) and os-release (none).
 * Text may be UTF-8 with or without a byte-order mark, or UTF-16 with one (Windows editors); CRLF is fine. */
#ifndef TG_FORMATS_INI_H
#define TG_FORMATS_INI_H
#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"
#include "base/util.h"

/* The last value of `key` in `section` (names without regard to case), without blanks and quotes around it; NULL when it is
 * not set. Lines that are not understood count as absent, as WSL does it.
 * format: WSL src/shared/configfile; Microsoft Learn, "Advanced settings configuration in WSL" */
const char *ini_get(const char *text, size_t len, const char *section, const char *key, struct arena *a);

/* A WSL boolean: exactly 1, 0, true or false without regard to case; anything else leaves the default in place: unknown. */
enum tri ini_bool(const char *value);

/* Value of KEY in os-release syntax: shell assignments, quoted or not. NULL when it is not set. format: os-release(5) */
const char *osrel_get(const char *text, size_t len, const char *key, struct arena *a);

/* Text as bytes of one code unit: UTF-16 with a byte-order mark becomes ASCII with '?' for everything else, UTF-8 loses its mark.
 * Returns `p` itself where nothing has to change. */
const char *text_plain(const char *p, size_t len, struct arena *a, size_t *ret_len);
#endif
