/* SPDX-License-Identifier: Apache-2.0 */
/* record - RECORD of an installed wheel, read as a stream: path, hash and size of every file it put there. Format: "Recording
 * installed projects" of the Python packaging specifications: CSV with three columns, paths relative to the folder that
 * holds the .dist-info one. */
#ifndef TG_FORMATS_RECORD_H
#define TG_FORMATS_RECORD_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "base/bytesrc.h"
#include "base/err.h"
#include "base/util.h"

enum { RECORD_WINDOW = 65536, RECORD_SHA256_TEXT = 43 };

struct record_entry {
    struct str path;     /* quotes removed; valid until the next call */
    struct str hash;     /* behind "sha256=", URL-safe base64 without padding; n 0 when there is none */
    struct str hash_name; /* "sha256"; n 0 when there is none */
    bool has_size;
    uint64_t size;       /* bytes */
};

struct record {
    const struct bytesrc *src;
    char *buf;            /* RECORD_WINDOW bytes of the caller */
    uint64_t off;         /* file offset of buf[have] */
    size_t pos, have;     /* next byte to read, bytes in buf */
    uint64_t lines, bad;  /* lines seen; lines that are no entry (they are skipped) */
};

void record_init(struct record *r, const struct bytesrc *src, char buf[RECORD_WINDOW]);
/* record_line - next line as it stands, without its end; 1, 0 at the end, or a negative errno (-E2BIG: a line longer than
 * RECORD_WINDOW). Cost: one read per window and one memchr per line, so that a caller can pass over most lines unparsed. */
int record_line_refilled(struct record *r, struct str *ret); /* the same where the window may hold no whole line */
static inline int record_line(struct record *r, struct str *ret)
{
    const char *at = r->buf + r->pos, *end = r->pos < r->have ? memchr(at, '\n', r->have - r->pos) : NULL;
    if (!end)
        return record_line_refilled(r, ret);
    size_t n = (size_t)(end - at);
    r->pos += n + 1;
    r->lines++;
    *ret = (struct str){at, n && at[n - 1] == '\r' ? n - 1 : n};
    return 1;
}
/* record_skip - pass over the lines that begin with `prefix`, in a file that is sorted by path as installers write it: the last line returned
 * began with it. Bisects (one read of 512 bytes a step) to within 4 KiB of the first line that does not. false: the file turned out
 * not to be sorted, or could not be read; then nothing was skipped. */
bool record_skip(struct record *r, const char *prefix);
/* record_parse - the three columns of a line; quoted fields are unquoted in place (inside the window). false: not an entry. */
bool record_parse(struct str line, struct record_entry *ret);
/* record_next - line and parse in one; lines that are no entry are counted in r->bad and skipped. */
int record_next(struct record *r, struct record_entry *ret);
#endif
