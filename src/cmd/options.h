/* SPDX-License-Identifier: Apache-2.0 */
/* options - one generic parser for all commands' option tables: --name, --name=VALUE, --name VALUE, -x, -xy, -x VALUE, "--". */
#ifndef TG_CMD_OPTIONS_H
#define TG_CMD_OPTIONS_H
#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"
#include "base/err.h"

enum opt_kind {
    OPT_FLAG,   /* bool */
    OPT_TEXT,   /* const char *, never empty */
    OPT_LIST,   /* const char *: OPT_TEXT that may be given several times, joined by commas */
    OPT_CHOICE, /* unsigned: index into `choices` */
};

struct opt {
    const char *name;            /* without the dashes */
    char letter;                 /* short form, 0 for none */
    enum opt_kind kind;
    size_t offset;               /* of the value in the struct that is filled */
    const char *arg;             /* how --help calls the value; NULL for flags and choices */
    const char *const *choices;  /* OPT_CHOICE: NULL-terminated; the first one is the default */
    const char *bare;            /* OPT_TEXT: its value where none follows (the end, or another option); NULL: it needs one */
    const char *help;            /* one line, for translation; NULL hides the option */
};

/* opts_parse - fill `values` from argv[0..argc).
 *
 * tables:   NULL-terminated list of option tables
 * stop:     end at the first positional argument
 * ret_args: positional arguments (in the arena)
 * ret_used: how many of argv were consumed; on failure the index of the bad one
 * errors:   -EINVAL, `e` has one line for the user, with the nearest option that exists
 */
int opts_parse(struct arena *a, const struct opt *const *tables, int argc, char **argv, bool stop, void *values,
               const char ***ret_args, size_t *ret_n_args, int *ret_used, struct err *e);

/* The candidate that the user most likely meant, or NULL when none is near. `name(i)` gives the i-th candidate. */
const char *nearest_name(const char *typed, size_t n, const char *(*name)(const void *ctx, size_t i), const void *ctx);

/* How an option is written in --help: "--format text|json". */
const char *opt_usage(struct arena *a, const struct opt *o);
#endif
