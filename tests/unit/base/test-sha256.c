/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 against the examples of FIPS 180-4, in one piece and byte by byte, and the text form of RECORD. */
#include "base/sha256.h"
#include "tap.h"

static const char *digest(const char *s, size_t n, size_t step, char text[44])
{
    struct sha256 h;
    unsigned char d[32];
    sha256_init(&h);
    for (size_t i = 0; i < n; i += step)
        sha256_add(&h, s + i, n - i < step ? n - i : step);
    sha256_done(&h, d);
    sha256_text(d, text);
    return text;
}

int main(void)
{
    char t[44];
    static char many[1000];
    memset(many, 'a', sizeof many);
    ok_str(digest("", 0, 1, t), "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU", "empty");
    ok_str(digest("abc", 3, 3, t), "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0", "abc");
    ok_str(digest("abc", 3, 1, t), "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0", "abc byte by byte");
    static const char two[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    ok_str(digest(two, 56, 56, t), "JI1qYdIGOLjlwCaTDD5gOaM85Flk_yFn9uzt1BnbBsE", "56 bytes: the length takes another block");
    char a[44];
    digest(many, sizeof many, sizeof many, a);
    ok_str(digest(many, sizeof many, 63, t), a, "pieces of 63");
    ok_str(digest(many, sizeof many, 64, t), a, "pieces of 64");
    ok_str(digest(many, sizeof many, 65, t), a, "pieces of 65");
    return tap_done();
}
