/* SPDX-License-Identifier: Apache-2.0 */
/* pysource_internal - tokens of a whole Python file, for pysource.c alone. */
#ifndef TG_FORMATS_PYSOURCE_INTERNAL_H
#define TG_FORMATS_PYSOURCE_INTERNAL_H
#include "formats/pysource.h"

enum pytok_kind { PYTOK_END, PYTOK_NEWLINE, PYTOK_NAME, PYTOK_NUMBER, PYTOK_STRING, PYTOK_OP };
struct pytok {
    enum pytok_kind kind;
    struct str src;     /* as written; a string with its prefix and quotes */
};

enum { PYLEX_DEPTH_MAX = 200 };
struct pylex {
    struct str text;
    size_t at;
    uint32_t line;
    uint32_t col, alt;  /* indentation of the logical line, tabs to multiples of eight and as one blank */
    size_t depth;       /* open brackets, the last token counted */
    struct { char closer; uint32_t line; } open[PYLEX_DEPTH_MAX];
    bool fresh;         /* at the beginning of a logical line */
    bool said;          /* the logical line has a token */
    bool any_bytes;     /* the file declares an encoding: any bytes may be right */
    bool odd;           /* an f-string that newer Pythons read in another way, more brackets than are kept: what follows is not to be relied on */
};

/* PYSOURCE_OK, or PYSOURCE_NUL with its `line`. */
enum pysource_fault pylex_begin(struct pylex *l, struct str text);
/* PYSOURCE_OK: *ret is the next token. Blank lines, comments, and newlines within brackets are none. */
enum pysource_fault pylex_next(struct pylex *l, struct pytok *ret);

bool pylex_is_word(unsigned char c);                             /* letters, digits, _, and all that is not ASCII */
bool pytok_is(const struct pytok *t, const char *s);             /* a name or operator of this text */
bool pytok_is_keyword(const struct pytok *t);                    /* but for None, True and False, which are values */
bool pytok_is_soft(const struct pytok *t);                       /* a word that is a keyword in the first place of a line only */
bool pytok_only_between(const struct pytok *t);                  /* an operator that must have something on both sides */
bool pytok_cannot_follow(const struct pytok *a, const struct pytok *b); /* no program has them side by side */
struct str pytok_plain_text(const struct pytok *t);              /* what is between a string's quotes, as written */
#endif
