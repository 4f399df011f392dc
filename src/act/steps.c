/* SPDX-License-Identifier: Apache-2.0 */
/* steps - one step there and back. */
#include "act/steps.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "act/fetch.h"
#include "base/child.h"
#include "base/i18n.h"
#include "base/sha256.h"
#include "base/util.h"

enum { NEW_MODE = 0644 };

static const struct step *step_of(const struct act *x, size_t i)
{
    return &x->j.plan.steps[i];
}

/* Beside the path, so that a rename is enough. */
static const char *temp_name(struct act *x, size_t i)
{
    return arena_printf(x->a, ".tfgpu-%s-%zu", x->j.id, i);
}

/* Of a copy that is not whole yet, or of what goes. */
static const char *part_name(struct act *x, size_t i)
{
    return arena_printf(x->a, "%s~", temp_name(x, i));
}

/* What its path is when it is done; for a program's folder only the kind. */
static struct state after(struct act *x, size_t i)
{
    const struct step *s = step_of(x, i);
    const struct state *before = &x->j.steps[i].before;
    struct state r = {0};
    switch (s->kind) {
    case STEP_RUN:
    case STEP_KEEP:
        r.kind = STATE_FOLDER;
        break;
    case STEP_WRITE:
        r = (struct state){.kind = STATE_FILE, .mode = s->mode ? s->mode : before->kind == STATE_FILE ? before->mode : NEW_MODE, .sha256 = sha256_of(x->a, s->bytes, s->n_bytes)};
        break;
    case STEP_LINK:
        r = (struct state){.kind = STATE_LINK, .target = s->target};
        break;
    case STEP_DOWNLOAD:
        r = (struct state){.kind = STATE_FILE, .mode = NEW_MODE, .sha256 = s->sha256};
        break;
    case STEP_REMOVE:
        break;
    }
    return r;
}

/* -- doing it ------------------------------------------------------------------------------------------------------------ */

static int begin_check(const struct step *s, const struct state *now, struct err *e)
{
    if (s->kind == STEP_RUN)
        return now->kind == STATE_ABSENT ? 0 : err_set(e, -EEXIST, _("%s exists already"), s->path);
    if (s->kind == STEP_KEEP)
        return now->kind == STATE_FOLDER ? 0 : err_set(e, -ENOTDIR, _("%s is no folder"), s->path);
    if (now->kind == STATE_OTHER || (now->kind == STATE_FOLDER && s->kind != STEP_REMOVE))
        return err_set(e, -EEXIST, now->kind == STATE_FOLDER ? _("%s is a folder") : _("%s is neither a file nor a link"), s->path);
    if (s->kind == STEP_WRITE && s->expect && !(now->kind == STATE_ABSENT ? str_eq(s->expect, "absent") : str_eq(s->expect, now->sha256)))
        return err_set(e, -ESTALE, _("%s was changed since the plan was made; it stays as it is"), s->path);
    return 0;
}

