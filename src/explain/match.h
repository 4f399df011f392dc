/* SPDX-License-Identifier: Apache-2.0 */
/* match - many regular expressions against lines. The one interface behind which the matching engines are; this one searches the
 * lines for literals first and runs PCRE2 only where one is. */
#ifndef TG_EXPLAIN_MATCH_H
#define TG_EXPLAIN_MATCH_H
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"

/* A match contains one of the literals (lower case ASCII, at least one). */
struct match_rule { const char *re; const char *const *literals; size_t n_literals; };

struct match {
    size_t start, end;        /* bytes of the line */
    struct match_group { const char *name; struct str value; } groups[16]; /* those that took part; the values lie in the line */
    size_t n_groups;
};
typedef void match_fn(void *ctx, uint32_t rule, const struct match *m);

struct matcher;
/* errors: -E2BIG too many literals; -EINVAL an expression that PCRE2 refuses (only when `try_all`; else it is compiled when a
 * literal of it is seen first, and then never matches), `e` names it. The rules must live as long as the matcher. */
int matcher_new(const struct match_rule *rules, size_t n, int try_all, struct matcher **ret, struct err *e);
void matcher_free(struct matcher *m);
/* `fn` once for each rule that matches, with its first match that ends behind byte `after`. The order is not defined. A rule that
 * takes more than its share of work on a line does not match. */
void matcher_line(struct matcher *m, const char *p, size_t n, size_t after, match_fn *fn, void *ctx);
#endif
