/* SPDX-License-Identifier: Apache-2.0 */
/* read - facts from a file. The tables of what is where are generated beside the structs; here is one reader for all of them. */
#include <errno.h>
#include <jansson.h>
#include <stdint.h>
#include <string.h>
#include "base/i18n.h"
#include "facts/snapshot.h"

enum kind { KIND_STR, KIND_BOOL, KIND_TRI, KIND_U32, KIND_I32, KIND_U64, KIND_I64, KIND_ENUM, KIND_RECORD };
enum shape { SHAPE_ONE, SHAPE_NEEDED /* a text, never null */, SHAPE_OPTIONAL, SHAPE_LIST };
/* extra: of a list its count, of an optional number its flag; sub: index of the choices or the record */
struct field { const char *name; uint16_t at, extra, sub; uint8_t kind, shape; };
struct choice { const char *const *names; size_t n; };
struct record { const struct field *fields; size_t n; size_t size; };
#include "facts_fields_gen.h"

struct place { const struct place *up; const char *name; size_t index; }; /* name NULL: an item of a list */
struct reader { struct arena *a; struct err *e; size_t items; };

static const char *place_text(struct arena *a, const struct place *p)
{
    if (!p->up)
        return p->name;
    const char *up = place_text(a, p->up);
    return p->name ? arena_printf(a, "%s.%s", up, p->name) : arena_printf(a, "%s[%zu]", up, p->index);
}

static int wrong(const struct reader *r, const struct place *at, const char *wanted)
{
    return err_set(r->e, -EBADMSG, _("%s: %s is wanted here"), place_text(r->a, at), wanted);
}

static int read_record(struct reader *r, const struct place *at, const json_t *v, const struct record *rec, unsigned char *to);

static int read_number(const struct reader *r, const struct place *at, const json_t *v, enum kind kind, void *to)
{
    json_int_t i = json_integer_value(v);
    bool fits = json_is_integer(v) && (kind == KIND_U32 ? i >= 0 && i <= UINT32_MAX : kind == KIND_I32 ? i >= INT32_MIN && i <= INT32_MAX : kind == KIND_I64 || i >= 0);
    if (!fits)
        return wrong(r, at, _("a whole number in range"));
    if (kind == KIND_U32)
        *(uint32_t *)to = (uint32_t)i;
    else if (kind == KIND_I32)
        *(int32_t *)to = (int32_t)i;
    else if (kind == KIND_U64)
        *(uint64_t *)to = (uint64_t)i;
    else
        *(int64_t *)to = i;
    return 0;
}

static int read_choice(const struct reader *r, const struct place *at, const json_t *v, const struct choice *c, void *to)
{
    const char *s = json_string_value(v);
    for (size_t i = 0; s && i < c->n; i++)
        if (strcmp(s, c->names[i]) == 0) {
            unsigned value = (unsigned)i; /* enums of the facts are unsigned ints, from 0 */
            memcpy(to, &value, sizeof value);
            return 0;
        }
    return wrong(r, at, _("one of the words that the schema lists"));
}

static int read_one(struct reader *r, const struct place *at, const json_t *v, const struct field *f, void *to)
{
    switch ((enum kind)f->kind) {
    case KIND_STR:
        if (!json_is_null(v) && !json_is_string(v))
            return wrong(r, at, _("a text or null"));
        *(const char **)to = json_is_null(v) ? NULL : arena_strdup(r->a, json_string_value(v));
        return 0;
    case KIND_BOOL:
        if (!json_is_boolean(v))
            return wrong(r, at, _("true or false"));
        *(bool *)to = json_is_true(v);
        return 0;
    case KIND_TRI:
        if (!json_is_boolean(v) && !json_is_null(v))
            return wrong(r, at, _("true, false or null"));
        *(enum tri *)to = json_is_null(v) ? TRI_UNKNOWN : json_is_true(v) ? TRI_YES : TRI_NO;
        return 0;
    case KIND_U32: case KIND_I32: case KIND_U64: case KIND_I64:
        return read_number(r, at, v, (enum kind)f->kind, to);
    case KIND_ENUM:
        return read_choice(r, at, v, &choices[f->sub], to);
    case KIND_RECORD:
        return read_record(r, at, v, &records[f->sub], to);
    }
    return 0;
}

static size_t size_of(const struct field *f)
{
    switch ((enum kind)f->kind) {
    case KIND_STR: return sizeof(const char *);
    case KIND_BOOL: return sizeof(bool);
    case KIND_TRI: return sizeof(enum tri);
    case KIND_U32: return sizeof(uint32_t);
    case KIND_I32: return sizeof(int32_t);
    case KIND_U64: return sizeof(uint64_t);
    case KIND_I64: return sizeof(int64_t);
    case KIND_ENUM: return sizeof(unsigned);
    case KIND_RECORD: return records[f->sub].size;
    }
    return 0;
}

