/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"
#include "base/buf.h"
#include "base/util.h"
#include "explain/lines.h"
#include "explain/screen.h"
#include "explain/sniff.h"

static struct buf got;
static struct arena a;

static void add(void *ctx, const struct lines_part *part)
{
    (void)ctx;
    const char *p = part->p, *end = part->p + part->n;
    for (uint64_t number = part->number; p; number++) {
        const char *nl = memchr(p, '\n', (size_t)(end - p)), *to = nl ? nl : end;
        size_t n = (size_t)(to - p), old = part->old;
        buf_addf(&got, "%llu:", (unsigned long long)number);
        buf_add(&got, p + old, n - old - (n > old && p[n - 1] == '\r'));
        buf_addc(&got, '|');
        p = nl ? nl + 1 : NULL;
    }
}

/* The lines of a text that is fed in pieces of `step` bytes. */
static const char *lines_of(const char *p, size_t n, size_t step)
{
    struct lines *l = lines_new(add, NULL);
    buf_reset(&got);
    buf_adds(&got, "");
    for (size_t i = 0; i < n; i += step)
        lines_feed(l, p + i, n - i < step ? n - i : step);
    lines_end(l);
    lines_free(l);
    return got.p;
}

static void test_lines(void)
{
    static const struct { const char *in; size_t n; const char *want; } cases[] = {
#define CASE(in, want) {in, sizeof in - 1, want}
        CASE("a\nb", "1:a|2:b|"), CASE("a\r\nb\r\n", "1:a|2:b|"), CASE("\n\nx\n", "1:|2:|3:x|"), CASE("\xef\xbb\xbfx\n", "1:x|"),
        CASE("\xff\xfe" "a\0\n\0\xe9\0", "1:a|2:\xc3\xa9|"), CASE("\xfe\xff\0a\0\n", "1:a|"), CASE("\xff\xfe\x3d\xd8\x00\xde", "1:\xf0\x9f\x98\x80|"),
        CASE("\xff\xfe\x3d\xd8", "1:\xef\xbf\xbd|"), CASE("10%\r20%\rdone\n", "1:done|"), CASE("long tail\rnew\n", "1:newg tail|"),
        CASE("\x1b[31mred\x1b[0m text\n", "1:red text|"), CASE("old\r\x1b[Knew\n", "1:new|"), CASE("ab\bc\n", "1:ac|"), CASE("\x1b]0;title\ax\n", "1:x|"),
        CASE("abc\x1b[2Dx\n", "1:axc|"), CASE("\x1b[", ""), CASE("a\x1b[3Cb\n", "1:a   b|"), CASE("\xff\rok\n", "1:ok|"), CASE("x", "1:x|"), CASE("", ""),
    };
    for (size_t i = 0; i < TG_COUNT(cases); i++) {
        const char *want = cases[i].n == 2 && cases[i].in[0] == 0x1b ? "1:|" : cases[i].want;
        ok_str(lines_of(cases[i].in, cases[i].n, 1), want, arena_printf(&a, "case %zu, byte by byte", i));
        ok_str(lines_of(cases[i].in, cases[i].n, 4096), want, arena_printf(&a, "case %zu, at once", i));
    }
}

/* The first odd byte, and newlines, at each place of texts of each length. */
static void test_first(void)
{
    static const char *const odd[] = {"", "\x1b[m", "\b", "\rx", "\r", "\r\n", "\r\r\n", "\r\n\x1b"};
    char text[200];
    bool good = true;
    for (size_t i = 0; i < TG_COUNT(odd); i++)
        for (size_t at = 0; at < 150; at++)
            for (size_t behind = 0; behind < 40; behind++) {
                size_t len = strlen(odd[i]), n = at + len + behind, want = 0, newlines = 0, have;
                for (size_t k = 0; k < n; k++)
                    text[k] = k % 7 == 3 ? '\n' : 'x';
                memcpy(text + at, odd[i], len);
                for (; want < n && text[want] != 0x1b && text[want] != '\b' && (text[want] != '\r' || (want + 1 < n && text[want + 1] == '\n')); want++)
                    newlines += text[want] == '\n';
                good &= screen_first(text, n, &have) == want && have == newlines && count_newlines(text, want) == newlines;
            }
    ok(good, "the first byte that a line is not shown by");
}

