/* SPDX-License-Identifier: Apache-2.0 */
/* list-literals - the literals that the tool finds of expressions when it runs. stdin: NUL-ended expressions. stdout: one line each, the
 * literals between tabs, or "! " and why there are none. */
#include <stdio.h>
#include <string.h>
#include "base/buf.h"
#include "explain/required.h"

int main(void)
{
    struct buf b;
    struct arena a;
    char piece[65536];
    arena_init(&a, 0);
    buf_init(&b, 0);
    for (size_t n; (n = fread(piece, 1, sizeof piece, stdin)) > 0;)
        buf_add(&b, piece, n);
    for (char *p = b.p, *end = b.p + b.len; p && p < end; p += strlen(p) + 1) {
        const char *const *literals;
        size_t n;
        struct err e = {0};
        if (required_literals(&a, p, REQUIRED_LEAST_MORE, &literals, &n, &e) < 0) {
            printf("! %s\n", e.msg);
            continue;
        }
        for (size_t i = 0; i < n; i++)
            printf("%s%s", i ? "\t" : "", literals[i]);
        printf("\n");
    }
    buf_done(&b);
    arena_done(&a);
    return 0;
}
