/* SPDX-License-Identifier: Apache-2.0 */
/* pthcode_internal - the tokens of one line of Python, for pthcode.c alone. */
#ifndef TG_FORMATS_PTHCODE_INTERNAL_H
#define TG_FORMATS_PTHCODE_INTERNAL_H
#include <stdint.h>
#include "base/util.h"

enum tok_kind { TOK_END, TOK_NAME, TOK_STRING, TOK_OPAQUE_STRING, TOK_NUMBER, TOK_OP };
struct tok {
    enum tok_kind kind;
    struct str src;     /* as written */
    struct str text;    /* STRING: decoded; OPAQUE_STRING (bytes, f-strings with fields, NULs): what is between the quotes */
    int32_t number;     /* NUMBER: decimal integers up to 99,999,999; others are -1 */
};

enum { LEX_MAX = 512 };
/* ret: tokens, the last one TOK_END. 0; -EBADMSG: no Python (a quote or bracket does not close, a character that starts nothing);
 * -E2BIG: more than LEX_MAX. cost: O(n) */
int pthcode_lex(struct str line, struct arena *a, struct tok **ret, size_t *ret_n);
#endif