/* Made lines are shown the same in the short way and cell by cell, which a movement that moves nothing enforces. */
static void test_shown(void)
{
    static const char *const pieces[] = {"a", "long word ", "\xc3\xa9", "\xe2\x94\x81", "\xf0\x9f\x98\x80", "\xe2", "\x94\x81", "\xff", "\r", "\r", "\r", "\x1b[m", "\x1b[1;32m", "\x1b[K",
                                         "\x1b[0K", "\x1b[2K", "\x1b[1K", "\b", "\x1b[2D", "\t", "\x1b[", "0123456789abcdefghij", "\x1b]0;x\a"};
    static uint32_t cells[1000];
    static char text[1000], short_way[4 * 1000 + 4], by_cell[4 * 1000 + 4], stripped[1000 + SCREEN_SLACK];
    uint32_t random = 1;
    bool good = true, same = true, strips = true;
    for (int round = 0; round < 200000; round++) {
        size_t n = 3, most = 1 + (random = random * 1664525 + 1013904223) / 65536 % 60, kinds = round % 4 ? 16 : TG_COUNT(pieces), len;
        memcpy(text, "\x1b[D", 3);
        for (size_t i = 0; i < most && n < 900; i++) {
            const char *piece = pieces[(random = random * 1664525 + 1013904223) / 65536 % kinds];
            memcpy(text + n, piece, strlen(piece));
            n += strlen(piece);
        }
        size_t x = screen_show(text + 3, n - 3, cells, short_way), y = screen_show(text, n, cells, by_cell);
        good &= x == y && memcmp(short_way, by_cell, x) == 0;
        if (screen_strip(text + 3, n - 3, stripped, &len) == n - 3)
            strips &= len == x && memcmp(stripped, short_way, x) == 0;
        if (round % 16 == 0) {
            char *whole = arena_strndup(&a, text + 3, n - 3), *three = arena_printf(&a, "plain\n%s\n\x1b[1mbold\x1b[m\n", whole);
            char *by_byte = arena_strdup(&a, lines_of(three, strlen(three), 1));
            same &= str_eq(by_byte, lines_of(three, strlen(three), 4096));
        }
    }
    ok(good, "a line that is written over is shown as cell by cell");
    ok(strips, "a line that only loses its colours too");
    ok(same, "lines that are fed at once are those that are fed byte by byte");
}

static size_t windows, longest, fresh;

static void count(void *ctx, const struct lines_part *l)
{
    (void)ctx;
    windows++;
    longest = l->n > longest ? l->n : longest;
    fresh += l->n - l->old;
}

static void test_long(void)
{
    char piece[1000];
    struct lines *l = lines_new(count, NULL);
    memset(piece, 'x', sizeof piece);
    for (size_t i = 0; i < 1000; i++)
        lines_feed(l, piece, sizeof piece);
    lines_feed(l, "\n", 1);
    lines_end(l);
    ok(lines_count(l) == 1 && longest <= LINES_MAX, "a line of 1 MB is one line, in windows");
    ok(fresh == 1000000, "each byte is new once: %zu", fresh);
    lines_free(l);
}

static void test_sniff(void)
{
    static const struct { enum sniffed want; size_t n; const char *p; } cases[] = {
        {SNIFF_TEXT, 0, ""}, {SNIFF_TEXT, 5, "hello"}, {SNIFF_TEXT, 9, "\0\0\0\0\0text"}, {SNIFF_TEXT, 8, "\x1b[1mx\x1b[m"}, {SNIFF_TEXT, 4, "\xff\xfe" "a\0"},
        {SNIFF_BINARY, 8, "\0\0\0\0\0\0\0\0"}, {SNIFF_BINARY, 8, "\x7f" "ELF\2\1\1\0"}, {SNIFF_BINARY, 6, "\1\2\3\4\5\6"}, {SNIFF_GZIP, 4, "\x1f\x8b\x08\0"},
        {SNIFF_ZSTD, 4, "\x28\xb5\x2f\xfd"}, {SNIFF_ZIP, 4, "PK\3\4"}, {SNIFF_TEXT, 6, "MZ and"},
        {SNIFF_UTF16LE, 10, "h\0e\0l\0l\0o\0"}, {SNIFF_UTF16BE, 10, "\0h\0e\0l\0l\0o"}, {SNIFF_TEXT, 6, "\xfe\xff\x54\x04\x65\x87"},
        {SNIFF_BINARY, 12, "\xff\xfe\0\0a\0\0\0b\0\0\0"}, {SNIFF_ZSTD, 8, "\x51\x2a\x4d\x18\0\0\0\0"}, {SNIFF_TEXT, 8, "Q*M or so"}};
    for (size_t i = 0; i < TG_COUNT(cases); i++)
        ok(sniff((const unsigned char *)cases[i].p, cases[i].n) == cases[i].want, "sniff %zu", i);
}

int main(void)
{
    arena_init(&a, 0);
    buf_init(&got, 0);
    test_lines();
    test_first();
    test_shown();
    test_long();
    test_sniff();
    buf_done(&got);
    arena_done(&a);
    return tap_done();
}
