/* SPDX-License-Identifier: Apache-2.0 */
/* wheel - installed paths of the members; members that were opened last keep their index. */
#include "formats/wheel.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/util.h"
#include "formats/zipmember.h"

enum { SLOTS = 2 };

struct wheel_slot {
    struct wheel *w;
    const struct zip_entry *entry; /* NULL: empty */
    struct zipmember *member;
    unsigned refs, used;
};

static int by_path(const void *x, const void *y)
{
    const struct wheel_file *a = x, *b = y;
    return strcmp(a->path, b->path);
}

/* Where a member is installed: "x.data/purelib/p" is "p"; NULL: not below site-packages. */
static const char *installed_path(const char *name)
{
    static const char *const homes[] = {"purelib/", "platlib/"};
    const char *slash = strchr(name, '/');
    if (!slash || slash - name < 5 || memcmp(slash - 5, ".data", 5) != 0)
        return name;
    for (size_t i = 0; i < TG_COUNT(homes); i++)
        if (str_starts(slash + 1, homes[i]))
            return slash + 1 + strlen(homes[i]);
    return NULL;
}

static void slot_close(void *handle)
{
    struct wheel_slot *s = handle;
    if (--s->refs == 0)
        zipmember_trim(s->member);
}

static struct wheel_slot *slot_for(struct wheel *w, const struct zip_entry *m)
{
    struct wheel_slot *free_one = NULL;
    for (size_t i = 0; i < SLOTS; i++) {
        struct wheel_slot *s = &w->slots[i];
        if (s->entry == m)
            return s;
        if (!s->refs && (!free_one || s->used < free_one->used))
            free_one = s;
    }
    return free_one;
}

static int open_member(void *ctx, const char *path, struct open_file *ret, struct err *e)
{
    struct wheel *w = ctx;
    struct wheel_file key = {.path = path};
    const struct wheel_file *f = w->n ? bsearch(&key, w->list, w->n, sizeof key, by_path) : NULL;
    if (!f)
        return err_set(e, -ENOENT, "%s: not in the wheel", path);
    struct wheel_slot *s = slot_for(w, f->member);
    if (!s)
        return err_set(e, -EMFILE, "%s: too many members are open", path);
    if (s->entry != f->member) {
        s->member = zipmember_close(s->member);
        s->entry = NULL;
        int rc = zipmember_open(w->src, f->member, &s->member, e);
        if (rc < 0)
            return rc;
        s->entry = f->member;
    }
    s->refs++;
    for (size_t i = 0; i < SLOTS; i++)
        s->used = w->slots[i].used >= s->used ? w->slots[i].used + 1 : s->used;
    *ret = (struct open_file){.src = zipmember_src(s->member), .close = slot_close, .handle = s};
    return 0;
}

/* "NAME.dist-info" of the one METADATA at the top, or NULL. */
static const char *find_info(const struct wheel *w, struct arena *a)
{
    const char *found = NULL;
    for (size_t i = 0; i < w->n; i++) {
        const char *p = w->list[i].path, *slash = strchr(p, '/');
        if (!slash || !str_eq(slash, "/METADATA") || slash - p <= 10 || memcmp(slash - 10, ".dist-info", 10) != 0)
            continue;
        if (found)
            return NULL;
        found = arena_strndup(a, p, (size_t)(slash - p));
    }
    return found;
}

int wheel_open(const struct bytesrc *src, struct arena *a, struct wheel *ret, struct err *e)
{
    *ret = (struct wheel){.src = src, .files = {.open = open_member, .ctx = ret}};
    int rc = zip_read(src, a, &ret->zip, e);
    if (rc < 0)
        return rc;
    ret->list = arena_array(a, ret->zip.n, sizeof *ret->list);
    for (size_t i = 0; i < ret->zip.n; i++) {
        const char *path = installed_path(ret->zip.entries[i].name);
        if (path && *path)
            ret->list[ret->n++] = (struct wheel_file){.path = path, .member = &ret->zip.entries[i]};
    }
    if (ret->n)
        qsort(ret->list, ret->n, sizeof *ret->list, by_path);
    for (size_t i = 0; i + 1 < ret->n; i++)
        if (strcmp(ret->list[i].path, ret->list[i + 1].path) == 0)
            return err_set(e, -EBADMSG, "damaged wheel: two members are installed as %s", ret->list[i].path);
    ret->info = find_info(ret, a);
    if (!ret->info)
        return err_set(e, -ENOEXEC, "a zip archive, but no wheel: it has no NAME.dist-info/METADATA, or several");
    ret->slots = arena_array(a, SLOTS, sizeof *ret->slots);
    return 0;
}

void wheel_close(struct wheel *w)
{
    for (size_t i = 0; w->slots && i < SLOTS; i++)
        w->slots[i].member = zipmember_close(w->slots[i].member);
    w->slots = NULL;
}

int wheel_explain(const struct wheel *w, int rc, struct err *e)
{
    for (size_t i = 0; rc == -EBADMSG && w->slots && i < SLOTS; i++)
        if (w->slots[i].member && zipmember_damage(w->slots[i].member))
            return err_set(e, rc, "damaged wheel: %s: %s", w->slots[i].entry->name, zipmember_damage(w->slots[i].member));
    return rc;
}
