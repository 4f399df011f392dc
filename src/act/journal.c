/* SPDX-License-Identifier: Apache-2.0 */
/* journal - actions on disk. */
#include "act/journal.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/homes.h"
#include "base/i18n.h"
#include "base/json.h"
#include "base/util.h"
#include "base/whole.h"

enum { LOG_MAX = 64 << 20, OURS = 0700, FILE_MODE = 0600, IDS_MAX = 100000 };
#define PLAN "plan.json"
#define PLAN_NEW "plan.json.new"
#define LOG "log"

static const char *const stages[] = {[STEP_PENDING] = "undone", [STEP_BEGUN] = "begin", [STEP_DONE] = "done", [STEP_UNDOING] = "undo"};
static const char *const state_kinds[] = {
    [STATE_ABSENT] = "absent", [STATE_FILE] = "file", [STATE_LINK] = "link", [STATE_FOLDER] = "folder", [STATE_OTHER] = "other",
};

static int fail(struct err *e, int code, const char *id)
{
    if (code == -EBADMSG)
        return err_set(e, code, _("the journal of action %s: something else than a file is in a file's place"), id);
    return err_set(e, code, _("the journal of action %s: %s"), id, strerror(-code));
}

static int damaged(struct err *e, const char *id, const char *file)
{
    return err_set(e, -EBADMSG, _("the journal of action %s is damaged (%s)"), id, file);
}

/* -- where they lie ------------------------------------------------------------------------------------------------------- */

int journal_home(struct arena *a, bool make, int *ret_dir, struct err *e)
{
    const char *state = homes_path(a, HOMES_STATE), *path = state ? path_join(a, state, "actions") : NULL;
    int r = make || !path ? homes_make(a, HOMES_STATE, "actions", &path, e) : 0;
    if (r < 0)
        return r;
    *ret_dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return *ret_dir >= 0 || (!make && errno == ENOENT) ? 0 : err_set(e, -errno, "%s: %s", path, strerror(errno));
}

static int read_file(struct arena *a, int dir, const char *name, size_t max, char **ret, size_t *ret_n)
{
    struct stat st;
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int r = fd < 0 || fstat(fd, &st) < 0 ? -errno : !S_ISREG(st.st_mode) ? -EBADMSG : (size_t)st.st_size > max ? -EFBIG : 0;
    size_t n = 0;
    if (r == 0) {
        *ret = arena_raw(a, (size_t)st.st_size + 1);
        while (n < (size_t)st.st_size) {
            ssize_t got = read(fd, *ret + n, (size_t)st.st_size - n);
            if (got < 0 && errno == EINTR)
                continue;
            if (got <= 0) {
                r = got < 0 ? -errno : 0;
                break;
            }
            n += (size_t)got;
        }
        (*ret)[n] = '\0';
        *ret_n = n;
    }
    if (fd >= 0)
        close(fd);
    return r;
}

static int write_plan(struct journal *j, const struct plan *p)
{
    struct buf out;
    buf_init(&out, PLAN_MAX_BYTES);
    plan_write(p, &out);
    int r = out.full ? -EFBIG : 0;
    int fd = r < 0 ? -1 : openat(j->dir, PLAN_NEW, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);
    if (r == 0)
        r = fd < 0 ? -errno : whole_write(fd, out.p, out.len);
    if (r == 0 && fsync(fd) < 0)
        r = -errno;
    if (fd >= 0 && close(fd) < 0 && r == 0)
        r = -errno;
    if (r == 0 && renameat(j->dir, PLAN_NEW, j->dir, PLAN) < 0)
        r = -errno;
    if (r == 0)
        (void)fsync(j->dir); /* not every file system can */
    buf_done(&out);
    return r;
}

/* -- opening ------------------------------------------------------------------------------------------------------------- */

static int open_log(struct journal *j)
{
    j->log = openat(j->dir, LOG, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);
    return j->log < 0 ? -errno : 0;
}

static void fit_steps(struct journal *j)
{
    while (j->n_steps < j->plan.n_steps)
        ARENA_PUSH(j->a, j->steps, j->n_steps);
    j->n_steps = j->plan.n_steps;
}

static const char *new_id(struct arena *a)
{
    struct timespec t;
    struct tm tm;
    clock_gettime(CLOCK_REALTIME, &t);
    gmtime_r(&t.tv_sec, &tm);
    return arena_printf(a, "%04d%02d%02d-%02d%02d%02d-%06ld", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, t.tv_nsec / 1000);
}

