/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"
#include <errno.h>
#include <stdlib.h>
#include "base/buf.h"
#include "base/util.h"
#include "formats/ydoc.h"

static struct arena a;

static void test_tree(void)
{
    const char *text = "\xef\xbb\xbf# a remark\nid: x-1\nlist:\n- one\n- 'two: 2'\n- {k: v}\nblock: |\n  a\n  b\nfolded: >-\n  a\n  b\n";
    struct ydoc d;
    struct err e = {0};
    uint32_t line;
    ok(ydoc_parse(text, strlen(text), &a, &d, &line, &e) == 0 && d.kind == YDOC_MAP && d.n == 4, "a map, behind a byte order mark");
    const struct ydoc *id = ydoc_get(&d, "id"), *list = ydoc_get(&d, "list"), *block = ydoc_get(&d, "block");
    ok(id && id->plain && id->line == 2 && str_eq(id->text, "x-1"), "a text knows its line");
    ok(list && list->kind == YDOC_LIST && list->n == 3 && list->of[1].line == 5 && !list->of[1].plain && str_eq(list->of[1].text, "two: 2"), "a list, with quotes");
    ok(list && list->of[2].kind == YDOC_MAP && ydoc_get(&list->of[2], "k") && !ydoc_get(&list->of[2], "v"), "a map in a line");
    ok(block && str_eq(block->text, "a\nb\n") && str_eq(ydoc_get(&d, "folded")->text, "a b"), "texts of several lines");
}

static void test_refused(void)
{
    static const struct { const char *text; size_t n; uint32_t line; const char *says, *name; } cases[] = {
        {"", 0, 1, "nothing in it", "empty"},
        {"a: 1\nb: [1, 2\nc: 3\n", 0, 3, "not YAML", "a list that does not end"},
        {"a: 1\n\tb: 2\n", 0, 2, "not YAML", "a tabulator as indentation"},
        {"a: 1\nb: \xff\n", 0, 2, "not UTF-8", "no UTF-8"},
        {"a: 1\nb: c\0d\n", 12, 2, "not UTF-8", "a NUL"},
        {"\xff\xfe" "a\0:\0", 6, 1, "not UTF-8", "UTF-16"},
        {"a: 1\nb: \"\\e[31m\"\n", 0, 2, "control character", "an escape"},
        {"a: 1\nb: \"\\0\"\n", 0, 2, "control character", "a NUL by its escape"},
        {"a: 1\nb: \"\\u0085\"\n", 0, 2, "control character", "C1"},
        {"a: 1\na: 2\n", 0, 2, "second time", "a key twice"},
        {"a: &x 1\n", 0, 1, "anchor", "an anchor"},
        {"a: 1\nb: *x\n", 0, 2, "alias", "an alias"},
        {"a: !!str 1\n", 0, 1, "tag", "a tag"},
        {"a: 1\n---\nb: 2\n", 0, 2, "second document", "two documents"},
        {"? [a]\n: b\n", 0, 1, "key that is no text", "a list as key"},
    };
    for (size_t i = 0; i < TG_COUNT(cases); i++) {
        struct ydoc d;
        struct err e = {0};
        uint32_t line = 0;
        int r = ydoc_parse(cases[i].text, cases[i].n ? cases[i].n : strlen(cases[i].text), &a, &d, &line, &e);
        if (!ok(r == -EBADMSG && line == cases[i].line && strstr(e.msg, cases[i].says), "%s", cases[i].name))
            printf("# %d, line %u: %s\n", r, line, e.msg);
    }
}

/* `times` times: before, a number, behind. */
static int parse_made(const char *before, const char *behind, size_t times, struct err *e)
{
    struct buf b;
    struct ydoc d;
    uint32_t line;
    buf_init(&b, 0);
    for (size_t i = 0; i < times; i++)
        buf_addf(&b, "%s%zu%s", before, i, behind);
    int r = ydoc_parse(b.p, b.len, &a, &d, &line, e);
    buf_done(&b);
    return r;
}

static void test_limits(void)
{
    struct err e = {0};
    ok(parse_made("[", ", ", 20000, &e) == -E2BIG && strstr(e.msg, "levels"), "20,000 brackets");
    ok(parse_made("k", ": 1\n", 5000, &e) == -E2BIG && strstr(e.msg, "keys"), "5,000 keys");
    ok(parse_made("- ", "\n", 25000, &e) == -E2BIG && strstr(e.msg, "values"), "25,000 values");
    ok(parse_made("# ", " padding padding padding\n", 20000, &e) == -E2BIG && strstr(e.msg, "KiB"), "half a megabyte");
}

int main(void)
{
    arena_init(&a, 0);
    test_tree();
    test_refused();
    test_limits();
    arena_done(&a);
    return tap_done();
}
