/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"
#include "base/places.h"
#include "base/util.h"

static const char *value_of(const void *ctx, const char *key, size_t n)
{
    (void)ctx;
    return n == 1 && *key == 'a' ? "1" : n == 4 && memcmp(key, "evil", 4) == 0 ? "x'; rm $HOME `id`" : n == 6 && memcmp(key, "b_args", 6) == 0 ? "-x -y" : NULL;
}

int main(void)
{
    static const struct { const char *text; bool shell; const char *want; size_t unbound; } cases[] = {
        {"x {a} y", false, "x 1 y", 0}, {"{c}", false, "{c}", 1}, {"{c|words} {a|words}", false, "words 1", 0}, {"{c|}", false, "", 0},
        {"${a} {A} {} {a", false, "${a} {A} {} {a", 0}, {"{a|x{a}}", false, "{a|x1}", 0}, {"cp {evil} .", true, "cp 'x'\\''; rm $HOME `id`' .", 0},
        {"cp \"{evil}\" .", true, "cp \"x'; rm \\$HOME \\`id\\`\" .", 0}, {"f {b_args}", true, "f -x -y", 0}, {"{a}{c|z}", true, "1z", 0}};
    struct arena a;
    arena_init(&a, 0);
    for (size_t i = 0; i < TG_COUNT(cases); i++) {
        size_t unbound = 9;
        ok_str(places_fill(&a, cases[i].text, cases[i].shell, value_of, NULL, &unbound), cases[i].want, cases[i].text);
        ok(unbound == cases[i].unbound, "unbound: %zu", unbound);
    }
    ok(!places_fill(&a, NULL, false, value_of, NULL, NULL), "nothing is nothing");
    arena_done(&a);
    return tap_done();
}
