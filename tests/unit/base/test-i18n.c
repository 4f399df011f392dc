/* SPDX-License-Identifier: Apache-2.0 */
/* test-i18n - choice of the language, look-up, display width. */
#include <stdlib.h>
#include "base/i18n.h"
#include "tap.h"

static void lang_is(const char *lc_all, const char *lang, const char *language, const char *want)
{
    static const char *const names[] = {"LC_ALL", "LANG", "LANGUAGE"};
    const char *values[] = {lc_all, lang, language};
    unsetenv("LC_MESSAGES");
    for (int i = 0; i < 3; i++) {
        if (values[i])
            setenv(names[i], values[i], 1);
        else
            unsetenv(names[i]);
    }
    i18n_init(NULL);
    char name[128];
    snprintf(name, sizeof name, "LC_ALL=%s LANG=%s LANGUAGE=%s", lc_all ? lc_all : "-", lang ? lang : "-", language ? language : "-");
    ok_str(i18n_lang(), want, name);
}

static void test_choice(void)
{
    lang_is(NULL, NULL, NULL, "en");
    lang_is(NULL, "zh_CN.UTF-8", NULL, "zh_CN");
    lang_is(NULL, "zh_SG.utf8", NULL, "zh_CN");
    lang_is(NULL, "zh", NULL, "zh_CN");
    lang_is(NULL, "zh_TW.UTF-8", NULL, "en");
    lang_is(NULL, "zh_CN.GBK", NULL, "en");
    lang_is("C", "zh_CN.UTF-8", NULL, "en");
    lang_is(NULL, "de_DE.UTF-8", NULL, "en");
    lang_is(NULL, "de_DE.UTF-8", "fr:zh_CN", "zh_CN");
    lang_is(NULL, "zh_CN.UTF-8", "en:zh_CN", "en");
    lang_is(NULL, "C.UTF-8", "zh_CN", "en"); /* gettext ignores LANGUAGE in the C locale */
}

static void test_look_up(void)
{
    i18n_init("zh_CN");
    ok(strcmp(i18n_get("Commands:"), "Commands:") != 0, "a translated message is found");
    ok_str(i18n_get("no such message"), "no such message", "an unknown message is itself");
    ok_str(i18n_get(""), "", "the empty message is not the catalogue's header");
    i18n_init("en");
    ok_str(i18n_get("Commands:"), "Commands:", "English is the source");
    ok_str(i18n_nget("%u file", "%u files", 1), "%u file", "singular");
    ok_str(i18n_nget("%u file", "%u files", 2), "%u files", "plural");
}

static void test_width(void)
{
    ok(i18n_width("abc") == 3, "ASCII");
    ok(i18n_width("\xe9\xa9\xb1\xe5\x8a\xa8") == 4, "two wide characters");
    ok(i18n_width("e\xcc\x81") == 1, "a combining accent takes no column");
    ok(i18n_width("\xe2\x9c\x93") == 1, "a check mark is narrow");
    ok(i18n_width("\xff") == 4, "an invalid byte is shown as \\xHH");
    ok(i18n_width("\xe9\xa9") == 8 || i18n_width("\xe9\xa9") == 4, "a cut sequence ends");
}

int main(void)
{
    test_choice();
    test_look_up();
    test_width();
    return tap_done();
}
