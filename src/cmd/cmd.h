/* SPDX-License-Identifier: Apache-2.0 */
/* cmd - the subcommands: one file each, one row each in the table of main.c.
 *
 * To add a command: write src/cmd/<name>.c with `int cmd_<name>(struct cmd_ctx *c)`, declare it below, add its row and
 * option table in table.c. --help, the man page's OPTIONS and the completions come from these tables.
 */
#ifndef TG_CMD_CMD_H
#define TG_CMD_CMD_H
#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"
#include "base/buf.h"
#include "base/root.h"
#include "base/term.h"
#include "cmd/exit.h"
#include "cmd/options.h"
#include "probe/probe.h"

enum format { FORMAT_TEXT, FORMAT_JSON };
enum fail_on { FAIL_ON_BROKEN, FAIL_ON_DEGRADED };

/* What the user asked for; a command sees its own options and the common ones. Strings are the user's, NULL when not given. */
struct options {
    const char *env;      /* --env: environment, folder, interpreter, kernel */
    const char *root;     /* --root: directory of a captured machine */
    const char *program;  /* --program */
    const char *from;     /* --from */
    const char *driver_timeout; /* --driver-timeout: seconds */
    const char *package;  /* --package */
    const char *prove_timeout; /* --prove-timeout: seconds */
    const char *snapshot; /* --snapshot: a facts file */
    const char *output;   /* -o, --output */
    const char *lock;     /* --lock */
    const char *driver, *gpus, *python, *tf, *with, *glibc; /* what solve and setup are told instead of asking the machine; lists with commas */
    unsigned engine, os;  /* --engine, --os: indices into their choices; 0: not given */
    bool wsl;             /* --wsl */
    unsigned format;      /* enum format */
    unsigned export;      /* --export: index into its choices; 0: not given */
    unsigned fail_on;     /* enum fail_on */
    unsigned lang;        /* index into the choices of --lang; 0: from the locale */
    bool prove, quick;    /* --prove, --quick */
    bool run;             /* --run */
    bool check;           /* --check */
    bool dry_run, yes, list, jupyter, conda_init, online; /* --dry-run, --yes, --list, --jupyter, --conda-init, --online */
    bool verbose, deep, no_color, no_machine, help, help_man, version;
};

struct cmd_ctx;
struct cmd {
    const char *name;
    int (*run)(struct cmd_ctx *c);      /* returns the exit code */
    const struct opt *opts;             /* its own options, end marked by a row without name; the common ones come on top */
    const char *args;                   /* positional arguments as --help shows them, "" for none */
    size_t min_args, max_args;
    const char *help;                   /* one line */
    const char *more;                   /* a paragraph for its own --help, or NULL */
};

struct cmd_ctx {
    struct arena *a;
    const struct cmd *cmd;
    struct options o;
    const char **args; size_t n_args;   /* positional arguments */
    struct term term;                   /* of stdout */
};

extern const struct cmd commands[];
extern const size_t n_commands;
extern const struct opt common_opts[];
extern const char *const lang_choices[]; /* NULL-terminated; [0]: from the locale */

int cmd_check(struct cmd_ctx *c);
int cmd_env(struct cmd_ctx *c);
int cmd_explain(struct cmd_ctx *c);
int cmd_fix(struct cmd_ctx *c);
int cmd_jupyter(struct cmd_ctx *c);
int cmd_kb(struct cmd_ctx *c);
int cmd_learn(struct cmd_ctx *c);
int cmd_lock(struct cmd_ctx *c);
int cmd_setup(struct cmd_ctx *c);
int cmd_snapshot(struct cmd_ctx *c);
int cmd_solve(struct cmd_ctx *c);
int cmd_undo(struct cmd_ctx *c);
int cmd_why(struct cmd_ctx *c);

/* Helpers that every command uses. Those that return an exit code return EXIT_GOOD when all went well; else one line is on
 * stderr already. */

/* "tfgpu: …" on stderr, control characters escaped; returns `code`. */
int cmd_fail(const struct cmd_ctx *c, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The live machine or --root. Close with root_close(). */
int cmd_open_root(struct cmd_ctx *c, struct root **ret);
/* Fills *p (facts in the arena) with what `needs` (NEED_*) asks for. Opens the root, which stays open. What the caller has set in
 * p->driver_known and p->caller stays; the rest is overwritten. */
int cmd_probe(struct cmd_ctx *c, unsigned needs, struct probe *p);
/* The facts of --snapshot FILE in the arena, instead of cmd_probe. Options that ask the machine anything are refused with it. */
int cmd_facts_file(struct cmd_ctx *c, struct facts **ret);
/* The root ran out of file descriptors (root_starved): no answer, one line on stderr, EXIT_UNDETERMINED. */
int cmd_starved(const struct cmd_ctx *c, const struct root *root);
/* Write a file that the user asked for: to --output, all or nothing (a new one with `mode`), or to standard output. */
int cmd_write(const struct cmd_ctx *c, const struct buf *out, unsigned mode);
/* Write the report. A reader that went away is no failure; any other error is EXIT_UNDETERMINED. */
int cmd_print(const struct cmd_ctx *c, const struct buf *out);
#endif
