/* SPDX-License-Identifier: Apache-2.0 */
/* Requirements and markers, in the spellings that TensorFlow's wheels use, and bad ones. */
#include "formats/pep508.h"
#include "tap.h"

static const struct pep508_env env = {
    .python_version = "3.11", .python_full_version = "3.11.9", .os_name = "posix", .sys_platform = "linux", .platform_system = "Linux",
    .platform_machine = "x86_64", .implementation_name = "cpython", .platform_python_implementation = "CPython",
};

static void test_parse(struct arena *a)
{
    static const struct { const char *text, *name, *spec, *marker; } t[] = {
        {"packaging", "packaging", "", NULL},
        {"google_pasta>=0.1.1", "google-pasta", ">=0.1.1", NULL},
        {"numpy (<2.0.0,>=1.23.5)", "numpy", "<2.0.0,>=1.23.5", NULL},
        {"gast!=0.5.0,!=0.5.1,>=0.2.1", "gast", "!=0.5.0,!=0.5.1,>=0.2.1", NULL},
        {"tensorflow-intel (==2.15.1) ; platform_system == \"Windows\"", "tensorflow-intel", "==2.15.1", "platform_system == \"Windows\""},
        {"nvidia-cublas-cu12<13.0,>=12.5.3.2; extra == \"and-cuda\"", "nvidia-cublas-cu12", "<13.0,>=12.5.3.2", "extra == \"and-cuda\""},
        {"A.B-_C [x, Y_z] ~= 1.0 ", "a-b-c", "~= 1.0", NULL},
        {"x[] ;", "x", "", NULL},
    };
    for (size_t i = 0; i < TG_COUNT(t); i++) {
        struct pep508 q = {0};
        struct err e = {0};
        bool good = !pep508_parse(t[i].text, strlen(t[i].text), a, &q, &e);
        ok(good && str_eq(q.name, t[i].name) && str_eq(q.spec, t[i].spec) && str_eq(q.marker, t[i].marker), "parse %s", t[i].text);
    }
    struct pep508 q = {0};
    const char *s = "pip [Fast,slow_X] @ https://example.org/a;b.whl ; python_version>'3'";
    ok(!pep508_parse(s, strlen(s), a, &q, NULL) && str_eq(q.url, "https://example.org/a;b.whl") && q.n_extras == 2 && str_eq(q.extras[1], "slow-x") &&
           str_eq(q.marker, "python_version>'3'"), "address and extras");
    static const char *const bad[] = {"", "-x", "x[", "x[a", "x[a b]", "x (>=1", "x 1.0", "x @", "x @ u v", "x (>=1) y"};
    for (size_t i = 0; i < TG_COUNT(bad); i++)
        ok(pep508_parse(bad[i], strlen(bad[i]), a, &q, NULL) < 0, "\"%s\" is no requirement", bad[i]);
}

static void test_markers(void)
{
    static const struct { const char *m, *extra; enum tri want; } t[] = {
        {"python_version < \"3.12\"", NULL, TRI_YES}, {"python_version >= '3.2'", NULL, TRI_YES}, {"python_version == '3.1*'", NULL, TRI_NO},
        {"python_full_version < '3.11.10'", NULL, TRI_YES}, {"'3.9' <= python_version", NULL, TRI_YES},
        {"sys_platform != \"win32\" and python_version < \"3.13\"", NULL, TRI_YES}, {"extra == 'and-cuda'", NULL, TRI_NO},
        {"extra == 'and-cuda'", "And_CUDA", TRI_YES}, {"extra != 'x'", NULL, TRI_YES},
        {"(sys_platform == \"win32\" and python_version < \"3.12\") and extra == \"g\"", "g", TRI_NO},
        {"platform_system == \"Linux\" and (platform_machine == \"arm64\" or platform_machine == \"aarch64\")", NULL, TRI_NO},
        {"platform_machine in 'x86_64 AMD64'", NULL, TRI_YES}, {"platform_machine not  in 'x86_64 AMD64'", NULL, TRI_NO},
        {"platform_release >= '5'", NULL, TRI_UNKNOWN}, {"platform_release >= '5' and extra == 'x'", NULL, TRI_NO},
        {"platform_release >= '5' or sys_platform == 'linux'", NULL, TRI_YES}, {"nonsense == 'x'", NULL, TRI_UNKNOWN},
        {"python_version", NULL, TRI_UNKNOWN}, {"", NULL, TRI_UNKNOWN}, {"(extra == 'x'", "x", TRI_UNKNOWN}, {"extra == 'x", "x", TRI_UNKNOWN},
        {"extra == 'x' extra == 'x'", "x", TRI_UNKNOWN}, {"os_name == 'posix' or os_name == 'nt' and extra == 'q'", NULL, TRI_YES},
        {"implementation_name=='cpython'", NULL, TRI_YES},
    };
    for (size_t i = 0; i < TG_COUNT(t); i++)
        ok(pep508_marker(t[i].m, strlen(t[i].m), &env, t[i].extra) == t[i].want, "marker %s (extra %s): %d", t[i].m, t[i].extra ? t[i].extra : "-", (int)t[i].want);
    char deep[2 * PEP508_MAX_DEPTH + 40] = {0};
    memset(deep, '(', 2 * PEP508_MAX_DEPTH);
    ok(pep508_marker(deep, strlen(deep), &env, NULL) == TRI_UNKNOWN, "deep parentheses end");
}

int main(void)
{
    struct arena a;
    arena_init(&a, 0);
    test_parse(&a);
    test_markers();
    arena_done(&a);
    return tap_done();
}
