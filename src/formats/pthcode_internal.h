/* SPDX-License-Identifier: Apache-2.0 */
/* pthcode_internal - the tokens of one line of Python, and what its expressions stand for; for pthcode*.c alone. */
#ifndef TG_FORMATS_PTHCODE_INTERNAL_H
#define TG_FORMATS_PTHCODE_INTERNAL_H
#include <stdint.h>
#include "formats/pthcode.h"

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
/* What a name or an expression stands for. */
enum kind { K_UNKNOWN, K_SYS, K_SITE, K_OS, K_ENVIRON, K_OS_PATH, K_SYS_PATH, K_ADDSITEDIR, K_LOCALS, K_STR,
            K_EXIT, K_ABORT, K_KILL, K_GETPID, K_SIGNAL, K_RAISE_SIGNAL, K_CTYPES, K_CDLLS, K_CDLL, K_EXEC, K_GETENV };
struct value { enum kind kind; const char *text; };
struct binding { struct str name; struct value v; };
struct strings { const char **v; size_t n; };

enum { PTHCODE_NAMES_MAX = 32 };
struct parser {
    struct arena *a;
    const struct pthcode_scope *scope;
    const struct tok *t;    /* next token */
    const struct tok *end;  /* of the statement */
    struct binding names[PTHCODE_NAMES_MAX];
    size_t n_names;
    unsigned nest;
    struct pthcode_effect *out;
    size_t n_out;
};

/* pthcode_expr.c. Each takes tokens from p->t on; false: not that, or not known, the position anywhere where nothing else is said. */
bool pthcode_is(const struct tok *t, const char *s);                            /* this word or operator */
bool pthcode_take(struct parser *p, const char *s);                             /* false: nothing taken */
bool pthcode_take_all(struct parser *p, const char *const *words);              /* all of these in a row, or none */
#define TAKE(p, ...) pthcode_take_all(p, (const char *const[]){__VA_ARGS__, NULL})
bool pthcode_at_end(const struct parser *p);
struct value *pthcode_lookup(struct parser *p, struct str name);                /* NULL: no such name */
void pthcode_bind(struct parser *p, struct str name, struct value v);           /* beyond PTHCODE_NAMES_MAX: nothing */
enum kind pthcode_member(enum kind of, const struct tok *name);                 /* K_UNKNOWN: none that matters */
bool pthcode_primary(struct parser *p, struct value *ret);                      /* a name with what follows its dots, as far as it is known */
bool pthcode_string(struct parser *p, const char **ret);                        /* an expression that is a string */
bool pthcode_string_list(struct parser *p, const char *closer, struct strings *ret); /* strings up to the closer; a comma may follow the last */
bool pthcode_list(struct parser *p, struct strings *ret);                       /* [..] or (..) of them */
/* pthcode.c: one more effect, at the end of p->out. */
struct pthcode_effect *pthcode_effect(struct parser *p, enum pthcode_op op);
/* pthcode_calls.c: a whole statement, with its effect; false: not one of these, the position as it was. */
bool pthcode_ends(struct parser *p);
bool pthcode_loads(struct parser *p);
/* pthcode_cond.c: `CONDITION and`, `CONDITION or`, with what comes behind it left. *ret: that runs. false: the position as it was. */
bool pthcode_condition(struct parser *p, bool *ret);
#endif
