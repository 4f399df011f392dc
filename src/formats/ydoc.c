/* SPDX-License-Identifier: Apache-2.0 */
/* ydoc - libyaml's events made into a tree. Aliases are refused, so that a tree cannot be larger than its text, nor a ring. */
#include "formats/ydoc.h"
#include <errno.h>
#include <string.h>
#include <yaml.h>
#include "base/i18n.h"
#include "base/util.h"

struct reader { struct arena *a; yaml_parser_t parser; const char *p; size_t n, nodes; unsigned depth; uint32_t line; struct err *e; };

static uint32_t line_of(yaml_mark_t m)
{
    return (uint32_t)m.line + 1;
}

static int refuse(struct reader *r, uint32_t line, const char *what)
{
    r->line = line;
    return err_set(r->e, -EBADMSG, "%s", what);
}

/* What libyaml did not like, in its words. */
static int failed(struct reader *r)
{
    const yaml_parser_t *y = &r->parser;
    if (y->error == YAML_MEMORY_ERROR)
        return err_set(r->e, -ENOMEM, _("out of memory"));
    if (y->error == YAML_READER_ERROR) {
        r->line = 1;
        for (size_t i = 0; i < y->problem_offset && i < r->n; i++)
            r->line += r->p[i] == '\n';
        return err_set(r->e, -EBADMSG, _("not UTF-8 text (%s); save it as UTF-8 without control characters"), y->problem ? y->problem : "?");
    }
    r->line = line_of(y->problem_mark);
    return err_set(r->e, -EBADMSG, _("not YAML: %s; look at the indentation, and put a text with ': ' or ' #' in quotes"), y->problem ? y->problem : "?");
}

static int next(struct reader *r, yaml_event_t *ret)
{
    return yaml_parser_parse(&r->parser, ret) ? 0 : failed(r);
}

static bool has_control(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)p[i];
        if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f || (c == 0xc2 && i + 1 < n && (unsigned char)p[i + 1] < 0xa0)) /* C0, DEL, C1 */
            return true;
    }
    return false;
}

static int read_node(struct reader *r, const yaml_event_t *event, struct ydoc *ret);

static int read_text(struct reader *r, const yaml_event_t *event, struct ydoc *ret)
{
    const char *p = (const char *)event->data.scalar.value;
    size_t n = event->data.scalar.length;
    if (has_control(p, n))
        return refuse(r, ret->line, _("a text with a control character; leave it out"));
    ret->text = arena_strndup(r->a, p, n);
    ret->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    return 0;
}

/* A key, whose event is there, and its value. */
static int read_pair(struct reader *r, const yaml_event_t *event, struct ydoc *map)
{
    yaml_event_t value;
    size_t n = map->n;
    struct ydoc *key = ARENA_PUSH(r->a, map->keys, n);
    r->line = line_of(event->start_mark);
    if (n > YDOC_MAX_KEYS)
        return err_set(r->e, -E2BIG, _("more than %d keys"), YDOC_MAX_KEYS);
    int e = event->type == YAML_SCALAR_EVENT ? read_node(r, event, key) : refuse(r, line_of(event->start_mark), _("a key that is no text; write 'key: value'"));
    if (e == 0 && ydoc_get(map, key->text))
        return refuse(r, key->line, arena_printf(r->a, _("key '%s' a second time; keep one"), key->text));
    if (e == 0)
        e = next(r, &value);
    if (e < 0)
        return e;
    struct ydoc one;
    e = read_node(r, &value, &one);
    yaml_event_delete(&value);
    if (e == 0)
        *ARENA_PUSH(r->a, map->of, map->n) = one;
    return e;
}