static int read_list(struct reader *r, const struct place *at, const json_t *v, const struct field *f, unsigned char *to)
{
    size_t n = json_array_size(v), size = size_of(f);
    if (!json_is_array(v))
        return wrong(r, at, _("a list"));
    if (n > FACTS_MAX_ITEMS - r->items)
        return err_set(r->e, -E2BIG, _("%s: more than %d items in all"), place_text(r->a, at), (int)FACTS_MAX_ITEMS);
    r->items += n;
    unsigned char *items = n ? arena_array(r->a, n, size) : NULL;
    for (size_t i = 0; i < n; i++) {
        const struct place here = {.up = at, .index = i};
        int rc = read_one(r, &here, json_array_get(v, i), f, items + i * size);
        if (rc < 0)
            return rc;
    }
    memcpy(to + f->at, &items, sizeof items);
    memcpy(to + f->extra, &n, sizeof n);
    return 0;
}

/* Texts without which the record makes no sense; one that is absent has none. */
static int has_all(const struct reader *r, const struct place *at, const struct record *rec, const unsigned char *to)
{
    bool stated = rec->n && str_eq(rec->fields[0].name, "state");
    if (stated && *(const enum fact_state *)(to + rec->fields[0].at) != FACT_PRESENT)
        return 0;
    for (size_t i = 0; i < rec->n; i++) {
        const struct place here = {.up = at, .name = rec->fields[i].name};
        if (rec->fields[i].shape == SHAPE_NEEDED && !*(const char *const *)(to + rec->fields[i].at))
            return wrong(r, &here, _("a text"));
    }
    return 0;
}

static int read_record(struct reader *r, const struct place *at, const json_t *v, const struct record *rec, unsigned char *to)
{
    if (!json_is_object(v))
        return wrong(r, at, _("an object"));
    for (size_t i = 0; i < rec->n; i++) {
        const struct field *f = &rec->fields[i];
        const struct place here = {.up = at, .name = f->name};
        const json_t *one = json_object_get(v, f->name);
        int rc = 0;
        if (!one || (f->shape == SHAPE_OPTIONAL && json_is_null(one)))
            continue; /* an older version did not know it */
        if (f->shape == SHAPE_LIST)
            rc = read_list(r, &here, one, f, to);
        else
            rc = read_one(r, &here, one, f, to + f->at);
        if (rc < 0)
            return rc;
        if (f->shape == SHAPE_OPTIONAL)
            *(bool *)(to + f->extra) = true;
    }
    return has_all(r, at, rec, to);
}

/* Numbers that rules count up to. */
static int counts_fit(const struct reader *r, const struct facts *f)
{
    enum { GPUS_MAX = 4096 };
    const struct { const char *name; bool has; uint32_t n; } counts[] = {
        {"facts.cuda.count", f->cuda.has_count, f->cuda.count}, {"facts.nvml.count", f->nvml.has_count, f->nvml.count}, {"facts.proof.gpus", f->proof.has_gpus, f->proof.gpus}};
    for (size_t i = 0; i < TG_COUNT(counts); i++) {
        const struct place here = {.name = counts[i].name};
        if (counts[i].has && counts[i].n > GPUS_MAX)
            return wrong(r, &here, _("a whole number in range"));
    }
    return 0;
}

static int read_document(struct arena *a, const json_t *doc, struct facts *ret, struct err *e)
{
    static const struct place top = {.name = "facts"};
    const char *schema = json_string_value(json_object_get(doc, "schema"));
    struct reader r = {.a = a, .e = e};
    struct facts *f = ARENA_NEW(a, struct facts);
    if (!schema || !str_starts(schema, "tfgpu.facts/"))
        return err_set(e, -EINVAL, "%s", _("not a facts file (tfgpu snapshot -o FILE writes one)"));
    if (!str_eq(schema, "tfgpu.facts/1"))
        return err_set(e, -EINVAL, _("a facts file of another format (%.40s); this tfgpu reads tfgpu.facts/1"), schema);
    const json_t *facts = json_object_get(doc, "facts");
    int rc = facts ? read_record(&r, &top, facts, &records[RECORD_FACTS], (unsigned char *)f) : wrong(&r, &top, _("an object"));
    if (rc == 0)
        rc = counts_fit(&r, f);
    if (rc == 0)
        *ret = *f;
    return rc;
}

int facts_read(struct arena *a, const char *p, size_t n, struct facts *ret, struct err *e)
{
    json_error_t je;
    size_t i = 0;
    if (n > FACTS_MAX_BYTES)
        return err_set(e, -E2BIG, _("larger than %d MiB: not a facts file"), FACTS_MAX_BYTES >> 20);
    while (i < n && (p[i] == ' ' || p[i] == '\n' || p[i] == '\r' || p[i] == '\t'))
        i++;
    if (i == n || p[i] != '{')
        return err_set(e, -EINVAL, "%s", _("not a facts file (tfgpu snapshot -o FILE writes one)"));
    json_t *doc = json_loadb(p, n, JSON_REJECT_DUPLICATES, &je);
    if (!doc)
        return err_set(e, -EBADMSG, _("damaged: line %d: %s"), je.line, je.text);
    int rc = read_document(a, doc, ret, e);
    json_decref(doc);
    return rc;
}
