/* SPDX-License-Identifier: Apache-2.0 */
/* lockfile_read - a lock that may come from anybody, value by value. */
#include <errno.h>
#include <string.h>
#include "base/i18n.h"
#include "base/util.h"
#include "formats/jdoc.h"
#include "formats/lockfile.h"

enum { SM_MAX = 2000 };
struct reader { struct arena *a; struct err *e; int failed; };

static bool is_python(const char *s)
{
    return lock_is_number(s) && str_starts(s, "3.") && s[2] != '\0';
}

/* An instruction set, a machine: "sse4_1", "x86_64". */
static bool is_word(const char *s)
{
    size_t n = strlen(s);
    return n > 0 && n < 32 && strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == n;
}

static bool is_engine(const char *s)
{
    return str_eq(s, "uv") || str_eq(s, "venv") || str_eq(s, "conda");
}

static void refuse(struct reader *r, int rc, uint32_t line, const char *what)
{
    if (!r->failed)
        r->failed = err_set(r->e, rc, _("line %u: %s"), line, what);
}

/* The map's value of that kind; NULL (and a refusal) where it is not there. */
static const struct ydoc *get(struct reader *r, const struct ydoc *map, const char *key, enum ydoc_kind kind)
{
    const struct ydoc *v = map && map->kind == YDOC_MAP ? ydoc_get(map, key) : NULL;
    if (v && v->kind == kind)
        return v;
    refuse(r, -EBADMSG, v ? v->line : map ? map->line : 1, arena_printf(r->a, _("\"%s\" is missing, or not what it should be"), key));
    return NULL;
}

static const char *text(struct reader *r, const struct ydoc *v, const char *key, bool (*good)(const char *))
{
    if (!v)
        return NULL;
    if (v->kind == YDOC_TEXT && !v->plain && good(v->text))
        return v->text;
    refuse(r, -EBADMSG, v->line, v->kind == YDOC_TEXT ? arena_printf(r->a, _("\"%s\" may not be \"%.80s\""), key, v->text) : arena_printf(r->a, _("\"%s\" is no text"), key));
    return NULL;
}

static const char *need(struct reader *r, const struct ydoc *map, const char *key, bool (*good)(const char *))
{
    return text(r, get(r, map, key, YDOC_TEXT), key, good);
}

/* null: NULL */
static const char *may(struct reader *r, const struct ydoc *map, const char *key, bool (*good)(const char *))
{
    const struct ydoc *v = get(r, map, key, YDOC_TEXT);
    return v && v->plain && str_eq(v->text, "null") ? NULL : text(r, v, key, good);
}

static const struct ydoc *list(struct reader *r, const struct ydoc *map, const char *key, size_t most)
{
    const struct ydoc *v = get(r, map, key, YDOC_LIST);
    if (v && v->n > most)
        refuse(r, -E2BIG, v->line, arena_printf(r->a, _("\"%s\" has more than %zu entries"), key, most));
    return r->failed ? NULL : v;
}

static const char **texts(struct reader *r, const struct ydoc *map, const char *key, size_t most, bool (*good)(const char *), size_t *ret_n)
{
    const struct ydoc *v = list(r, map, key, most);
    const char **out = v ? arena_array(r->a, v->n, sizeof *out) : NULL;
    for (size_t i = 0; v && i < v->n; i++)
        out[i] = text(r, &v->of[i], key, good);
    *ret_n = v ? v->n : 0;
    return out;
}

static uint32_t *numbers(struct reader *r, const struct ydoc *map, const char *key, size_t *ret_n)
{
    const struct ydoc *v = list(r, map, key, LOCK_MAX_LIST);
    uint32_t *out = v ? arena_array(r->a, v->n, sizeof *out) : NULL;
    for (size_t i = 0; v && i < v->n; i++)
        if (v->of[i].kind != YDOC_TEXT || !v->of[i].plain || str_to_u32(v->of[i].text, &out[i]) < 0 || out[i] > SM_MAX)
            refuse(r, -EBADMSG, v->of[i].line, arena_printf(r->a, _("\"%s\" is a list of numbers below %d"), key, (int)SM_MAX));
    *ret_n = v ? v->n : 0;
    return out;
}

static void read_floor(struct reader *r, const struct ydoc *top, struct lock_floor *f)
{
    const struct ydoc *m = get(r, top, "floor", YDOC_MAP);
    if (!m)
        return;
    f->machine = need(r, m, "machine", is_word);
    f->glibc = may(r, m, "glibc", lock_is_number);
    f->cpu = texts(r, m, "cpu", LOCK_MAX_LIST, is_word, &f->n_cpu);
    f->cuda = may(r, m, "cuda", lock_is_number);
    f->driver_linux = may(r, m, "driver_linux", lock_is_number);
    f->driver_windows = may(r, m, "driver_windows", lock_is_number);
    f->sass = numbers(r, m, "sass", &f->n_sass);
    f->sass_exact = numbers(r, m, "sass_exact", &f->n_sass_exact);
    f->ptx = numbers(r, m, "ptx", &f->n_ptx);
    f->ptx_isa = may(r, m, "ptx_isa", lock_is_number);
}

