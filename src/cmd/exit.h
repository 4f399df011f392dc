/* SPDX-License-Identifier: Apache-2.0 */
/* exit - the exit codes, one table for the commands, the man page and the tests. */
#ifndef TG_CMD_EXIT_H
#define TG_CMD_EXIT_H
enum {
    EXIT_GOOD = 0,          /* the answer is good */
    EXIT_BROKEN = 1,        /* the chain is broken / the thing asked for is not so */
    EXIT_USAGE = 2,         /* usage error; a named file or environment does not exist */
    EXIT_UNDETERMINED = 3,  /* could not be determined, our own failure included */
    EXIT_ACTION = 4,        /* an action failed; rolled back or resumable */
    EXIT_INTERRUPT = 130    /* Ctrl-C */
};
#endif
