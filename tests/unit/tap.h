/* SPDX-License-Identifier: Apache-2.0 */
/* tap - the few lines a unit test needs: one check is one TAP line; main() ends with `return tap_done();`. */
#ifndef TG_TESTS_TAP_H
#define TG_TESTS_TAP_H
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int tap_run, tap_failed;

__attribute__((format(printf, 2, 3), unused)) static bool ok(bool pass, const char *fmt, ...)
{
    va_list ap;
    printf("%sok %d - ", pass ? "" : "not ", ++tap_run);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    putchar('\n');
    tap_failed += !pass;
    return pass;
}

__attribute__((unused)) static bool ok_str(const char *have, const char *want, const char *name)
{
    bool same = have == want || (have && want && strcmp(have, want) == 0);
    if (!ok(same, "%s", name))
        printf("# have %s\n# want %s\n", have ? have : "(null)", want ? want : "(null)");
    return same;
}

__attribute__((unused)) static int tap_done(void)
{
    printf("1..%d\n", tap_run);
    return tap_failed != 0 || tap_run == 0;
}
#endif
