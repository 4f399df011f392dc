/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"
#include <signal.h>
#include "base/util.h"
#include "explain/ending.h"

static struct arena a;

int main(void)
{
    static const char *const argv[] = {"python", "tr\x1b" "ain.py", NULL}, *const empty[] = {"", NULL};
    static const struct { bool by_signal; int code, signal; const char *line; } cases[] = {
        {true, 137, SIGKILL, "exit code 137: ended by signal 9: SIGKILL, Killed"},
        {true, 132, SIGILL, "exit code 132: ended by signal 4: SIGILL, Illegal instruction"},
        {false, 139, 0, "exit code 139: a child of it ended by signal 11: SIGSEGV, Segmentation fault"},
        {true, 143, SIGTERM, NULL}, {false, 130, 0, NULL}, {false, 1, 0, NULL}, {false, 0, 0, NULL}, {false, 255, 0, NULL}, {false, 128, 0, NULL}};
    arena_init(&a, 0);
    for (size_t i = 0; i < TG_COUNT(cases); i++) {
        const struct explain_ending e = {argv, cases[i].by_signal, cases[i].code, cases[i].signal, 0, 0};
        ok_str(ending_line(&a, &e), cases[i].line, arena_printf(&a, "code %d", cases[i].code));
        ok((ending_signal(&a, &e) != NULL) == cases[i].by_signal, "a signal's name only where one ended it");
    }
    struct explain_ending e = {.argv = argv};
    ok_str(ending_command(&a, &e), "python tr\\x1B" "ain.py", "the command is printed safely");
    e.argv = empty;
    ok_str(ending_command(&a, &e), "", "an empty one");
    const char *many[40] = {NULL};
    for (size_t i = 0; i + 1 < TG_COUNT(many); i++)
        many[i] = "\xe4\xb8\xad\xe6\x96\x87";
    e.argv = many;
    const char *cut = ending_command(&a, &e);
    ok(strlen(cut) < 80 && str_ends(cut, "…"), "a long one is cut between characters: %s", cut);
    arena_done(&a);
    return tap_done();
}
