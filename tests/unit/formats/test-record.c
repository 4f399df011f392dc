/* SPDX-License-Identifier: Apache-2.0 */
/* RECORD: columns, quoting, odd lines, and a file far larger than the window. */
#include <stdio.h>
#include "formats/record.h"
#include <errno.h>
#include <stdlib.h>
#include "tap.h"

static bool is(struct str s, const char *w)
{
    return s.n == strlen(w) && !memcmp(s.p, w, s.n);
}

static char window[RECORD_WINDOW];

static void test_lines(void)
{
    static const char text[] = "a.py,sha256=AbC_-,12\r\n\"b \"\"q\"\", c.py\",sha256=x,0\nRECORD,,\nno-comma\nbad,sha256=x,12a\nbad,nohash,1\n\n\"open,sha256=x,1\n../bin/x,,7";
    struct memsrc m = {(const unsigned char *)text, sizeof text - 1};
    struct bytesrc s = bytesrc_mem(&m);
    struct record r;
    struct record_entry e;
    record_init(&r, &s, window);
    ok(record_next(&r, &e) == 1 && is(e.path, "a.py") && is(e.hash, "AbC_-") && is(e.hash_name, "sha256") && e.has_size && e.size == 12, "plain line with CRLF");
    ok(record_next(&r, &e) == 1 && is(e.path, "b \"q\", c.py") && e.has_size && e.size == 0, "quoted path");
    ok(record_next(&r, &e) == 1 && is(e.path, "RECORD") && !e.has_size && !e.hash.n, "RECORD's own line has no hash");
    ok(record_next(&r, &e) == 1 && is(e.path, "no-comma") && !e.has_size, "a lone path");
    ok(record_next(&r, &e) == 1 && is(e.path, "../bin/x") && e.size == 7 && r.bad == 3, "bad lines are counted, the last line needs no end");
    ok(record_next(&r, &e) == 0, "end");
}

static void test_large(void)
{
    size_t n = 0, cap = 1 << 20;
    char *text = malloc(cap);
    unsigned lines = 0;
    while (n + 200 < cap)
        n += (size_t)snprintf(text + n, cap - n, "dir/%0*u.py,sha256=xxxx,%u\n", (int)(lines % 90), lines, lines), lines++;
    struct memsrc m = {(const unsigned char *)text, n};
    struct bytesrc s = bytesrc_mem(&m);
    struct record r;
    struct record_entry e;
    record_init(&r, &s, window);
    unsigned seen = 0, wrong = 0;
    for (; record_next(&r, &e) == 1; seen++)
        wrong += e.size != seen;
    ok(seen == lines && !wrong, "%u lines across window borders", lines);
    memset(text, 'x', cap);
    m.len = RECORD_WINDOW + 5;
    s = bytesrc_mem(&m);
    record_init(&r, &s, window);
    ok(record_next(&r, &e) == -E2BIG, "a line longer than the window is refused");
    free(text);
}

/* A block of headers in a file of several windows; sorted, then with the block in front of smaller names. */
static void skip(bool sorted)
{
    static char text[800000], buf[RECORD_WINDOW];
    size_t n = 0;
    n += (size_t)snprintf(text + n, sizeof text - n, "%s,,\n", sorted ? "a/first" : "m/first");
    for (int i = 0; i < 9000; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "h/include/%05d.h,sha256=x,1\n", i);
    size_t wanted_at = n;
    n += (size_t)snprintf(text + n, sizeof text - n, "%s,,7\n", sorted ? "h/lib.so" : "a/lib.so");
    for (int i = 0; i < 30000; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s/%05d,,1\n", sorted ? "z" : "b", i);
    struct memsrc m = {(const unsigned char *)text, n};
    struct bytesrc src = bytesrc_mem(&m);
    struct record r;
    struct str line;
    bool seen = false, skipped = false;
    record_init(&r, &src, buf);
    while (record_line(&r, &line) > 0) {
        if (!skipped && line.n > 10 && !memcmp(line.p, "h/include/", 10)) {
            skipped = true;
            ok(record_skip(&r, "h/include/") == sorted, sorted ? "a sorted file is bisected" : "an unsorted file is not");
        }
        seen |= line.n > 5 && !memcmp(line.p + 1, "/lib.so", 7);
    }
    ok(seen, "the line behind the block (byte %zu) is seen", wanted_at);
    ok(sorted ? r.lines < 33000 : r.lines == 39002, "%llu of 39002 lines were read", (unsigned long long)r.lines);
}

int main(void)
{
    test_lines();
    test_large();
    skip(true);
    skip(false);
    return tap_done();
}