/* A link's target must stay in the environment: no more steps up than its folder is deep. */
static bool stays_inside(const struct lock_repair *l)
{
    size_t deep = 0, up = 0;
    for (const char *s = l->path; (s = strchr(s, '/')); s++)
        deep++;
    for (const char *s = l->target; str_starts(s, "../"); s += 3)
        up++;
    return up <= deep;
}

/* In one place, or one inside the other: what lies in a link lies elsewhere than its path says. */
static bool collide(const char *x, const char *y)
{
    size_t nx = strlen(x), ny = strlen(y), n = nx < ny ? nx : ny;
    return memcmp(x, y, n) == 0 && (nx == ny || (nx < ny ? y : x)[n] == '/');
}

static void read_repairs(struct reader *r, const struct ydoc *top, struct lockfile *l)
{
    const struct ydoc *v = list(r, top, "repairs", LOCK_MAX_REPAIRS);
    l->repairs = v ? arena_array(r->a, v->n, sizeof *l->repairs) : NULL;
    for (size_t i = 0; v && i < v->n && !r->failed; i++) {
        struct lock_repair *x = &l->repairs[l->n_repairs++];
        x->path = need(r, &v->of[i], "path", lock_is_inside);
        x->target = need(r, &v->of[i], "target", lock_is_target);
        if (!r->failed && !stays_inside(x))
            refuse(r, -EBADMSG, v->of[i].line, _("a link that leaves the environment"));
        for (size_t k = 0; k < i && !r->failed; k++)
            if (collide(l->repairs[k].path, x->path))
                refuse(r, -EBADMSG, v->of[i].line, arena_printf(r->a, _("%s and %s: two links in one place, or one inside the other"), l->repairs[k].path, x->path));
    }
}

static void read_packages(struct reader *r, const struct ydoc *top, struct lockfile *l)
{
    const struct ydoc *v = list(r, top, "packages", LOCK_MAX_PACKAGES);
    l->packages = v ? arena_array(r->a, v->n, sizeof *l->packages) : NULL;
    for (size_t i = 0; v && i < v->n && !r->failed; i++) {
        struct lock_package *k = &l->packages[l->n_packages++];
        k->name = need(r, &v->of[i], "name", lock_is_name);
        k->version = need(r, &v->of[i], "version", lock_is_version);
        k->sha256 = texts(r, &v->of[i], "sha256", LOCK_MAX_HASHES, lock_is_sha256, &k->n_sha256);
        if (!r->failed && k->n_sha256 == 0)
            refuse(r, -EBADMSG, v->of[i].line, arena_printf(r->a, _("%s has no checksum"), k->name));
        if (!r->failed && i > 0 && strcmp(k[-1].name, k->name) >= 0)
            refuse(r, -EBADMSG, v->of[i].line, arena_printf(r->a, _("%s stands behind %s; packages are sorted by name, each once"), k->name, k[-1].name));
    }
    if (v && v->n == 0)
        refuse(r, -EBADMSG, v->line, _("there are no packages"));
}

int lockfile_read(const char *p, size_t n, struct arena *a, struct lockfile *ret, struct err *e)
{
    struct reader r = {.a = a, .e = e};
    struct lockfile l = {0};
    struct ydoc top;
    struct err what = {0};
    uint32_t line;
    int rc = jdoc_parse(p, n, a, &top, &line, &what);
    if (rc < 0)
        return err_set(e, rc, _("line %u: %s"), line, what.msg);
    const struct ydoc *schema = top.kind == YDOC_MAP ? ydoc_get(&top, "schema") : NULL;
    if (!schema || schema->kind != YDOC_TEXT || !str_starts(schema->text, "tfgpu.lock/"))
        return err_set(e, -EBADMSG, "%s", _("not a lock (tfgpu lock -o FILE writes one)"));
    if (!str_eq(schema->text, LOCK_SCHEMA))
        return err_set(e, -EPROTONOSUPPORT, _("a lock of another format (%.40s); this tfgpu reads %s"), schema->text, LOCK_SCHEMA);
    l.python = need(&r, &top, "python", is_python);
    const struct ydoc *engine = get(&r, &top, "engine", YDOC_MAP);
    l.engine = engine ? need(&r, engine, "name", is_engine) : NULL;
    l.engine_version = engine ? may(&r, engine, "version", lock_is_number) : NULL;
    read_floor(&r, &top, &l.floor);
    read_repairs(&r, &top, &l);
    read_packages(&r, &top, &l);
    if (r.failed)
        return r.failed;
    lockfile_sort(&l);
    *ret = l;
    return 0;
}