int journal_new(struct arena *a, int home, const struct plan *p, struct journal *ret, struct err *e)
{
    struct journal j = {.a = a, .id = new_id(a), .dir = -1, .log = -1, .plan = *p};
    int r = plan_check(p, e);
    if (r < 0)
        return r;
    if (mkdirat(home, j.id, OURS) < 0 || (j.dir = openat(home, j.id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0)
        r = -errno;
    if (r == 0 && mkdirat(j.dir, "keep", OURS) < 0)
        r = -errno;
    if (r == 0)
        r = open_log(&j);
    if (r == 0)
        r = write_plan(&j, p);
    if (r == 0)
        (void)fsync(home);
    if (r < 0) {
        journal_close(&j);
        return fail(e, r, j.id);
    }
    fit_steps(&j);
    *ret = j;
    return 0;
}

void journal_close(struct journal *j)
{
    if (j->log >= 0)
        close(j->log);
    if (j->dir >= 0)
        close(j->dir);
    j->log = j->dir = -1;
}

/* -- events -------------------------------------------------------------------------------------------------------------- */

static bool read_state(struct arena *a, const json_t *obj, struct state *ret)
{
    const char *kind = json_string_value(json_object_get(obj, "kind"));
    for (size_t i = 0; i < TG_COUNT(state_kinds); i++) {
        if (!str_eq(kind, state_kinds[i]))
            continue;
        *ret = (struct state){
            .kind = (enum state_kind)i,
            .mode = (unsigned)json_integer_value(json_object_get(obj, "mode")),
            .sha256 = arena_strdup(a, json_string_value(json_object_get(obj, "sha256"))),
            .target = arena_strdup(a, json_string_value(json_object_get(obj, "target"))),
        };
        return (ret->kind != STATE_FILE || ret->sha256) && (ret->kind != STATE_LINK || ret->target);
    }
    return false;
}

static bool read_made(struct arena *a, const json_t *list, struct step_record *s)
{
    s->made = NULL;
    s->n_made = 0;
    for (size_t m = 0; m < json_array_size(list); m++) {
        const char *folder = json_string_value(json_array_get(list, m));
        if (!folder)
            return false;
        *ARENA_PUSH(a, s->made, s->n_made) = arena_strdup(a, folder);
    }
    return true;
}

static bool take_step(struct journal *j, const json_t *obj, const char *event)
{
    const json_t *step = json_object_get(obj, "step"), *made = json_object_get(obj, "made"), *done = json_object_get(obj, "at");
    size_t i = json_is_integer(step) && json_integer_value(step) >= 0 ? (size_t)json_integer_value(step) : SIZE_MAX;
    if (i >= j->n_steps) /* of a step that was taken back before the plan got others */
        return i < SIZE_MAX;
    struct step_record *s = &j->steps[i];
    for (size_t k = 0; k < TG_COUNT(stages); k++) {
        if (!str_eq(event, stages[k]))
            continue;
        s->stage = (enum step_stage)k;
        if (k == STEP_DONE)
            s->done = (struct timespec){json_integer_value(json_array_get(done, 0)), json_integer_value(json_array_get(done, 1))};
        return k != STEP_BEGUN || (read_made(j->a, made, s) && read_state(j->a, json_object_get(obj, "before"), &s->before));
    }
    return false;
}

static bool take_event(struct journal *j, const struct str *line)
{
    json_t *obj = json_loadb(line->p, line->n, JSON_REJECT_DUPLICATES, NULL);
    const char *event = json_string_value(json_object_get(obj, "event"));
    bool good = event != NULL;
    if (str_eq(event, "finished"))
        j->finished = true;
    else if (str_eq(event, "all undone"))
        j->undone = true;
    else
        good = good && take_step(j, obj, event);
    json_decref(obj);
    return good;
}

/* A line that was cut short did not happen; the next one starts afresh. Another tfgpu may be writing it just now, unless we hold the lock. */
static int read_log(struct journal *j, bool write, struct err *e)
{
    char *text = NULL;
    size_t n = 0, pos = 0;
    struct str line;
    int r = read_file(j->a, j->dir, LOG, LOG_MAX, &text, &n);
    if (r < 0)
        return fail(e, r, j->id);
    char *last = n ? memrchr(text, '\n', n) : NULL;
    size_t whole = last ? (size_t)(last - text) + 1 : 0;
    while (str_line(text, whole, &pos, &line))
        if (!take_event(j, &line))
            return damaged(e, j->id, LOG);
    r = write ? open_log(j) : 0;
    if (r == 0 && write && whole < n && ftruncate(j->log, (off_t)whole) < 0)
        r = -errno;
    return r < 0 ? fail(e, r, j->id) : 0;
}

int journal_open(struct arena *a, int home, const char *id, bool write, struct journal *ret, struct err *e)
{
    struct journal j = {.a = a, .id = arena_strdup(a, id), .dir = -1, .log = -1};
    struct err why = {0};
    char *text = NULL;
    size_t n = 0;
    if (home < 0 || !*id || strchr(id, '/') || id[0] == '.')
        return err_set(e, -ENOENT, _("there is no action '%s'"), id);
    j.dir = openat(home, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int r = j.dir < 0 ? -errno : read_file(a, j.dir, PLAN, PLAN_MAX_BYTES, &text, &n);
    if (r == -ENOENT)
        r = err_set(e, r, _("there is no action '%s'"), id);
    else if (r < 0)
        r = fail(e, r, id);
    else if (plan_read(a, text, n, &j.plan, &why) < 0)
        r = damaged(e, id, PLAN);
    if (r == 0) {
        fit_steps(&j);
        r = read_log(&j, write, e);
    }
    if (r < 0) {
        journal_close(&j);
        return r;
    }
    *ret = j;
    return 0;
}

static int by_name(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

int journal_list(struct arena *a, int home, const char ***ret, size_t *ret_n, struct err *e)
{
    const char **ids = NULL;
    size_t n = 0;
    *ret = NULL;
    *ret_n = 0;
    if (home < 0)
        return 0;
    int fd = openat(home, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *x;
    if (!d)
        return err_set(e, -errno, _("the folder of the journals: %s"), strerror(errno));
    while ((x = readdir(d)) && n < IDS_MAX) {
        const char *plan = arena_printf(a, "%s/" PLAN, x->d_name);
        if (x->d_name[0] != '.' && faccessat(home, plan, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
            *ARENA_PUSH(a, ids, n) = arena_strdup(a, x->d_name);
    }
    closedir(d);
    if (n)
        qsort(ids, n, sizeof *ids, by_name);
    *ret = ids;
    *ret_n = n;
    return 0;
}

int journal_replan(struct journal *j, size_t n, const struct step *steps, size_t n_steps, struct err *e)
{
    struct plan p = j->plan;
    p.steps = NULL;
    p.n_steps = 0;
    for (size_t i = 0; i < n; i++)
        *ARENA_PUSH(j->a, p.steps, p.n_steps) = j->plan.steps[i];
    for (size_t i = 0; i < n_steps; i++) {
        struct step *s = ARENA_PUSH(j->a, p.steps, p.n_steps);
        *s = steps[i];
        s->again = s->kind == STEP_RUN ? s->again : p.n_steps - 1;
    }
    int r = plan_check(&p, e);
    if (r < 0)
        return r;
    r = write_plan(j, &p);
    if (r < 0)
        return fail(e, r, j->id);
    j->plan = p;
    fit_steps(j);
    return 0;
}

static int append(struct journal *j, struct buf *line, struct err *e)
{
    buf_addc(line, '\n');
    int r = whole_write(j->log, line->p, line->len);
    if (r == 0 && fdatasync(j->log) < 0 && errno != EINVAL) /* EINVAL: a file system that cannot */
        r = -errno;
    buf_done(line);
    return r < 0 ? fail(e, r, j->id) : 0;
}

/* One line of JSON: the writer's own lines and indents go; strings hold no raw newline. */
static void one_line(const struct buf *from, struct buf *to)
{
    for (size_t i = 0; i < from->len; i++) {
        if (from->p[i] == '\n')
            while (i + 1 < from->len && from->p[i + 1] == ' ')
                i++;
        else
            buf_addc(to, from->p[i]);
    }
}

static int event(struct journal *j, size_t i, const char *name, const struct step_record *s, bool begin, struct err *e)
{
    struct buf text, line;
    struct jw w;
    buf_init(&text, 0);
    buf_init(&line, 0);
    jw_init(&w, &text);
    jw_obj(&w, NULL);
    if (s)
        jw_u64(&w, "step", i);
    jw_str(&w, "event", name);
    if (begin) {
        jw_obj(&w, "before");
        jw_str(&w, "kind", state_kinds[s->before.kind]);
        if (s->before.kind == STATE_FILE) {
            jw_u64(&w, "mode", s->before.mode);
            jw_str(&w, "sha256", s->before.sha256);
        }
        if (s->before.kind == STATE_LINK)
            jw_str(&w, "target", s->before.target);
        jw_obj_end(&w);
        jw_arr(&w, "made");
        for (size_t m = 0; m < s->n_made; m++)
            jw_str(&w, NULL, s->made[m]);
        jw_arr_end(&w);
    }
    if (s && s->stage == STEP_DONE) {
        jw_arr(&w, "at");
        jw_i64(&w, NULL, s->done.tv_sec);
        jw_i64(&w, NULL, s->done.tv_nsec);
        jw_arr_end(&w);
    }
    jw_obj_end(&w);
    one_line(&text, &line);
    buf_done(&text);
    return append(j, &line, e);
}

int journal_begin(struct journal *j, size_t i, const struct state *before, const char **made, size_t n_made, struct err *e)
{
    struct step_record s = {.stage = STEP_BEGUN, .before = *before, .made = made, .n_made = n_made};
    int r = event(j, i, stages[STEP_BEGUN], &s, true, e);
    if (r == 0)
        j->steps[i] = s;
    return r;
}

int journal_stage(struct journal *j, size_t i, enum step_stage stage, struct err *e)
{
    struct step_record s = j->steps[i];
    s.stage = stage;
    if (stage == STEP_DONE)
        clock_gettime(CLOCK_REALTIME, &s.done);
    int r = event(j, i, stages[stage], &s, false, e);
    if (r == 0)
        j->steps[i] = s;
    return r;
}

int journal_finish(struct journal *j, struct err *e)
{
    int r = event(j, 0, "finished", NULL, false, e);
    j->finished = j->finished || r == 0;
    return r;
}

int journal_undone(struct journal *j, struct err *e)
{
    int r = event(j, 0, "all undone", NULL, false, e);
    j->undone = j->undone || r == 0;
    return r;
}

const char *journal_keep(struct journal *j, size_t i)
{
    return arena_printf(j->a, "keep/%zu", i);
}
