/* SPDX-License-Identifier: Apache-2.0 */
/* plan - steps as data. */
#include "act/plan.h"
#include <errno.h>
#include <jansson.h>
#include <string.h>
#include "base/i18n.h"
#include "base/json.h"
#include "base/util.h"

enum { SHA256_HEX = 64, MODE_MAX = 0777, STEPS_MAX = 10000 };
#define SCHEMA "tfgpu.plan/1"

static const char *const kinds[] = {
    [STEP_RUN] = "run", [STEP_WRITE] = "write", [STEP_LINK] = "link", [STEP_REMOVE] = "remove", [STEP_DOWNLOAD] = "download",
    [STEP_KEEP] = "keep",
};

struct step *plan_add(struct arena *a, struct plan *p, enum step_kind kind, const char *title, const char *path)
{
    struct step *s = ARENA_PUSH(a, p->steps, p->n_steps);
    *s = (struct step){.kind = kind, .title = title, .path = path, .again = p->n_steps - 1};
    return s;
}

void plan_folder(struct arena *a, struct plan *p, const char *path)
{
    *ARENA_PUSH(a, p->folders, p->n_folders) = path;
}

bool plan_as_before(struct arena *a, const struct plan *earlier, const char *path, struct plan *p)
{
    for (size_t i = 0; i < earlier->n_steps; i++) {
        const struct step *old = &earlier->steps[i];
        if (old->kind != STEP_WRITE || !str_eq(old->path, path))
            continue;
        struct step *s = plan_add(a, p, STEP_WRITE, old->title, path);
        size_t own = s->again;
        *s = *old;
        s->again = own;
        return true;
    }
    return false;
}

void plan_arg(struct arena *a, struct step *s, const char *arg)
{
    *ARENA_PUSH(a, s->argv, s->n_argv) = arg;
}

void plan_env(struct arena *a, struct step *s, const char *name_value)
{
    *ARENA_PUSH(a, s->env, s->n_env) = name_value;
}

/* -- is it one that may be done? --------------------------------------------------------------------------------------- */

/* One line of text that JSON can carry: UTF-8 without control characters. */
static bool is_line(const char *s)
{
    json_t *j = s ? json_string(s) : NULL;
    bool good = j != NULL;
    json_decref(j);
    for (; good && *s; s++)
        good = (unsigned char)*s >= ' ' && *s != 0x7f;
    return good;
}

bool plan_is_path(const char *path)
{
    if (!is_line(path) || path[0] != '/')
        return false;
    for (const char *p = path; *p; ) {
        size_t n = strcspn(p + 1, "/");
        if (n == 0 || (n == 1 && p[1] == '.') || (n == 2 && p[1] == '.' && p[2] == '.'))
            return false;
        p += n + 1;
    }
    return true;
}

bool plan_holds(const struct plan *p, const char *path)
{
    for (size_t i = 0; i < p->n_folders; i++) {
        size_t n = strlen(p->folders[i]);
        if (strncmp(path, p->folders[i], n) == 0 && (path[n] == '\0' || path[n] == '/'))
            return true;
    }
    return false;
}

static bool is_sha256(const char *s)
{
    return s && strlen(s) == SHA256_HEX && strspn(s, "0123456789abcdef") == SHA256_HEX;
}

static int check_step(const struct plan *p, size_t i, struct err *e)
{
    const struct step *s = &p->steps[i];
    bool needs_path = s->kind != STEP_RUN;
    const char *bad = NULL;
    if (!is_line(s->title))
        bad = "title";
    else if ((needs_path || s->path) && (!plan_is_path(s->path) || !plan_holds(p, s->path)))
        bad = "path";
    else if (s->again > i || (s->kind != STEP_RUN && s->again != i))
        bad = "again";
    else if (s->kind == STEP_RUN && (s->n_argv == 0 || !s->argv[0] || !*s->argv[0]))
        bad = "argv";
    else if (s->kind == STEP_RUN && s->cwd && !plan_is_path(s->cwd))
        bad = "cwd";
    else if (s->kind == STEP_WRITE && (!s->bytes || s->mode > MODE_MAX))
        bad = "bytes";
    else if (s->kind == STEP_WRITE && s->expect && !str_eq(s->expect, "absent") && !is_sha256(s->expect))
        bad = "expect";
    else if (s->kind == STEP_LINK && (!is_line(s->target) || !*s->target))
        bad = "target";
    else if (s->kind == STEP_DOWNLOAD && !is_sha256(s->sha256))
        bad = "sha256";
    else if (s->kind == STEP_DOWNLOAD && (!is_line(s->url) || !(str_starts(s->url, "https://") || str_starts(s->url, "http://"))))
        bad = "url";
    for (size_t k = 0; !bad && k < s->n_argv; k++)
        bad = is_line(s->argv[k]) ? NULL : "argv";
    for (size_t k = 0; !bad && k < s->n_env; k++)
        bad = is_line(s->env[k]) && strchr(s->env[k], '=') ? NULL : "env";
    return bad ? err_set(e, -EINVAL, _("step %zu of the plan: \"%s\" may not be so"), i + 1, bad) : 0;
}

