/* SPDX-License-Identifier: Apache-2.0 */
/* Requirements, markers, versions and specifiers: any text; a version equals itself, order is antisymmetric. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "formats/pep440.h"
#include "formats/pep508.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct pep508_env env = {.python_version = "3.11", .python_full_version = "3.11.9", .sys_platform = "linux", .platform_machine = "x86_64"};
    struct arena a;
    struct pep508 q = {0};
    struct err e = {0};
    const char *text = (const char *)data;
    arena_init(&a, 0);
    if (!pep508_parse(text, size, &a, &q, &e) && q.marker)
        (void)pep508_marker(q.marker, strlen(q.marker), &env, "and-cuda");
    (void)pep508_marker(text, size, &env, NULL);
    const char *nl = size ? memchr(text, '\n', size) : NULL;
    if (nl) {
        struct str v = {text, (size_t)(nl - text)}, s = {nl + 1, size - v.n - 1};
        struct pep440 x, y;
        if (!pep440_parse(v.p, v.n, &x) && !pep440_parse(s.p, s.n, &y)) {
            int r = pep440_cmp(&x, &y), back = pep440_cmp(&y, &x);
            if (pep440_cmp(&x, &x) || (r > 0) != (back < 0) || (r == 0) != (back == 0))
                abort();
        }
        (void)pep440_match(v, s);
        (void)pep440_first_unmet(v, s);
    }
    arena_done(&a);
    return 0;
}