static int read_inside(struct reader *r, struct ydoc *ret)
{
    const yaml_event_type_t end = ret->kind == YDOC_LIST ? YAML_SEQUENCE_END_EVENT : YAML_MAPPING_END_EVENT;
    if (++r->depth > YDOC_MAX_DEPTH) {
        r->line = ret->line;
        return err_set(r->e, -E2BIG, _("more than %d levels; it needs five"), YDOC_MAX_DEPTH);
    }
    for (;;) {
        yaml_event_t event;
        int e = next(r, &event);
        if (e < 0)
            return e;
        bool over = event.type == end;
        if (!over && ret->kind == YDOC_LIST) {
            struct ydoc one;
            e = read_node(r, &event, &one);
            if (e == 0)
                *ARENA_PUSH(r->a, ret->of, ret->n) = one;
        } else if (!over) {
            e = read_pair(r, &event, ret);
        }
        yaml_event_delete(&event);
        if (e < 0)
            return e;
        if (over)
            break;
    }
    r->depth--;
    return 0;
}

static int read_node(struct reader *r, const yaml_event_t *event, struct ydoc *ret)
{
    const yaml_char_t *anchor = NULL, *tag = NULL;
    *ret = (struct ydoc){.line = line_of(event->start_mark)};
    r->line = ret->line;
    if (++r->nodes > YDOC_MAX_NODES)
        return err_set(r->e, -E2BIG, _("more than %d values; make several files of it"), YDOC_MAX_NODES);
    if (event->type == YAML_ALIAS_EVENT)
        return refuse(r, ret->line, _("an alias ('*'), which is not read; write the value out"));
    if (event->type == YAML_SCALAR_EVENT) {
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        ret->kind = YDOC_LIST;
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
    } else {
        ret->kind = YDOC_MAP;
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
    }
    if (anchor || tag)
        return refuse(r, ret->line, anchor ? _("an anchor ('&'), which is not read; leave it out") : _("a tag ('!'), which is not read; put a text that begins so in quotes"));
    return ret->kind == YDOC_TEXT ? read_text(r, event, ret) : read_inside(r, ret);
}

/* From the stream's start to its end, which may be cut anywhere. */
static int read_document(struct reader *r, struct ydoc *ret)
{
    yaml_event_t event;
    struct ydoc root;
    int e = next(r, &event); /* of the stream */
    bool have = false;
    while (e == 0) {
        yaml_event_type_t type = event.type;
        uint32_t line = line_of(event.start_mark);
        if (type == YAML_DOCUMENT_START_EVENT && have)
            e = refuse(r, line, _("a second document; one file holds one cause"));
        else if (type != YAML_STREAM_START_EVENT && type != YAML_STREAM_END_EVENT && type != YAML_DOCUMENT_START_EVENT && type != YAML_DOCUMENT_END_EVENT) {
            e = read_node(r, &event, &root);
            have = true;
        }
        yaml_event_delete(&event);
        if (type == YAML_STREAM_END_EVENT)
            break;
        if (e == 0)
            e = next(r, &event);
    }
    if (e == 0 && !have)
        e = refuse(r, 1, _("nothing in it"));
    if (e == 0)
        *ret = root;
    return e;
}

int ydoc_parse(const char *p, size_t n, struct arena *a, struct ydoc *ret, uint32_t *ret_line, struct err *e)
{
    struct reader r = {.a = a, .p = p, .n = n, .line = 1, .e = e};
    *ret_line = 1;
    if (n > YDOC_MAX_BYTES)
        return err_set(e, -E2BIG, _("larger than %d KiB; make several files of it"), YDOC_MAX_BYTES / 1024);
    if (!yaml_parser_initialize(&r.parser))
        return err_set(e, -ENOMEM, _("out of memory"));
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)p, n);
    int code = read_document(&r, ret);
    *ret_line = r.line;
    yaml_parser_delete(&r.parser);
    return code;
}

const struct ydoc *ydoc_get(const struct ydoc *map, const char *key)
{
    for (size_t i = 0; i < map->n; i++)
        if (str_eq(map->keys[i].text, key))
            return &map->of[i];
    return NULL;
}