int plan_check(const struct plan *p, struct err *e)
{
    if (!is_line(p->command) || !is_line(p->subject) || p->n_steps > STEPS_MAX)
        return err_set(e, -EINVAL, _("the plan has no command, no subject or too many steps"));
    for (size_t i = 0; i < p->n_folders; i++)
        if (!plan_is_path(p->folders[i]))
            return err_set(e, -EINVAL, _("nothing is done in %s: it is no absolute path of UTF-8 without control characters, so it cannot be written down for undo"), p->folders[i] ? p->folders[i] : "?");
    for (size_t i = 0; i < p->n_steps; i++) {
        int r = check_step(p, i, e);
        if (r < 0)
            return r;
    }
    return 0;
}

/* -- the same? --------------------------------------------------------------------------------------------------------- */

bool plan_same_action(const struct plan *x, const struct plan *y)
{
    return str_eq(x->command, y->command) && str_eq(x->subject, y->subject);
}

static bool same_list(const char *const *x, size_t nx, const char *const *y, size_t ny)
{
    for (size_t i = 0; nx == ny && i < nx; i++)
        if (!str_eq(x[i], y[i]))
            return false;
    return nx == ny;
}

bool step_same(const struct step *x, const struct step *y)
{
    return x->kind == y->kind && str_eq(x->path, y->path) && x->again == y->again && same_list(x->argv, x->n_argv, y->argv, y->n_argv) &&
           same_list(x->env, x->n_env, y->env, y->n_env) && str_eq(x->cwd, y->cwd) && x->n_bytes == y->n_bytes &&
           (x->n_bytes == 0 || memcmp(x->bytes, y->bytes, x->n_bytes) == 0) && x->mode == y->mode && str_eq(x->target, y->target) &&
           str_eq(x->url, y->url) && str_eq(x->sha256, y->sha256);
}

/* -- as JSON ------------------------------------------------------------------------------------------------------------- */

static void write_list(struct jw *w, const char *key, const char *const *list, size_t n)
{
    jw_arr(w, key);
    for (size_t i = 0; i < n; i++)
        jw_str(w, NULL, list[i]);
    jw_arr_end(w);
}

/* The file's bytes as text where they are text, else as numbers: what we write are settings and scripts. */
static void write_bytes(struct jw *w, const struct step *s)
{
    json_t *text = json_stringn(s->bytes, s->n_bytes);
    if (text && !memchr(s->bytes, '\0', s->n_bytes)) {
        jw_str(w, "text", s->bytes);
    } else {
        jw_arr(w, "bytes");
        for (size_t i = 0; i < s->n_bytes; i++)
            jw_u64(w, NULL, (unsigned char)s->bytes[i]);
        jw_arr_end(w);
    }
    json_decref(text);
}

static void write_step(struct jw *w, const struct step *s)
{
    jw_obj(w, NULL);
    jw_str(w, "kind", kinds[s->kind]);
    jw_str(w, "title", s->title);
    if (s->path)
        jw_str(w, "path", s->path);
    switch (s->kind) {
    case STEP_RUN:
        write_list(w, "argv", s->argv, s->n_argv);
        write_list(w, "env", s->env, s->n_env);
        if (s->cwd)
            jw_str(w, "cwd", s->cwd);
        jw_u64(w, "again", s->again);
        break;
    case STEP_WRITE:
        write_bytes(w, s);
        jw_u64(w, "mode", s->mode);
        if (s->expect)
            jw_str(w, "expect", s->expect);
        break;
    case STEP_LINK:
        jw_str(w, "target", s->target);
        break;
    case STEP_DOWNLOAD:
        jw_str(w, "url", s->url);
        jw_str(w, "sha256", s->sha256);
        break;
    case STEP_REMOVE:
    case STEP_KEEP:
        break;
    }
    jw_obj_end(w);
}

