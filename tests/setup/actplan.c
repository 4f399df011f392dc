/* SPDX-License-Identifier: Apache-2.0 */
/* actplan - an action with a step of every kind, for tests/setup/run-actions. The engine is a script beside it.
 *
 * usage: actplan apply|more DIR ENGINE URL SHA256 | actplan undo
 * DIR has what tests/setup/run-actions puts there. Exit code: 0; 1 failed (a line on stderr); 3 nothing to undo.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "act/act.h"
#include "base/sha256.h"
#include "base/util.h"

static const char *at(struct arena *a, const char *dir, const char *name)
{
    return arena_printf(a, "%s/%s", dir, name);
}

static const char *hex(struct arena *a, const char *text)
{
    struct sha256 s;
    unsigned char digest[32];
    char out[65];
    sha256_init(&s);
    sha256_add(&s, text, strlen(text));
    sha256_done(&s, digest);
    sha256_hex(digest, out);
    return arena_strdup(a, out);
}

static void write_step(struct arena *a, struct plan *p, const char *path, const char *text, const char *expect)
{
    struct step *s = plan_add(a, p, STEP_WRITE, "write", path);
    s->bytes = text;
    s->n_bytes = strlen(text);
    s->expect = expect;
}

static void engine_step(struct arena *a, struct plan *p, const char *engine, const char *verb, const char *env, bool makes)
{
    struct step *s = plan_add(a, p, STEP_RUN, verb, makes ? env : NULL);
    plan_arg(a, s, engine);
    plan_arg(a, s, verb);
    plan_arg(a, s, env);
    plan_env(a, s, "ENGINE_SAYS=hello");
    s->again = 0;
}

static void first_steps(struct arena *a, struct plan *p, char **argv)
{
    const char *dir = argv[2], *env = at(a, dir, "env");
    struct step *s;
    plan_folder(a, p, dir);
    engine_step(a, p, argv[3], "create", env, true);
    engine_step(a, p, argv[3], "install", env, false);
    write_step(a, p, at(a, dir, "env/etc/hook"), "export A=1\n", "absent");
    write_step(a, p, at(a, dir, "settings"), "a = 1\nb = 2\n", hex(a, "a = 1\n"));
    write_step(a, p, at(a, dir, "new/deep/file.conf"), "x\n", NULL);
    s = plan_add(a, p, STEP_LINK, "link", at(a, dir, "current"));
    s->target = "env";
    s = plan_add(a, p, STEP_LINK, "link", at(a, dir, "new/link"));
    s->target = "../env/etc/hook";
    (void)plan_add(a, p, STEP_REMOVE, "remove", at(a, dir, "stale"));
    (void)plan_add(a, p, STEP_REMOVE, "remove", at(a, dir, "old-link"));
    (void)plan_add(a, p, STEP_REMOVE, "remove", at(a, dir, "old-tree"));
    s = plan_add(a, p, STEP_DOWNLOAD, "fetch", at(a, dir, "cached/installer.sh"));
    s->url = argv[4];
    s->sha256 = argv[5];
    (void)plan_add(a, p, STEP_KEEP, "keep", at(a, dir, "kept"));
    s = plan_add(a, p, STEP_RUN, "change", NULL);
    plan_arg(a, s, argv[3]);
    plan_arg(a, s, "change");
    plan_arg(a, s, at(a, dir, "kept"));
    plan_env(a, s, "ENGINE_SAYS=hello");
    s->again = p->n_steps - 2;
}

static int apply(struct arena *a, char **argv, struct err *e)
{
    struct plan p = {.command = "actplan apply", .subject = argv[2]}, more = {0};
    struct act x;
    first_steps(a, &p, argv);
    int r = act_start(a, &p, &x, e);
    if (r < 0)
        return r;
    r = act_go(&x, e);
    if (r == 0 && str_eq(argv[1], "more")) {
        struct step *s = plan_add(a, &more, STEP_LINK, "repair", at(a, argv[2], "env/lib/libx.so.1"));
        s->target = "../other/libx.so.1";
        s = plan_add(a, &more, STEP_WRITE, "write again", at(a, argv[2], "settings"));
        s->bytes = "a = 3\n";
        s->n_bytes = strlen(s->bytes);
        r = act_more(&x, p.n_steps, more.steps, more.n_steps, e);
        if (r == 0)
            r = act_go(&x, e);
    }
    if (r == 0)
        return act_finish(&x, e);
    act_close(&x);
    return r;
}

static int undo(struct arena *a, struct err *e)
{
    const char **ids, **changed;
    size_t n, n_changed;
    int home, r = journal_home(a, true, &home, e);
    if (r == 0)
        r = journal_list(a, home, &ids, &n, e);
    while (r == 0 && n-- > 0) {
        struct act x;
        r = act_open(a, ids[n], true, &x, e);
        if (r == -EALREADY) {
            r = 0;
            continue;
        }
        if (r < 0)
            return r;
        r = act_changed(&x, &changed, &n_changed, e);
        if (r == 0 && n_changed)
            r = err_set(e, -EBUSY, "changed since: %s", changed[0]);
        if (r == 0)
            r = act_back(&x, e);
        act_close(&x);
        return r;
    }
    return r < 0 ? r : 1;
}

int main(int argc, char **argv)
{
    struct arena a;
    struct err e = {0};
    int r = -EINVAL;
    arena_init(&a, 0);
    if (argc == 6 && (str_eq(argv[1], "apply") || str_eq(argv[1], "more")))
        r = apply(&a, argv, &e);
    else if (argc == 2 && str_eq(argv[1], "undo"))
        r = undo(&a, &e);
    if (r < 0)
        fprintf(stderr, "actplan: %s\n", e.msg);
    arena_done(&a);
    return r < 0 ? 1 : r ? 3 : 0;
}
