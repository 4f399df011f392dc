/* SPDX-License-Identifier: Apache-2.0 */
/* Versions and specifiers: order, normal forms, operators. The large comparison with PyPI's own library is tests/truth/run-pep. */
#include "formats/pep440.h"
#include "tap.h"

static enum tri match(const char *v, const char *s)
{
    return pep440_match((struct str){v, strlen(v)}, (struct str){s, strlen(s)});
}

static void test_order(void)
{
    static const char *const up[] = {
        "1.dev0", "1.0.dev456", "1.0a1.dev1", "1.0a1", "1.0a2.dev456", "1.0a12.dev456", "1.0a12", "1.0b1.dev456", "1.0b2", "1.0b2.post345.dev456",
        "1.0b2.post345", "1.0rc1.dev456", "1.0rc1", "1.0", "1.0+abc.5", "1.0+abc.7", "1.0+5", "1.0+10", "1.0.post456.dev34", "1.0.post456", "1.1.dev1",
        "1.10", "2.23.0.dev20261026", "2.23.0", "1!0.1",
    };
    for (size_t i = 0; i + 1 < TG_COUNT(up); i++) {
        struct pep440 a, b;
        int r = pep440_parse(up[i], strlen(up[i]), &a) | pep440_parse(up[i + 1], strlen(up[i + 1]), &b);
        ok(!r && pep440_cmp(&a, &b) < 0 && pep440_cmp(&b, &a) > 0 && !pep440_cmp(&a, &a), "%s before %s", up[i], up[i + 1]);
    }
}

static void test_forms(void)
{
    static const char *const same[][2] = {
        {"1.0", "1"}, {"v1.0", "1.0.0"}, {"1.0ALPHA1", "1.0a1"}, {"1.0-alpha.1", "1.0a1"}, {"1.0preview", "1.0rc0"}, {"1.0c1", "1.0rc1"},
        {"1.0-1", "1.0.post1"}, {"1.0rev3", "1.0.post3"}, {"1.0-r3", "1.0.post3"}, {"1.0_DEV3", "1.0.dev3"}, {" 1.0+Ubuntu-1 ", "1.0+ubuntu.1"}, {"0!1", "1"},
        {"1.01", "1.1"},
    };
    static const char *const not[] = {"", "v", "1.0.", "1..0", "a", "1.0x", "1.0+", "1.0+a..b", "1.0+a.", "1.0-", "1!", "1.0 1", "1.0.*", "french toast"};
    for (size_t i = 0; i < TG_COUNT(same); i++) {
        struct pep440 a, b;
        int r = pep440_parse(same[i][0], strlen(same[i][0]), &a) | pep440_parse(same[i][1], strlen(same[i][1]), &b);
        ok(!r && !pep440_cmp(&a, &b), "\"%s\" is %s", same[i][0], same[i][1]);
    }
    for (size_t i = 0; i < TG_COUNT(not); i++) {
        struct pep440 v;
        ok(pep440_parse(not[i], strlen(not[i]), &v) < 0, "\"%s\" is no version", not[i]);
    }
    struct pep440 v;
    ok(pep440_parse("99999999999999999999", 20, &v) < 0, "a number beyond 64 bits is refused");
    ok(pep440_parse("1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1", 33, &v) < 0, "too many parts are refused");
}

static void test_specifiers(void)
{
    static const struct { const char *v, *s; enum tri want; } t[] = {
        {"1.26.4", "<2.0.0,>=1.23.5", TRI_YES}, {"2.0.0", "<2.0.0,>=1.23.5", TRI_NO}, {"1.23.4", "<2.0.0,>=1.23.5", TRI_NO},
        {"5.0.0.dev1", "<5.0.0dev", TRI_NO}, {"4.25.9", "<5.0.0dev,!=4.21.0", TRI_YES}, {"4.21.0", "<5.0.0dev,!=4.21.0", TRI_NO},
        {"2.20.5", "~=2.20.0", TRI_YES}, {"2.21.0", "~=2.20.0", TRI_NO}, {"2.21", "~=2.20", TRI_YES}, {"3.0", "~=2", TRI_UNKNOWN},
        {"12.2.140", "==12.2.140", TRI_YES}, {"12.2.140+cu", "==12.2.140", TRI_YES}, {"1.0+a", "==1.0+b", TRI_NO}, {"1.5", "==1.*", TRI_YES},
        {"10.0", "==1.*", TRI_NO}, {"1.5", "!=1.*", TRI_NO}, {"2rc1", "<2", TRI_NO}, {"2rc1", "<2rc2", TRI_YES}, {"2.post1", ">2", TRI_NO},
        {"2+x", ">2", TRI_NO}, {"2.0.1", ">2", TRI_YES}, {"2+x", "<=2", TRI_YES}, {"1.0", "===1.0", TRI_YES}, {"1.0.0", "===1.0", TRI_NO},
        {"odd", "===ODD", TRI_YES}, {"odd", ">=1", TRI_UNKNOWN}, {"1", ">=x", TRI_UNKNOWN}, {"1", ">=x,<1", TRI_UNKNOWN}, {"1", "<1,>=x", TRI_UNKNOWN}, {"1", "", TRI_YES}, {"1", " , ", TRI_YES},
        {"1", ">=1.0.*", TRI_UNKNOWN}, {"1", "1.0", TRI_UNKNOWN}, {"3.11.9", ">=3.9", TRI_YES}, {"3.8.10", ">=3.9", TRI_NO},
    };
    for (size_t i = 0; i < TG_COUNT(t); i++)
        ok(match(t[i].v, t[i].s) == t[i].want, "%s in \"%s\": %d", t[i].v, t[i].s, (int)t[i].want);
    struct str u = pep440_first_unmet((struct str){"2.2.6", 5}, (struct str){"!=1.0, <2.0.0 ,>=3", 18});
    ok(u.n == 6 && !memcmp(u.p, "<2.0.0", 6), "the first unmet specifier is named");
}

int main(void)
{
    test_order();
    test_forms();
    test_specifiers();
    return tap_done();
}