void plan_write(const struct plan *p, struct buf *out)
{
    struct jw w;
    jw_init(&w, out);
    jw_obj(&w, NULL);
    jw_str(&w, "schema", SCHEMA);
    jw_str(&w, "command", p->command);
    jw_str(&w, "subject", p->subject);
    write_list(&w, "folders", p->folders, p->n_folders);
    jw_arr(&w, "steps");
    for (size_t i = 0; i < p->n_steps; i++)
        write_step(&w, &p->steps[i]);
    jw_arr_end(&w);
    jw_obj_end(&w);
    buf_addc(out, '\n');
}

static const char *text_of(struct arena *a, const json_t *obj, const char *key)
{
    const json_t *j = json_object_get(obj, key);
    return json_is_string(j) ? arena_strdup(a, json_string_value(j)) : NULL;
}

static size_t number_of(const json_t *obj, const char *key, size_t otherwise)
{
    const json_t *j = json_object_get(obj, key);
    return json_is_integer(j) && json_integer_value(j) >= 0 ? (size_t)json_integer_value(j) : otherwise;
}

static void read_list(struct arena *a, const json_t *obj, const char *key, const char ***ret, size_t *ret_n)
{
    const json_t *list = json_object_get(obj, key);
    for (size_t i = 0; i < json_array_size(list); i++)
        *ARENA_PUSH(a, *ret, *ret_n) = arena_strdup(a, json_string_value(json_array_get(list, i)));
}

static void read_bytes(struct arena *a, const json_t *obj, struct step *s)
{
    const json_t *text = json_object_get(obj, "text"), *list = json_object_get(obj, "bytes");
    if (json_is_string(text)) {
        s->n_bytes = json_string_length(text);
        s->bytes = arena_strndup(a, json_string_value(text), s->n_bytes);
    } else if (json_is_array(list)) {
        char *p = arena_alloc(a, json_array_size(list) + 1);
        s->n_bytes = json_array_size(list);
        for (size_t i = 0; i < s->n_bytes; i++)
            p[i] = (char)json_integer_value(json_array_get(list, i));
        s->bytes = p;
    }
}

/* Fields of its kind; others have no meaning there and are dropped. */
static void read_own(struct arena *a, const json_t *obj, struct step *s)
{
    switch (s->kind) {
    case STEP_RUN:
        read_list(a, obj, "argv", &s->argv, &s->n_argv);
        read_list(a, obj, "env", &s->env, &s->n_env);
        s->cwd = text_of(a, obj, "cwd");
        s->again = number_of(obj, "again", s->again);
        break;
    case STEP_WRITE:
        read_bytes(a, obj, s);
        s->mode = (unsigned)number_of(obj, "mode", 0);
        s->expect = text_of(a, obj, "expect");
        break;
    case STEP_LINK:
        s->target = text_of(a, obj, "target");
        break;
    case STEP_DOWNLOAD:
        s->url = text_of(a, obj, "url");
        s->sha256 = text_of(a, obj, "sha256");
        break;
    case STEP_REMOVE:
    case STEP_KEEP:
        break;
    }
}

static bool read_step(struct arena *a, const json_t *obj, struct plan *p)
{
    const char *kind = text_of(a, obj, "kind");
    for (size_t k = 0; k < TG_COUNT(kinds); k++) {
        if (!str_eq(kind, kinds[k]))
            continue;
        struct step *s = plan_add(a, p, (enum step_kind)k, text_of(a, obj, "title"), text_of(a, obj, "path"));
        read_own(a, obj, s);
        return true;
    }
    return false;
}

int plan_read(struct arena *a, const char *text, size_t n, struct plan *ret, struct err *e)
{
    struct plan p = {0};
    struct err why = {0};
    json_error_t error;
    json_t *j = n <= PLAN_MAX_BYTES ? json_loadb(text, n, JSON_REJECT_DUPLICATES, &error) : NULL;
    const json_t *steps = json_object_get(j, "steps");
    bool good = j && str_eq(json_string_value(json_object_get(j, "schema")), SCHEMA) && json_is_array(steps) && json_array_size(steps) <= STEPS_MAX;
    if (good) {
        p.command = text_of(a, j, "command");
        p.subject = text_of(a, j, "subject");
        read_list(a, j, "folders", &p.folders, &p.n_folders);
    }
    for (size_t i = 0; good && i < json_array_size(steps); i++)
        good = read_step(a, json_array_get(steps, i), &p);
    json_decref(j);
    if (!good || plan_check(&p, &why) < 0)
        return err_set(e, -EBADMSG, "%s", why.code ? why.msg : _("this is no plan that tfgpu wrote"));
    *ret = p;
    return 0;
}
