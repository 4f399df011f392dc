/* SPDX-License-Identifier: Apache-2.0 */
/* test-plan - what may stand in a plan, and what may not. The journal and the steps are tested by tests/setup/run-actions. */
#include "act/plan.h"
#include <errno.h>
#include "base/util.h"
#include "tap.h"

#define SUM "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static int check(struct arena *a, const struct step *s)
{
    struct plan p = {.command = "c", .subject = "s"};
    struct err e = {0};
    plan_folder(a, &p, "/w/env");
    struct step *mine = plan_add(a, &p, s->kind, "t", s->path);
    *mine = *s;
    mine->title = s->title ? s->title : "t";
    return plan_check(&p, &e);
}

static void test_paths(struct arena *a)
{
    static const struct { const char *path; bool good; } cases[] = {
        {"/w/env", true}, {"/w/env/a", true}, {"/w/env/a/..b", true}, {"/w/env/ü", true}, {"/w/envx", false}, {"/w", false}, {"/w/env/../x", false},
        {"/w/env/./x", false}, {"/w/env//x", false}, {"/w/env/", false}, {"w/env/x", false}, {"", false}, {"/w/env/a\nb", false}, {"/w/env/\x1b", false},
        {"/w/env/\xff", false}, {NULL, false}, {"/w/env/..", false}};
    for (size_t i = 0; i < TG_COUNT(cases); i++) {
        struct step s = {.kind = STEP_REMOVE, .path = cases[i].path};
        ok((check(a, &s) == 0) == cases[i].good, "path %zu", i);
    }
}

static void test_steps(struct arena *a)
{
    const char *argv[] = {"uv", "--x"}, *bad_argv[] = {"uv", "a\nb"}, *env[] = {"A=1"}, *bad_env[] = {"A"};
    const struct { struct step s; bool good; const char *name; } cases[] = {
        {{.kind = STEP_RUN, .argv = argv, .n_argv = 2}, true, "a program"},
        {{.kind = STEP_RUN, .argv = argv, .n_argv = 2, .path = "/w/env/x", .cwd = "/w", .env = env, .n_env = 1}, true, "a program that makes a folder"},
        {{.kind = STEP_RUN}, false, "no program"},
        {{.kind = STEP_RUN, .argv = bad_argv, .n_argv = 2}, false, "two lines in a word"},
        {{.kind = STEP_RUN, .argv = argv, .n_argv = 2, .env = bad_env, .n_env = 1}, false, "a variable without value"},
        {{.kind = STEP_RUN, .argv = argv, .n_argv = 2, .cwd = "w"}, false, "a folder that depends on where we are"},
        {{.kind = STEP_RUN, .argv = argv, .n_argv = 2, .again = 1}, false, "again from a later step"},
        {{.kind = STEP_WRITE, .path = "/w/env/x", .bytes = ""}, true, "an empty file"},
        {{.kind = STEP_WRITE, .path = "/w/env/x"}, false, "no bytes"},
        {{.kind = STEP_WRITE, .path = "/w/env/x", .bytes = "", .mode = 04755}, false, "a set-user-ID file"},
        {{.kind = STEP_WRITE, .path = "/w/env/x", .bytes = "", .expect = "absent"}, true, "there was none"},
        {{.kind = STEP_WRITE, .path = "/w/env/x", .bytes = "", .expect = "abc"}, false, "no checksum"},
        {{.kind = STEP_LINK, .path = "/w/env/x", .target = "../../y"}, true, "a link may lead anywhere"},
        {{.kind = STEP_LINK, .path = "/w/env/x", .target = ""}, false, "a link to nothing"},
        {{.kind = STEP_DOWNLOAD, .path = "/w/env/x", .url = "https://h/x", .sha256 = SUM}, true, "a download"},
        {{.kind = STEP_DOWNLOAD, .path = "/w/env/x", .url = "https://h/x"}, false, "one without checksum"},
        {{.kind = STEP_DOWNLOAD, .path = "/w/env/x", .url = "file:///etc/passwd", .sha256 = SUM}, false, "no download"},
        {{.kind = STEP_DOWNLOAD, .path = "/w/env/x", .url = "-o/etc/x", .sha256 = SUM}, false, "an option for curl"}};
    for (size_t i = 0; i < TG_COUNT(cases); i++)
        ok((check(a, &cases[i].s) == 0) == cases[i].good, "%s", cases[i].name);
}

int main(void)
{
    struct arena a;
    arena_init(&a, 0);
    test_paths(&a);
    test_steps(&a);
    arena_done(&a);
    return tap_done();
}
