/* SPDX-License-Identifier: Apache-2.0 */
/* util - small string and number helpers that every floor uses. */
#ifndef TG_BASE_UTIL_H
#define TG_BASE_UTIL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "base/arena.h"

#define TG_COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define TG_CLEANUP(f) __attribute__((cleanup(f)))

enum tri { TRI_UNKNOWN = 0, TRI_NO, TRI_YES };

struct str { const char *p; size_t n; }; /* a slice; not NUL-terminated */

/* Decimal (or, with base 16, hexadecimal without 0x), the whole slice, no sign, no blanks. 0 or -EINVAL/-ERANGE. */
int str_to_u64(const char *s, size_t n, unsigned base, uint64_t *ret);
int str_to_u32(const char *s, uint32_t *ret); /* NUL-terminated decimal */

static inline bool str_eq(const char *a, const char *b) /* NULL equals only NULL */
{
    return a == b || (a && b && *a == *b && strcmp(a, b) == 0);
}
uint32_t str_hash(const char *s); /* for tables in memory: eight bytes a step, and not the same on all machines */
bool str_starts(const char *s, const char *prefix);   /* NULL starts with nothing */
bool str_ends(const char *s, const char *suffix);
/* Next line of a text that need not end in a newline; strips \n and \r\n. false at the end. Advances *pos. */
bool str_line(const char *text, size_t len, size_t *pos, struct str *ret);
struct str str_trim(struct str s); /* blanks and tabs */
/* Compare dotted numeric versions ("12.2.140" < "12.10"): <0, 0, >0. Missing parts count as 0; the compare ends at the
 * first part that is not a number. For PEP 440 versions use formats/pep440.h. */
int ver_cmp(const char *a, const char *b);
/* `version` with this prefix ("GLIBC_2.34", "GLIBC_") and a higher number than *best, or *best NULL: *best becomes its number. */
void ver_highest(const char **best, const char *version, const char *prefix);
/* Leading number of a dotted version; 0 and false when there is none. */
bool ver_major(const char *v, uint32_t *ret);

/* "64 MiB", "15.6 GiB": one digit behind the point where there is a rest. */
const char *bytes_text(struct arena *a, uint64_t bytes);

const char *path_join(struct arena *a, const char *dir, const char *name); /* one slash between; name absolute: name */
enum { PATH_BUF = 4096 }; /* the kernel takes no longer path */
/* The same into the buffer, for a path that is asked for once; longer than the kernel takes: cut to its PATH_BUF bytes, which it refuses. */
const char *path_join_in(char buf[PATH_BUF + 1], const char *dir, const char *name);
const char *path_dir(struct arena *a, const char *path);  /* "" has ".", "/x" has "/" */
bool path_is_below(const char *path, const char *dir);    /* inside the folder, not the folder itself; false for NULL and "" */
const char *path_base(const char *path);                  /* behind the last slash */
/* Text clean-up of a path: "." and empty parts go, ".." eats its predecessor. Wrong across symlinked directories;
 * only for messages and for names that we built ourselves. */
const char *path_clean(struct arena *a, const char *path);
#endif
