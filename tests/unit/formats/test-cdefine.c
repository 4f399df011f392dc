/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of #define lines. */
#include "formats/cdefine.h"
#include "tap.h"

static void is(const char *text, bool found, uint32_t want)
{
    uint32_t v = 0;
    bool got = cdefine_number(text, strlen(text), "N", &v);
    ok(got == found && (!got || v == want), "%s", text);
}

int main(void)
{
    is("#define N 9", true, 9);
    is("/* x */\n#  define\tN\t12 /* y */\n", true, 12);
    is("#define N 9\r\n", true, 9);
    is("#define NN 9\n#define N 3\n", true, 3);
    is("#define N (9)", false, 0);
    is("#define N", false, 0);
    is("#define N 99999999999", false, 0);
    is("define N 1", false, 0);
    is("", false, 0);
    return tap_done();
}
