/* SPDX-License-Identifier: Apache-2.0 */
/* regex - reads a regular expression, as far as PCRE2 and Python's re understand it alike, into a tree. Matches nothing. */
#ifndef TG_EXPLAIN_REGEX_H
#define TG_EXPLAIN_REGEX_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"

enum { REGEX_MAX = 1000, REGEX_DEPTH = 24, REGEX_MANY = 0xffff };

enum regex_op {
    REGEX_LITERAL,  /* c */
    REGEX_CLASS,    /* items, negated */
    REGEX_ANY,
    REGEX_AT,       /* c: of what; no character */
    REGEX_LOOK,     /* ahead or behind; no character */
    REGEX_GROUP,    /* ways[0]; fold_on, fold_off */
    REGEX_BRANCH,   /* ways */
    REGEX_REPEAT,   /* ways[0], least to most times (REGEX_MANY: any) */
    REGEX_OTHER,    /* of what is not known */
};
/* One of: a character (lo == hi), a range, a category (its letter: d w s D W S). */
struct regex_item { unsigned char lo, hi; char category; };
struct regex_node;
struct regex_seq { struct regex_node *of; size_t n; };
struct regex_node {
    enum regex_op op;
    unsigned char c;
    bool negated, plain;    /* plain: a group that is only there for its brackets */
    bool fold_on, fold_off; /* (?i: and (?-i: */
    uint32_t least, most;
    struct regex_item *items; size_t n_items;
    struct regex_seq *ways; size_t n_ways;
};
struct regex { struct regex_seq seq; bool fold; }; /* fold: the case of letters does not count */

/* regex_parse - the tree of an expression of bytes. A common beginning of all alternatives stands before them, and alternatives of one
 * character each are a class, as in CPython's Lib/re/_parser.py.
 *
 * errors: -EINVAL: PCRE2 and Python do not understand it alike, or not at all; -E2BIG: longer than REGEX_MAX or deeper than REGEX_DEPTH;
 *         `e` has one translated line with the byte
 * cost:   O(n) but for groups in groups, whose alternatives are compared
 */
int regex_parse(struct arena *a, const char *re, struct regex *ret, struct err *e);
#endif
