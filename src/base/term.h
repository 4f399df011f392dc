/* SPDX-License-Identifier: Apache-2.0 */
/* term - what the place that we print to can show. */
#ifndef TG_BASE_TERM_H
#define TG_BASE_TERM_H
#include <stdbool.h>
#include "base/buf.h"

struct term {
    bool tty;
    bool color;     /* a terminal, TERM is not "dumb", NO_COLOR is unset or empty */
    bool utf8;      /* the locale's charset is UTF-8, or the messages are Chinese */
    unsigned width; /* columns: the terminal's, 80 elsewhere; at least 40 and at most 100 (longer lines read badly) */
};

/* i18n_init() comes first. */
void term_init(struct term *t, int fd, bool no_color);

/* Write all of `b` to a descriptor. 0, or a negative errno (-EPIPE: the reader went away, which is its right). */
int term_write(int fd, const struct buf *b);
/* Open /dev/null in place of standard descriptors that are closed, so that no file of ours gets their number. Output to
 * a closed one still fails. */
void term_fill_std_fds(void);
#endif
