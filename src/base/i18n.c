/* SPDX-License-Identifier: Apache-2.0 */
/* i18n - gettext messages from embedded catalogues (format: GNU gettext manual, "The Format of GNU MO Files"). */
#include "base/i18n.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/catalogs.h"
#include "base/util.h"

/* The one mutable object of the program: messages are asked for everywhere, and the language is set once, at start. */
static const struct catalog *active;

static uint32_t word(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static const struct catalog *find_catalog(const char *name)
{
    for (size_t i = 0; i < n_catalogs; i++)
        if (str_eq(catalogs[i].name, name))
            return &catalogs[i];
    return NULL;
}

/* "zh_CN.UTF-8", "zh-Hans", "zh" name the Simplified Chinese catalogue; zh_TW and zh_HK do not. We print UTF-8 only, so a
 * locale with another charset gets English. */
static bool is_simplified_chinese(const char *v, size_t n)
{
    static const char *const tags[] = {"zh", "zh_cn", "zh_sg", "zh_hans", "zh-cn", "zh-sg", "zh-hans", "zh_hans_cn", "zh-hans-cn"};
    const char *dot = memchr(v, '.', n), *at = memchr(v, '@', n);
    size_t tag = dot ? (size_t)(dot - v) : at ? (size_t)(at - v) : n;
    if (dot && strncasecmp(dot, ".utf-8", 6) != 0 && strncasecmp(dot, ".utf8", 5) != 0)
        return false;
    for (size_t i = 0; i < TG_COUNT(tags); i++)
        if (strlen(tags[i]) == tag && strncasecmp(tags[i], v, tag) == 0)
            return true;
    return false;
}

static bool is_english(const char *v, size_t n)
{
    return n >= 2 && strncasecmp(v, "en", 2) == 0 && (n == 2 || v[2] == '_' || v[2] == '-' || v[2] == '.');
}

static const char *locale_name(void)
{
    static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
    for (size_t i = 0; i < TG_COUNT(names); i++) {
        const char *v = getenv(names[i]);
        if (v && *v)
            return v;
    }
    return "C";
}

void i18n_init(const char *force)
{
    const char *list = force, *locale = locale_name();
    active = NULL;
    if (!list) {
        bool plain = str_eq(locale, "C") || str_eq(locale, "POSIX") || str_starts(locale, "C.");
        const char *language = getenv("LANGUAGE");
        list = !plain && language && *language ? language : locale;
    }
    while (*list) {
        size_t n = strcspn(list, ":");
        if (is_english(list, n))
            return;
        if (is_simplified_chinese(list, n)) {
            active = find_catalog("zh_CN");
            return;
        }
        list += n + (list[n] == ':');
    }
}

const char *i18n_lang(void)
{
    return active ? active->name : "en";
}

/* The translation of msgid, or NULL. Originals are sorted bytewise; one with a plural is found by its singular, because its
 * NUL comes in between. */
static const char *look_up(const char *msgid)
{
    const unsigned char *mo = active->mo;
    uint32_t lo = 0, hi = word(mo + 8), originals = word(mo + 12), translations = word(mo + 16);
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        const char *s = (const char *)mo + word(mo + originals + 8 * mid + 4);
        int d = strcmp(msgid, s);
        if (d == 0)
            return (const char *)mo + word(mo + translations + 8 * mid + 4);
        if (d < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return NULL;
}

const char *i18n_get(const char *msgid)
{
    const char *t = active && *msgid ? look_up(msgid) : NULL;
    return t && *t ? t : msgid;
}

const char *i18n_nget(const char *one, const char *many, unsigned long n)
{
    const char *t = active && *one ? look_up(one) : NULL; /* Chinese has one form */
    return t && *t ? t : n == 1 ? one : many;
}

/* Unicode Standard Annex 11 (East Asian Width), ranges of class W and F that can occur in text. */
static const struct { uint32_t first, last; } wide[] = {
    {0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0x4dbf}, {0x4e00, 0xa4cf}, {0xa960, 0xa97c}, {0xac00, 0xd7a3}, {0xf900, 0xfaff},
    {0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
};

static size_t point_width(uint32_t c)
{
    if (c < 0x20 || c == 0x7f)
        return 4; /* printed as \xHH */
    if ((c >= 0x300 && c <= 0x36f) || (c >= 0x200b && c <= 0x200f) || c == 0xfeff)
        return 0;
    for (size_t i = 0; i < TG_COUNT(wide); i++)
        if (c >= wide[i].first && c <= wide[i].last)
            return 2;
    return 1;
}

size_t i18n_width(const char *s)
{
    size_t width = 0;
    for (const unsigned char *p = (const unsigned char *)s; *p;) {
        size_t n = *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : *p >= 0xc0 ? 2 : 1;
        uint32_t c = n == 1 ? *p : *p & (0x7fU >> n);
        size_t i = 1;
        for (; i < n && (p[i] & 0xc0) == 0x80; i++)
            c = c << 6 | (p[i] & 0x3f);
        width += i < n || (n == 1 && *p >= 0x80) ? 4 : point_width(c); /* invalid bytes are printed as \xHH */
        p += i;
    }
    return width;
}
