/* SPDX-License-Identifier: Apache-2.0 */
/* shellrc - what the start-up files of bash and zsh (.bashrc, .profile, .zshrc, activation scripts) define: aliases, functions,
 * assignments, files they read, and the block that `conda init` writes. A lexer, not a shell: conditions are not evaluated,
 * the commands of both branches are listed. Grammar: POSIX.1-2017, Shell Command Language, 2.3 Token Recognition. */
#ifndef TG_FORMATS_SHELLRC_H
#define TG_FORMATS_SHELLRC_H
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/util.h"

enum { SHELLRC_MAX_ITEMS = 2048, SHELLRC_MAX_WORDS = 64, SHELLRC_MAX_DEPTH = 16, SHELLRC_MAX_VALUE = 32 << 10 };

enum shellrc_kind {
    SHELLRC_ALIAS,       /* name, value: the word as written */
    SHELLRC_UNALIAS,     /* name */
    SHELLRC_FUNCTION,    /* name, value: the body without its braces */
    SHELLRC_ASSIGN,      /* name, value; `exported` for export and declare -x */
    SHELLRC_SOURCE,      /* value: the file, as written */
    SHELLRC_EVAL,        /* value: its first word, as written */
    SHELLRC_CONDA_BEGIN, /* "# >>> conda initialize >>>" */
    SHELLRC_CONDA_END,
};
struct shellrc_item {
    enum shellrc_kind kind;
    struct str name, value; /* slices of the text, quotes and all: shell_expand() makes text of them */
    uint32_t line;          /* 1-based */
    bool exported;
};

/* buf,len: any bytes; must live as long as the items. ret: items in file order. Commands inside function bodies are not
 * listed. No errors: what cannot be told is passed over; at most SHELLRC_MAX_ITEMS. O(n). */
void shellrc_parse(const char *buf, size_t len, struct arena *a, struct shellrc_item **ret, size_t *ret_n);

/* One word of shell text: its end (index behind it), starting at pos. Quotes, ${}, $() and `` are kept together. */
size_t shell_word_end(const char *buf, size_t len, size_t pos);

struct shell_vars {
    const char *(*get)(void *ctx, const char *name);                       /* a variable's value, or NULL */
    const char *(*command)(void *ctx, struct arena *a, struct str text);   /* what $(text) would print, or NULL: not known; may be NULL */
    void *ctx;
};
/* A word as the shell would see it: quotes removed, ~, $NAME, ${NAME}, ${NAME:-w}, ${NAME:+w} replaced. `*complete` becomes
 * false when something could not be worked out (it is then replaced by nothing); it is never set to true. */
const char *shell_expand(struct arena *a, struct str word, const struct shell_vars *vars, bool *complete);
#endif
