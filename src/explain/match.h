/* SPDX-License-Identifier: Apache-2.0 */
/* match - many regular expressions against lines. Lines are searched for literals first, by one of two engines that find the same; PCRE2
 * runs only where one is. */
#ifndef TG_EXPLAIN_MATCH_H
#define TG_EXPLAIN_MATCH_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"

/* A match contains one of the literals: 4 to 255 bytes, at least one; in a literal without capitals the case of ASCII letters does not
 * count. once: it is enough to know one line of the log that matches; `fn` is called for no further one. */
struct match_rule { const char *re; const char *const *literals; size_t n_literals; bool once; };

struct match {
    struct str line;          /* without its newline */
    size_t row;               /* newlines before it in the block */
    size_t start, end;        /* bytes of the line */
    struct match_group { const char *name; struct str value; } groups[16]; /* those that took part; the values lie in the line */
    size_t n_groups;
};
typedef void match_fn(void *ctx, uint32_t rule, const struct match *m);

struct matcher;
/* engine: "portable" (a table; every processor), "fast" (vector instructions; "portable" where the processor has none), "avx2" (as fast, without
 * AVX-512), NULL: fast.
 * errors: -E2BIG too many literals; -EINVAL no such engine, a literal of a wrong length, or an expression that PCRE2 refuses (only when
 * `try_all`; else it is compiled when a literal of it is seen first, and then never matches), `e` names it. The rules must live as long
 * as the matcher. */
int matcher_new(const struct match_rule *rules, size_t n, int try_all, const char *engine, struct matcher **ret, struct err *e);
void matcher_free(struct matcher *m);
/* Another log begins: forget which rules matched `once`. */
void matcher_reset(struct matcher *m);
/* Whole lines, with newlines between them (a carriage return in front of one belongs to it), or a part of one line. `fn` once for each
 * rule that matches a line, with its first match that ends behind byte `after`: line by line, the rules of a line in their order. Then
 * `end` (or NULL), once for each line that matched. A rule that takes more than its share of work on a line does not match. */
typedef void match_end_fn(void *ctx);
void matcher_search(struct matcher *m, const char *p, size_t n, size_t after, match_fn *fn, match_end_fn *end, void *ctx);
/* To be called in `end` only: the line once more, for matches that end behind byte `after`. */
void matcher_again(struct matcher *m, size_t after, match_fn *fn, void *ctx);
#endif
