/* SPDX-License-Identifier: Apache-2.0 */
/* ending - how a program ended, as a line. */
#include "explain/ending.h"
#include <signal.h>
#include <string.h>
#include "base/buf.h"
#include "base/util.h"
#include "gpu/signals.h"

enum { SHELL_BASE = 128, COMMAND_MAX = 72 };

/* Those that somebody else sends (SIGINT, SIGTERM) are no fault of the program. SIGKILL may be the kernel's, for want of memory. */
static bool is_fault(int sig)
{
    static const int faults[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGKILL, SIGSEGV, SIGSYS};
    for (size_t i = 0; i < TG_COUNT(faults); i++)
        if (faults[i] == sig)
            return true;
    return false;
}

const char *ending_line(struct arena *a, const struct explain_ending *e)
{
    int sig = e->by_signal ? e->signal : e->code - SHELL_BASE;
    if (!is_fault(sig))
        return NULL;
    const char *words = sigdescr_np(sig), *who = e->by_signal ? "" : " a child of it";
    return arena_printf(a, "exit code %d:%s ended by signal %d: %s, %s", e->code, who, sig, gpu_signal_name(a, sig), words ? words : "");
}

const char *ending_command(struct arena *a, const struct explain_ending *e)
{
    struct buf b;
    buf_init(&b, 0);
    for (size_t i = 0; e->argv[i] && b.len <= COMMAND_MAX; i++) {
        if (i)
            buf_addc(&b, ' ');
        buf_add_safe(&b, e->argv[i], strlen(e->argv[i]));
    }
    size_t n = b.len;
    if (n > COMMAND_MAX)
        for (n = COMMAND_MAX; n && ((unsigned char)b.p[n] & 0xc0) == 0x80;)
            n--;
    const char *text = n < b.len ? arena_printf(a, "%.*s…", (int)n, b.p) : arena_strndup(a, b.p ? b.p : "", n);
    buf_done(&b);
    return text;
}

const char *ending_signal(struct arena *a, const struct explain_ending *e)
{
    return e->by_signal ? gpu_signal_name(a, e->signal) : NULL;
}
