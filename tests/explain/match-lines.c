/* SPDX-License-Identifier: Apache-2.0 */
/* match-lines - the engine of `explain` on single expressions. stdin: records of three NUL-ended fields: expression, its literals
 * (one a line), line. stdout: a line a record: 1 it matches, 0 it does not, or what is wrong with it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "explain/match.h"

static void on_match(void *ctx, uint32_t rule, const struct match *m)
{
    (void)rule;
    (void)m;
    *(int *)ctx = 1;
}

static void one(const char *re, char *literals, const char *line)
{
    const char *list[256];
    size_t n = 0;
    for (char *p = literals; *p && n < TG_COUNT(list);) {
        list[n++] = p;
        p += strcspn(p, "\n");
        if (*p)
            *p++ = '\0';
    }
    const struct match_rule rule = {re, list, n};
    struct matcher *m;
    struct err e = {0};
    int found = 0;
    if (matcher_new(&rule, 1, 1, getenv("TFGPU_ENGINE"), &m, &e) < 0) {
        printf("%s\n", e.msg);
        return;
    }
    matcher_search(m, line, strlen(line), 0, on_match, NULL, &found);
    matcher_free(m);
    printf("%d\n", found);
}

int main(void)
{
    struct buf b;
    char piece[65536];
    buf_init(&b, 0);
    for (size_t n; (n = fread(piece, 1, sizeof piece, stdin)) > 0;)
        buf_add(&b, piece, n);
    char *p = b.p, *end = b.p + b.len;
    while (p && p < end) {
        char *field[3] = {NULL};
        for (int i = 0; i < 3 && p < end; i++) {
            field[i] = p;
            p += strlen(p) + 1;
        }
        if (!field[2])
            return 1;
        one(field[0], field[1], field[2]);
    }
    buf_done(&b);
    return 0;
}
