/* SPDX-License-Identifier: Apache-2.0 */
/* String, number, path, buffer and JSON helpers. */
#include <errno.h>
#include <string.h>
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/util.h"
#include "tap.h"

static void numbers(void)
{
    uint64_t v = 7;
    uint32_t w;
    ok(str_to_u64("18446744073709551615", 20, 10, &v) == 0 && v == UINT64_MAX, "largest number");
    ok(str_to_u64("18446744073709551616", 20, 10, &v) == -ERANGE, "one more overflows");
    ok(str_to_u64("", 0, 10, &v) == -EINVAL && str_to_u64("-1", 2, 10, &v) == -EINVAL && str_to_u64("1a", 2, 10, &v) == -EINVAL, "not numbers");
    ok(str_to_u64("fF", 2, 16, &v) == 0 && v == 255, "hexadecimal");
    ok(str_to_u32("4294967296", &w) == -ERANGE, "too large for 32 bits");
    ok(ver_cmp("12.2.140", "12.10") < 0 && ver_cmp("9.28.0", "9.3") > 0 && ver_cmp("12", "12.0.0") == 0, "versions compare by number");
    ok(ver_cmp("99999999999999999999999999", "2.36") > 0 && ver_cmp("1.18446744073709551616", "1.18446744073709551617") < 0 && ver_cmp("2.036", "2.36") == 0, "numbers of any length");
    ok(ver_cmp("1.", "1") == 0 && ver_cmp("", "0") == 0 && ver_cmp("1.x", "1") == 0, "what is no number ends them");
    ok(ver_major("535.104.05", &w) && w == 535 && !ver_major("x", &w) && !ver_major(NULL, &w), "major version");
}

static void paths(struct arena *a)
{
    ok_str(path_join(a, "/a/", "b"), "/a/b", "join with a slash there");
    ok_str(path_join(a, "/a", "/b"), "/b", "join with an absolute name");
    ok_str(path_dir(a, "/a//b"), "/a", "folder of a path");
    ok_str(path_dir(a, "/a"), "/", "folder of a top name");
    ok_str(path_dir(a, "a"), ".", "folder of a bare name");
    ok_str(path_base("/a/b"), "b", "name of a path");
    static const char *const clean[][2] = {{"/a/./b/../c", "/a/c"}, {"/../x", "/x"}, {"a/..", "."}, {"../a", "../a"}, {"/", "/"},
                                           {"//a///b/", "/a/b"}, {"../../a/..", "../.."}};
    for (size_t i = 0; i < TG_COUNT(clean); i++)
        ok_str(path_clean(a, clean[i][0]), clean[i][1], clean[i][0]);
}

static void lines(void)
{
    static const char text[] = "one\r\n\ntwo\0x\nlast";
    struct str s;
    size_t pos = 0, n = 0, bytes = 0;
    while (str_line(text, sizeof text - 1, &pos, &s)) {
        n++;
        bytes += s.n;
    }
    ok(n == 4 && bytes == 3 + 0 + 5 + 4, "lines with CRLF, empty, with a NUL, without an end");
}

static void safe_text(void)
{
    struct buf b;
    buf_init(&b, 0);
    const char evil[] = "a\x1b[31m\xc2\x9b\xff\xe6\x96\x87\xe2\x80\xae";
    buf_add_safe(&b, evil, sizeof evil - 1);
    ok_str(b.p, "a\\x1B[31m\\xC2\\x9B\\xFF\xe6\x96\x87\\xE2\\x80\\xAE", "no control character or text direction override reaches the terminal");
    buf_done(&b);
    buf_init(&b, 4);
    buf_adds(&b, "123456");
    ok(b.full && b.len == 4 && !strcmp(b.p, "1234"), "a buffer stops at its maximum");
    buf_done(&b);
    struct err e;
    err_set(&e, -ENOENT, "cannot read %s", "x\ny");
    ok_str(e.msg, "cannot read x\\x0Ay", "an error is one line");
}

static void json(void)
{
    struct buf b;
    struct jw w;
    buf_init(&b, 0);
    jw_init(&w, &b);
    jw_obj(&w, NULL);
    jw_str(&w, "s", "q\"\\\n\x01\xff\xed\xa0\x80");
    jw_arr(&w, "a");
    jw_u64(&w, NULL, UINT64_MAX);
    jw_null(&w, NULL);
    jw_arr_end(&w);
    jw_arr(&w, "e");
    jw_arr_end(&w);
    jw_obj_end(&w);
    ok_str(b.p, "{\n \"s\": \"q\\\"\\\\\\n\\u0001\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\",\n \"a\": [\n  18446744073709551615,\n  null\n ],\n"
                " \"e\": []\n}\n", "JSON with every kind of escape");
    buf_done(&b);
}

static void arenas(void)
{
    struct arena a;
    arena_init(&a, 0);
    int *v = NULL;
    size_t n = 0;
    for (int i = 0; i < 1000; i++)
        *ARENA_PUSH(&a, v, n) = i;
    int good = 0;
    for (int i = 0; i < 1000; i++)
        good += v[i] == i;
    ok(n == 1000 && good == 1000, "an array grows and keeps its contents");
    char *big = arena_alloc(&a, 1 << 20);
    ok(big[0] == 0 && big[(1 << 20) - 1] == 0 && ((uintptr_t)big & 15) == 0, "a large block is zeroed and aligned");
    ok_str(arena_printf(&a, "%0300d", 7) + 297, "007", "formatted text longer than the small buffer");
    arena_done(&a);
}

int main(void)
{
    struct arena a;
    arena_init(&a, 0);
    numbers();
    paths(&a);
    lines();
    safe_text();
    json();
    arenas();
    arena_done(&a);
    return tap_done();
}
