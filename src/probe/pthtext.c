/* SPDX-License-Identifier: Apache-2.0 */
/* pthtext - the encodings in which site reads .pth files. */
#include "probe/pthtext.h"
#include <string.h>

enum { NAME_MAX_BYTES = 64, ARCHIVE_MAX = 256 << 20 };
enum codec { CODEC_ASCII, CODEC_UTF8, CODEC_OTHER };

struct pthreader pthreader_of(const char *text, size_t len, uint32_t minor)
{
    static const char hidden[] = "not name.startswith(\".\")", mark[] = "utf-8-sig", locale[] = "encoding=\"locale\"";
    if (!text)
        return (struct pthreader){.utf8_first = minor >= 13, .locale_only = minor >= 11, .skip_hidden = minor >= 13};
    return (struct pthreader){.utf8_first = memmem(text, len, mark, sizeof mark - 1), .locale_only = memmem(text, len, locale, sizeof locale - 1),
                              .skip_hidden = memmem(text, len, hidden, sizeof hidden - 1)};
}

static size_t first_beyond_ascii(const char *s, size_t n)
{
    size_t i = 0;
    while (i < n && !((unsigned char)s[i] & 0x80))
        i++;
    return i;
}

/* Length of the character at s; 0: no UTF-8. Source: RFC 3629, section 4. */
static size_t utf8_len(const unsigned char *s, size_t n)
{
    size_t len = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;
    if (len > n)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    bool bad = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0) || (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90);
    return len > 1 && bad ? 0 : len;
}

static size_t first_beyond_utf8(const char *s, size_t n)
{
    size_t i = 0;
    for (size_t len; i < n && (len = utf8_len((const unsigned char *)s + i, n - i)) != 0;)
        i += len;
    return i;
}

/* -- the locale ------------------------------------------------------------------------------------------------------------------------------ */

static const char *filled(const struct root *r, const char *name)
{
    const char *v = root_getenv(r, name);
    return v && *v ? v : NULL;
}

/* "de_DE.UTF-8@x" as the C library's folders have it: "de_DE.utf8@x". false: no name of a locale. */
static bool normalise(const char *name, char ret[NAME_MAX_BYTES], bool *ret_utf8)
{
    size_t n = strcspn(name, ".@"), from = n;
    *ret_utf8 = false;
    if (strlen(name) + sizeof "iso" >= NAME_MAX_BYTES || strchr(name, '/'))
        return false;
    memcpy(ret, name, n);
    if (name[from] == '.') {
        size_t set = strcspn(name + from, "@"), start = ++n;
        ret[n - 1] = '.';
        bool digits = true;
        for (size_t i = 1; i < set; i++) {
            char c = name[from + i];
            bool upper = c >= 'A' && c <= 'Z', digit = c >= '0' && c <= '9', lower = c >= 'a' && c <= 'z';
            digits &= !upper && !lower;
            if (upper || lower || digit)
                ret[n++] = upper ? (char)(c + 'a' - 'A') : c;
        }
        if (digits) {
            memmove(ret + start + 3, ret + start, n - start);
            memcpy(ret + start, "iso", 3);
            n += 3;
        }
        *ret_utf8 = n - start == 4 && !memcmp(ret + start, "utf8", 4);
        from += set;
    }
    size_t rest = strlen(name + from);
    memcpy(ret + n, name + from, rest + 1);
    return true;
}

static bool is_installed(struct root *r, const char *name, const char *normal)
{
    struct arena a;
    struct root_stat st;
    const char *text;
    size_t len;
    arena_init(&a, 0);
    bool yes = str_eq(normal, "C.utf8"); /* built in since glibc 2.35, and everywhere before that */
    if (!yes)
        yes = root_stat(r, arena_printf(&a, "/usr/lib/locale/%s/LC_CTYPE", name), &st) == 0 ||
              root_stat(r, arena_printf(&a, "/usr/lib/locale/%s/LC_CTYPE", normal), &st) == 0;
    if (!yes && root_read(r, "/usr/lib/locale/locale-archive", ARCHIVE_MAX, &a, &text, &len) == 0)
        yes = memmem(text, len, normal, strlen(normal) + 1); /* its names end with a NUL */
    arena_done(&a);
    return yes;
}

/* Without a locale, or with one that is not installed, it is C, which Python changes to C.UTF-8 unless LC_ALL or PYTHONCOERCECLOCALE say
 * otherwise. *ret_c: it was C. */
static enum codec locale_codec(struct root *r, uint32_t minor, bool *ret_c)
{
    char normal[NAME_MAX_BYTES];
    bool utf8 = false;
    const char *all = filled(r, "LC_ALL"), *name = all ? all : filled(r, "LC_CTYPE");
    name = name ? name : filled(r, "LANG");
    *ret_c = !name || str_eq(name, "C") || str_eq(name, "POSIX") || !normalise(name, normal, &utf8) || !is_installed(r, name, normal);
    if (*ret_c)
        return minor >= 7 && !all && !str_eq(root_getenv(r, "PYTHONCOERCECLOCALE"), "0") ? CODEC_UTF8 : CODEC_ASCII;
    return utf8 ? CODEC_UTF8 : CODEC_OTHER;
}

static enum codec codec_of(struct root *r, const struct pthreader *how, uint32_t minor)
{
    bool c;
    enum codec by_locale = locale_codec(r, minor, &c);
    const char *mode = filled(r, "PYTHONUTF8");
    bool utf8_mode = minor >= 7 && (mode ? str_eq(mode, "1") : c);
    return utf8_mode && !how->locale_only && !how->utf8_first ? CODEC_UTF8 : by_locale;
}

enum tri pth_decodes(struct root *r, const struct pthreader *how, uint32_t minor, const char *text, size_t len, size_t *ret_at)
{
    *ret_at = first_beyond_ascii(text, len);
    if (*ret_at == len)
        return TRI_YES;
    size_t no_utf8 = first_beyond_utf8(text, len);
    if (how->utf8_first && no_utf8 == len)
        return TRI_YES;
    switch (codec_of(r, how, minor)) {
    case CODEC_ASCII:
        return TRI_NO;
    case CODEC_UTF8:
        *ret_at = no_utf8;
        return no_utf8 == len ? TRI_YES : TRI_NO;
    case CODEC_OTHER:
        break;
    }
    return TRI_UNKNOWN;
}
