/* SPDX-License-Identifier: Apache-2.0 */
/* jdoc - the events of jsonflow, line by line, become a tree. */
#include "formats/jdoc.h"
#include <errno.h>
#include <string.h>
#include "base/i18n.h"
#include "base/util.h"
#include "formats/jsonflow.h"

struct tree {
    struct arena *a;
    struct err *e;
    struct ydoc top;
    struct ydoc *open[JDOC_MAX_DEPTH]; size_t depth; /* lists and maps that are not closed yet */
    char *text; size_t n_text, room;                 /* of the string that is being read */
    uint32_t line;                                   /* from 1 */
    size_t nodes;
    int failed;
};

static void fail(struct tree *t, int rc, const char *what)
{
    if (!t->failed)
        t->failed = err_set(t->e, rc, "%s", what);
}

/* Where the next value goes; NULL: it goes nowhere, the document has failed. */
static struct ydoc *next(struct tree *t)
{
    struct ydoc *up = t->depth ? t->open[t->depth - 1] : NULL;
    if (t->failed)
        return NULL;
    if (++t->nodes > JDOC_MAX_NODES) {
        fail(t, -E2BIG, _("too many values"));
        return NULL;
    }
    if (!up)
        return &t->top;
    if (up->kind == YDOC_LIST)
        return ARENA_PUSH(t->a, up->of, up->n);
    return &up->of[up->n - 1]; /* of the key before */
}

static void open_it(struct tree *t, enum ydoc_kind kind)
{
    struct ydoc *d = next(t);
    if (!d)
        return;
    *d = (struct ydoc){.kind = kind, .line = t->line};
    if (t->depth == JDOC_MAX_DEPTH)
        fail(t, -E2BIG, _("too many lists in lists"));
    else
        t->open[t->depth++] = d;
}

static bool has_control(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)p[i] < ' ' || p[i] == 0x7f)
            return true;
    return false;
}

static void key(struct tree *t, const char *p, size_t n)
{
    struct ydoc *map = t->depth ? t->open[t->depth - 1] : NULL;
    if (t->failed || !map)
        return;
    const char *name = arena_strndup(t->a, p, n);
    if (n >= JSONFLOW_KEY || has_control(p, n)) {
        fail(t, -EBADMSG, _("a key that no file of this kind has"));
    } else if (map->n == YDOC_MAX_KEYS) {
        fail(t, -E2BIG, _("too many keys"));
    } else if (ydoc_get(map, name)) {
        fail(t, -EBADMSG, _("the same key twice"));
    } else {
        if (arena_is_full(map->n)) {
            map->keys = arena_grow(t->a, map->keys, map->n, sizeof *map->keys);
            map->of = arena_grow(t->a, map->of, map->n, sizeof *map->of);
        }
        map->keys[map->n] = (struct ydoc){.kind = YDOC_TEXT, .line = t->line, .text = name};
        map->of[map->n++] = (struct ydoc){.kind = YDOC_TEXT, .line = t->line, .text = "", .plain = true};
    }
}

static void piece(struct tree *t, const char *p, size_t n)
{
    if (has_control(p, n))
        fail(t, -EBADMSG, _("a control character in a text"));
    if (t->failed)
        return;
    if (t->room - t->n_text < n) {
        size_t room = (t->n_text + n) * 2;
        char *more = arena_raw(t->a, room);
        memcpy(more, t->text ? t->text : "", t->n_text);
        t->text = more;
        t->room = room;
    }
    memcpy(t->text + t->n_text, p, n);
    t->n_text += n;
}

static void value(struct tree *t, const char *p, size_t n, bool plain)
{
    struct ydoc *d = next(t);
    if (d)
        *d = (struct ydoc){.kind = YDOC_TEXT, .line = t->line, .text = arena_strndup(t->a, p, n), .plain = plain};
}

static void on_event(void *ctx, enum jsonflow_event event, const char *p, size_t n)
{
    struct tree *t = ctx;
    switch (event) {
    case JSONFLOW_OBJECT: open_it(t, YDOC_MAP); break;
    case JSONFLOW_ARRAY: open_it(t, YDOC_LIST); break;
    case JSONFLOW_OBJECT_END: case JSONFLOW_ARRAY_END:
        t->depth -= t->depth && !t->failed;
        break;
    case JSONFLOW_KEY_IS: key(t, p, n); break;
    case JSONFLOW_TEXT: piece(t, p, n); break;
    case JSONFLOW_STRING_END:
        value(t, t->text ? t->text : "", t->n_text, false);
        t->n_text = 0;
        break;
    case JSONFLOW_SCALAR: value(t, p, n, true); break;
    }
}

int jdoc_parse(const char *p, size_t n, struct arena *a, struct ydoc *ret, uint32_t *ret_line, struct err *e)
{
    struct tree t = {.a = a, .e = e, .line = 1};
    struct jsonflow j;
    *ret_line = 1;
    if (n > JDOC_MAX_BYTES)
        return err_set(e, -E2BIG, _("larger than %d MiB"), JDOC_MAX_BYTES >> 20);
    jsonflow_init(&j, on_event, &t);
    for (size_t at = 0; at < n && !t.failed; ) {
        const char *end = memchr(p + at, '\n', n - at);
        size_t len = end ? (size_t)(end - (p + at)) + 1 : n - at;
        *ret_line = t.line;
        if (jsonflow_feed(&j, p + at, len) < 0)
            fail(&t, -EBADMSG, _("this is not JSON"));
        at += len;
        t.line++;
    }
    if (!t.failed && jsonflow_end(&j) < 0)
        fail(&t, -EBADMSG, _("the file ends too early"));
    if (!t.failed && t.nodes == 0)
        fail(&t, -EBADMSG, _("this is not JSON"));
    if (!t.failed)
        *ret = t.top;
    return t.failed;
}
