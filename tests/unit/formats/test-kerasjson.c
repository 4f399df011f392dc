/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"
#include "formats/kerasjson.h"

static const struct { const char *text, *key, *value, *backend, *name; } cases[] = {
    {"{\"floatx\": \"float32\", \"epsilon\": 1e-07, \"backend\": \"tensorflow\", \"image_data_format\": \"channels_last\"}", NULL, NULL, "tensorflow", "as Keras writes it"},
    {"{}", NULL, NULL, NULL, "nothing set"},
    {"", NULL, NULL, NULL, "empty: no JSON"},
    {"{\"floatx\": \"bfloat16\",", NULL, NULL, NULL, "cut: no JSON"},
    {"// mine\n{\"floatx\": \"half\"}", NULL, NULL, NULL, "a comment: no JSON"},
    {"\xef\xbb\xbf{\"floatx\": \"half\"}", NULL, NULL, NULL, "a byte order mark: no JSON"},
    {"{\"floatx\": \"bfloat16\"}", "floatx", "\"bfloat16\"", NULL, "a type that is no default"},
    {"{\"floatx\": null}", "floatx", "null", NULL, "null is no default"},
    {"{\"floatx\": [\"float32\"]}", "floatx", "[\"float32\"]", NULL, "a list"},
    {"{\"floatx\": \"half\", \"floatx\": \"float16\"}", NULL, NULL, NULL, "the last of a key counts"},
    {"{\"epsilon\": 1}", "epsilon", "1", NULL, "a whole number is no float"},
    {"{\"epsilon\": NaN}", NULL, NULL, NULL, "NaN is one"},
    {"{\"epsilon\": -Infinity, \"x\": \"NaN \\\" NaN\"}", NULL, NULL, NULL, "so is -Infinity; words in texts stay"},
    {"{\"epsilon\": \"1e-7\"}", "epsilon", "\"1e-7\"", NULL, "a text is none"},
    {"{\"image_data_format\": \"th\"}", "image_data_format", "\"th\"", NULL, "an order of the past"},
    {"{\"image_data_format\": \"th\", \"floatx\": 3}", "floatx", "3", NULL, "floatx is looked at first"},
    {"{\"backend\": \"theano\"}", NULL, NULL, "theano", "a backend"},
    {"{\"backend\": 3}", NULL, NULL, "3", "a number as backend"},
    {"[]", "", "[]", NULL, "a list in place of the object"},
    {"\"tensorflow\"", "", "\"tensorflow\"", NULL, "a text in place of the object"},
};

int main(void)
{
    struct arena a;
    struct kerasjson k;
    arena_init(&a, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kerasjson_read(cases[i].text, strlen(cases[i].text), &a, &k);
        ok_str(k.key, cases[i].key, cases[i].name);
        ok_str(k.value, cases[i].value, cases[i].name);
        ok_str(k.backend, cases[i].backend, cases[i].name);
    }
    kerasjson_read("{\"epsilon\": 1}", 14, &a, &k);
    ok(k.number, "1 would be good as 1.0");
    arena_done(&a);
    return tap_done();
}
