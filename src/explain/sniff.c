/* SPDX-License-Identifier: Apache-2.0 */
/* sniff - is this a log? */
#include "explain/sniff.h"
#include <stdbool.h>
#include <string.h>
#include "base/util.h"

enum { TAR_MAGIC_AT = 257, ASCII_SHARE = 25 }; /* a log's words are English even where its sentences are not */

static bool is_odd(unsigned c)
{
    return c < 0x20 && c != '\t' && c != '\n' && c != '\v' && c != '\f' && c != '\r' && c != '\b' && c != '\a' && c != 0x1b;
}

static bool magic(const unsigned char *p, size_t n, enum sniffed *ret)
{
    static const struct { enum sniffed is; size_t at, n; const char *magic; } magics[] = {
        {SNIFF_GZIP, 0, 2, "\x1f\x8b"}, {SNIFF_ZSTD, 0, 4, "\x28\xb5\x2f\xfd"}, {SNIFF_ZSTD, 1, 3, "\x2a\x4d\x18"}, {SNIFF_XZ, 0, 6, "\xfd" "7zXZ\0"},
        {SNIFF_BZIP2, 0, 3, "BZh"}, {SNIFF_ZIP, 0, 4, "PK\3\4"}, {SNIFF_TAR, TAR_MAGIC_AT, 5, "ustar"}, {SNIFF_BINARY, 0, 4, "\x7f" "ELF"},
        {SNIFF_BINARY, 0, 4, "\x89PNG"}, {SNIFF_BINARY, 0, 5, "%PDF-"}, {SNIFF_BINARY, 0, 3, "\xff\xd8\xff"}, {SNIFF_BINARY, 0, 2, "MZ"}};
    for (size_t k = 0; k < TG_COUNT(magics); k++) {
        bool has = n >= magics[k].at + magics[k].n && memcmp(p + magics[k].at, magics[k].magic, magics[k].n) == 0;
        bool sure = magics[k].is != SNIFF_BINARY || magics[k].n > 2 || memchr(p, 0, n); /* two letters may begin a line too */
        sure &= magics[k].at != 1 || (has && (p[0] & 0xf0) == 0x50); /* a Zstandard frame to be skipped: 16 numbers (RFC 8878, 3.1.2) */
        if (has && sure) {
            *ret = magics[k].is;
            return true;
        }
    }
    return false;
}

/* Are the units of two bytes text of which at least `share` percent is ASCII? `high` is where their upper byte lies. */
static bool is_utf16(const unsigned char *p, size_t n, size_t high, unsigned share)
{
    size_t ascii = 0, odd = 0, units = n / 2;
    for (size_t i = 0; i < units; i++) {
        unsigned c = (unsigned)p[2 * i + high] << 8 | p[2 * i + 1 - high];
        odd += is_odd(c) || c == 0xfffe || c == 0xffff;
        ascii += c < 0x7f && !is_odd(c);
    }
    return units && ascii * 100 >= units * share && odd * 50 <= units;
}

enum sniffed sniff(const unsigned char *p, size_t n)
{
    size_t odd = 0, i = 0;
    enum sniffed is;
    if (magic(p, n, &is))
        return is;
    if (n >= 2 && ((p[0] == 0xff && p[1] == 0xfe) || (p[0] == 0xfe && p[1] == 0xff)))
        return n < 4 || is_utf16(p + 2, n - 2, p[0] == 0xff, 0) ? SNIFF_TEXT : SNIFF_BINARY;
    while (i < n && p[i] == 0)
        i++;
    if (n && i == n)
        return SNIFF_BINARY;
    for (size_t k = i; k < n; k++)
        odd += is_odd(p[k]);
    if (odd * 30 <= n - i) /* of random bytes every tenth is odd */
        return SNIFF_TEXT;
    return is_utf16(p, n, 1, ASCII_SHARE) ? SNIFF_UTF16LE : is_utf16(p, n, 0, ASCII_SHARE) ? SNIFF_UTF16BE : SNIFF_BINARY;
}
