/* SPDX-License-Identifier: Apache-2.0 */
/* pep-answer - what our PEP 440 and PEP 508 code says, line by line, for run-pep.
 * Input lines, tab separated: "cmp A B", "match VERSION SPECS", "req TEXT", "marker TEXT EXTRA" (environment: see run-pep). */
#include <stdio.h>
#include <string.h>
#include "formats/pep440.h"
#include "formats/pep508.h"

static const struct pep508_env env = {
    .python_version = "3.11", .python_full_version = "3.11.9", .os_name = "posix", .sys_platform = "linux", .platform_system = "Linux",
    .platform_machine = "x86_64", .platform_release = "6.8.0-45-generic", .platform_version = "#45", .implementation_name = "cpython",
    .implementation_version = "3.11.9", .platform_python_implementation = "CPython",
};

static struct str slice(const char *s)
{
    return (struct str){s, strlen(s)};
}

static void answer(struct arena *a, const char *what, const char *x, const char *y)
{
    static const char *const tri[] = {"unknown", "no", "yes"};
    if (!strcmp(what, "cmp")) {
        struct pep440 v, w;
        if (pep440_parse(x, strlen(x), &v) || pep440_parse(y, strlen(y), &w))
            puts("invalid");
        else
            printf("%d\n", pep440_cmp(&v, &w) > 0 ? 1 : pep440_cmp(&v, &w) < 0 ? -1 : 0);
    } else if (!strcmp(what, "match")) {
        puts(tri[pep440_match(slice(x), slice(y))]);
    } else if (!strcmp(what, "marker")) {
        puts(tri[pep508_marker(x, strlen(x), &env, *y ? y : NULL)]);
    } else {
        struct pep508 q = {0};
        if (pep508_parse(x, strlen(x), a, &q, NULL)) {
            puts("invalid");
            return;
        }
        printf("%s|", q.name);
        for (size_t i = 0; i < q.n_extras; i++)
            printf("%s%s", i ? "," : "", q.extras[i]);
        printf("|%s\n", q.url ? q.url : "");
    }
}

int main(void)
{
    char line[4096];
    struct arena a;
    arena_init(&a, 0);
    while (fgets(line, sizeof line, stdin)) {
        char *end = strchr(line, '\n'), *x = strchr(line, '\t');
        if (!end || !x)
            return 2;
        *end = 0;
        *x++ = 0;
        char *y = strchr(x, '\t');
        if (y)
            *y++ = 0;
        answer(&a, line, x, y ? y : "");
    }
    arena_done(&a);
    return 0;
}
