/* SPDX-License-Identifier: Apache-2.0 */
/* sniff - is this a log? */
#include "explain/sniff.h"
#include <stdbool.h>
#include <string.h>
#include "base/util.h"

static bool is_text_control(unsigned char c)
{
    return c == '\t' || c == '\n' || c == '\v' || c == '\f' || c == '\r' || c == '\b' || c == '\a' || c == 0x1b;
}

enum sniffed sniff(const unsigned char *p, size_t n)
{
    static const struct { enum sniffed is; size_t n; const char *magic; } magics[] = {
        {SNIFF_GZIP, 2, "\x1f\x8b"}, {SNIFF_ZSTD, 4, "\x28\xb5\x2f\xfd"}, {SNIFF_XZ, 6, "\xfd" "7zXZ\0"}, {SNIFF_BZIP2, 3, "BZh"},
        {SNIFF_ZIP, 4, "PK\3\4"}, {SNIFF_BINARY, 4, "\x7f" "ELF"}, {SNIFF_BINARY, 4, "\x89PNG"}, {SNIFF_BINARY, 5, "%PDF-"},
        {SNIFF_BINARY, 3, "\xff\xd8\xff"}, {SNIFF_BINARY, 2, "MZ"}};
    size_t odd = 0, i = 0;
    for (size_t k = 0; k < TG_COUNT(magics); k++)
        if (n >= magics[k].n && memcmp(p, magics[k].magic, magics[k].n) == 0 && (magics[k].n > 2 || magics[k].is != SNIFF_BINARY || memchr(p, 0, n)))
            return magics[k].is;
    if (n >= 2 && ((p[0] == 0xff && p[1] == 0xfe) || (p[0] == 0xfe && p[1] == 0xff)))
        return SNIFF_TEXT;
    while (i < n && p[i] == 0)
        i++;
    if (n && i == n)
        return SNIFF_BINARY;
    for (size_t k = i; k < n; k++)
        odd += p[k] < 0x20 && !is_text_control(p[k]);
    return odd * 10 > n - i ? SNIFF_BINARY : SNIFF_TEXT;
}