static int keep_bytes(struct act *x, const struct place *p, size_t i, struct err *e)
{
    int keep = openat(x->j.dir, "keep", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (keep < 0)
        return err_set(e, -errno, _("the journal of action %s: %s"), x->j.id, strerror(errno));
    int r = place_copy(p, x->j.dir, journal_keep(&x->j, i), e);
    (void)fsync(keep); /* not every file system can */
    close(keep);
    return r;
}

/* Journals it, then makes the folders on the way. The place is open afterwards. */
static int begin(struct act *x, size_t i, struct place *p, struct err *e)
{
    const struct step *s = step_of(x, i);
    const char **made = NULL;
    size_t n_made = 0;
    struct state now = {0};
    int r = place_missing(x->a, &x->j.plan, s->path, &made, &n_made, e);
    if (r == 0 && n_made == 0) {
        r = place_open(x->a, &x->j.plan, s->path, false, p, e);
        if (r == 0)
            r = place_look(x->a, p, &now, e);
    }
    if (r == 0)
        r = begin_check(s, &now, e);
    if (r == 0 && now.kind == STATE_FILE)
        r = keep_bytes(x, p, i, e);
    if (r == 0)
        r = journal_begin(&x->j, i, &now, made, n_made, e);
    if (r == 0 && n_made)
        r = place_open(x->a, &x->j.plan, s->path, true, p, e);
    return r;
}

static const char *command_text(struct arena *a, const struct step *s)
{
    const char *t = s->argv[0];
    for (size_t i = 1; i < s->n_argv && i < 3; i++)
        t = arena_printf(a, "%s %s", t, s->argv[i]);
    return s->n_argv > 3 ? arena_printf(a, "%s ...", t) : t;
}

static int run_program(struct act *x, const struct step *s, int *ret_stopped, struct err *e)
{
    struct child_result r = {0};
    const char **argv = arena_array(x->a, s->n_argv + 1, sizeof *argv), **env = arena_array(x->a, s->n_env + 1, sizeof *env);
    memcpy(argv, s->argv, s->n_argv * sizeof *argv);
    if (s->n_env)
        memcpy(env, s->env, s->n_env * sizeof *env);
    const struct child_pass_spec spec = {.argv = argv, .env = env, .cwd = s->cwd, .mask = &x->signals, .seen = x->seen, .ctx = x->ctx};
    int rc = child_pass(&spec, &r, e);
    if (rc < 0)
        return rc;
    *ret_stopped = r.asked;
    if (r.end == CHILD_SIGNALED)
        return err_set(e, -EIO, _("'%s' was ended by signal %d (%s)"), command_text(x->a, s), r.signal, strsignal(r.signal));
    return r.code ? err_set(e, -EIO, _("'%s' ended with exit code %d"), command_text(x->a, s), r.code) : 0;
}

static int do_run(struct act *x, size_t i, int *ret_stopped, struct err *e)
{
    const struct step *s = step_of(x, i);
    const struct state none = {0};
    struct place p = {.dir = -1};
    int r = s->path ? begin(x, i, &p, e) : journal_begin(&x->j, i, &none, NULL, 0, e);
    if (r == 0)
        r = run_program(x, s, ret_stopped, e);
    if (r == 0 && s->path) {
        struct state now;
        r = place_look(x->a, &p, &now, e);
        if (r == 0 && now.kind != STATE_FOLDER)
            r = err_set(e, -ENOENT, _("'%s' ended well, but %s is not there"), command_text(x->a, s), s->path);
    }
    place_close(&p);
    return r;
}

static int put(struct act *x, size_t i, const struct place *p, int *ret_stopped, struct err *e)
{
    const struct step *s = step_of(x, i);
    const struct state to = after(x, i);
    const char *temp = temp_name(x, i);
    int fd = -1, r = 0;
    switch (s->kind) {
    case STEP_WRITE:
        return place_put_bytes(p, temp, s->bytes, s->n_bytes, to.mode, e);
    case STEP_LINK:
        return place_put_link(p, temp, s->target, e);
    case STEP_REMOVE:
        return x->j.steps[i].before.kind == STATE_FOLDER ? place_rename(p, temp, e) : place_unlink(p, e);
    case STEP_DOWNLOAD:
        r = fetch_file(x, s, &fd, ret_stopped, e);
        if (r == 0)
            r = place_put_file(p, temp, fd, to.mode, e);
        if (fd >= 0)
            close(fd);
        if (r == 0)
            fetch_forget(x->a, s);
        return r;
    case STEP_KEEP:
        return place_keep(p, temp, part_name(x, i), e);
    case STEP_RUN:
        break;
    }
    return r;
}

int step_do(struct act *x, size_t i, int *ret_stopped, struct err *e)
{
    struct place p = {.dir = -1};
    int r;
    *ret_stopped = 0;
    if (step_of(x, i)->kind == STEP_RUN) {
        r = do_run(x, i, ret_stopped, e);
    } else {
        r = begin(x, i, &p, e);
        if (r == 0)
            r = put(x, i, &p, ret_stopped, e);
        place_close(&p);
    }
    return r < 0 ? r : journal_stage(&x->j, i, STEP_DONE, e);
}

/* -- and back ------------------------------------------------------------------------------------------------------------ */

static int put_back(struct act *x, size_t i, const struct place *p, struct err *e)
{
    const struct state *before = &x->j.steps[i].before;
    const char *temp = temp_name(x, i);
    int r, fd;
    switch (before->kind) {
    case STATE_ABSENT:
        return place_unlink(p, e);
    case STATE_LINK:
        return place_put_link(p, temp, before->target, e);
    case STATE_FILE:
        fd = openat(x->j.dir, journal_keep(&x->j, i), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        r = fd < 0 ? err_set(e, -errno, _("the old bytes of %s are not in the journal: %s"), p->path, strerror(errno)) : place_put_file(p, temp, fd, before->mode, e);
        if (fd >= 0)
            close(fd);
        return r;
    case STATE_FOLDER:
        return place_rename_back(p, temp, e);
    case STATE_OTHER:
        break;
    }
    return 0;
}

static int revert_path(struct act *x, size_t i, const struct place *p, struct err *e)
{
    const struct step_record *rec = &x->j.steps[i];
    const struct place temp = {.dir = p->dir, .path = p->path, .name = temp_name(x, i)};
    const struct state done = after(x, i);
    struct state now;
    int r = place_look(x->a, p, &now, e);
    if (r < 0)
        return r;
    if (!state_same(&now, &rec->before)) {
        if (!state_same(&now, &done))
            return err_set(e, -EBUSY, _("%s was changed by somebody else; it stays as it is"), p->path);
        r = put_back(x, i, p, e);
    }
    if (r == 0 && rec->before.kind != STATE_FOLDER)
        r = place_unlink(&temp, e); /* of a write that was cut short */
    return r;
}

static bool is_on_the_way(const char *folder, const char *path)
{
    size_t n = strlen(folder);
    return folder[0] == '/' && n > 1 && strncmp(path, folder, n) == 0 && path[n] == '/';
}

/* Only those that are empty: what somebody else put there stays. */
static void remove_made(struct act *x, const char *path, const struct step_record *rec)
{
    for (size_t m = rec->n_made; m-- > 0; ) {
        struct place p;
        if (!is_on_the_way(rec->made[m], path))
            continue; /* the journal was changed by somebody */
        int r = place_open(x->a, &x->j.plan, rec->made[m], false, &p, NULL);
        if (r == -EXDEV)
            r = place_open_above(x->a, rec->made[m], &p);
        if (r < 0)
            continue;
        (void)unlinkat(p.dir, p.name, AT_REMOVEDIR);
        (void)fsync(p.dir);
        place_close(&p);
    }
}

/* The folder that a program made. One that was made after the program had ended is somebody else's. */
static int revert_folder(struct act *x, size_t i, const struct place *p, struct err *e)
{
    const struct timespec *done = &x->j.steps[i].done;
    if (done->tv_sec && place_is_younger(p, done))
        return err_set(e, -EBUSY, _("%s was changed by somebody else; it stays as it is"), p->path);
    return place_remove_tree(p, temp_name(x, i), e);
}

int step_revert(struct act *x, size_t i, struct err *e)
{
    const struct step *s = step_of(x, i);
    struct place p;
    int r = 0;
    if (x->j.steps[i].stage == STEP_PENDING)
        return 0;
    if (x->j.steps[i].stage != STEP_UNDOING)
        r = journal_stage(&x->j, i, STEP_UNDOING, e);
    if (r == 0 && s->path) {
        r = place_open(x->a, &x->j.plan, s->path, false, &p, e);
        if (r == 0) {
            r = s->kind == STEP_RUN    ? revert_folder(x, i, &p, e)
                : s->kind == STEP_KEEP ? place_keep_back(&p, temp_name(x, i), part_name(x, i), e)
                                       : revert_path(x, i, &p, e);
            place_close(&p);
        } else if (r == -ENOENT) { /* the folder that held it is gone, and it with that */
            r = x->j.steps[i].before.kind == STATE_ABSENT ? 0 : r;
        }
        if (r == 0)
            remove_made(x, s->path, &x->j.steps[i]);
    }
    return r < 0 ? r : journal_stage(&x->j, i, STEP_PENDING, e);
}

/* -- changed since? ------------------------------------------------------------------------------------------------------ */

/* When the last step was done; 0: the action is not whole, so that its folders were never ready for anybody to change. */
static struct timespec last_done(const struct act *x)
{
    struct timespec t = {0};
    for (size_t k = 0; k < x->j.n_steps; k++) {
        const struct timespec *done = &x->j.steps[k].done;
        if (!x->j.finished || x->j.steps[k].stage != STEP_DONE)
            return (struct timespec){0};
        if (done->tv_sec > t.tv_sec || (done->tv_sec == t.tv_sec && done->tv_nsec > t.tv_nsec))
            t = *done;
    }
    return t;
}

static int tree_changed(struct act *x, const struct place *p, const char **ret, struct err *e)
{
    struct timespec since = last_done(x);
    struct state now;
    const char *newer = NULL;
    int r = place_look(x->a, p, &now, e);
    if (r < 0 || now.kind != STATE_FOLDER || since.tv_sec == 0)
        return r;
    r = place_newer(x->a, p, &since, &newer, e);
    if (r == 0 && newer)
        *ret = arena_printf(x->a, "%s/%s", p->path, newer);
    return r;
}

/* A file that is written twice is what the last of the steps has made of it. */
static bool is_overtaken(const struct act *x, size_t i)
{
    for (size_t k = i + 1; k < x->j.n_steps; k++)
        if (x->j.steps[k].stage != STEP_PENDING && str_eq(step_of(x, k)->path, step_of(x, i)->path))
            return true;
    return false;
}

int step_changed(struct act *x, size_t i, const char **ret, struct err *e)
{
    const struct step *s = step_of(x, i);
    const struct step_record *rec = &x->j.steps[i];
    struct place p;
    *ret = NULL;
    if (!s->path || rec->stage != STEP_DONE || is_overtaken(x, i))
        return 0;
    int r = place_open(x->a, &x->j.plan, s->path, false, &p, e);
    if (r < 0)
        return r == -ENOENT ? 0 : r;
    if (s->kind == STEP_RUN || s->kind == STEP_KEEP) {
        r = tree_changed(x, &p, ret, e);
    } else {
        const struct state done = after(x, i);
        struct state now;
        r = place_look(x->a, &p, &now, e);
        if (r == 0 && !state_same(&now, &rec->before) && !state_same(&now, &done))
            *ret = s->path;
    }
    place_close(&p);
    return r;
}
