/* SPDX-License-Identifier: Apache-2.0 */
/* term - what the place that we print to can show. */
#include "base/term.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/i18n.h"
#include "base/util.h"

enum { WIDTH_DEFAULT = 80, WIDTH_MIN = 40, WIDTH_MAX = 100 };

static bool is_set(const char *v)
{
    return v && *v;
}

/* setlocale() would read the locale's files; the charset is in its name. */
static bool locale_is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < TG_COUNT(names); i++) {
        const char *v = getenv(names[i]);
        if (is_set(v))
            return strcasestr(v, "utf-8") || strcasestr(v, "utf8");
    }
    return false;
}

void term_init(struct term *t, int fd, bool no_color)
{
    struct winsize ws;
    *t = (struct term){.width = WIDTH_DEFAULT};
    t->tty = isatty(fd) != 0;
    t->utf8 = locale_is_utf8() || !str_eq(i18n_lang(), "en");
    t->color = t->tty && !no_color && !is_set(getenv("NO_COLOR")) && !str_eq(getenv("TERM"), "dumb");
    if (t->tty && ioctl(fd, TIOCGWINSZ, &ws) == 0 && ws.ws_col)
        t->width = ws.ws_col < WIDTH_MIN ? WIDTH_MIN : ws.ws_col > WIDTH_MAX ? WIDTH_MAX : ws.ws_col;
}

int term_write(int fd, const struct buf *b)
{
    for (size_t done = 0; done < b->len;) {
        ssize_t n = write(fd, b->p + done, b->len - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        done += (size_t)n;
    }
    return 0;
}

void term_fill_std_fds(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0)
            return;
}
