/* SPDX-License-Identifier: Apache-2.0 */
/* proofline - what the process that computes with TensorFlow answers. */
#include "formats/proofline.h"
#include <errno.h>
#include <jansson.h>
#include <string.h>

#define NUMBER_MAX 1e18

enum kind { TEXT, NUMBER, TRI };
#define AT(member) offsetof(struct proofline, member)
static const struct member {
    const char *key;
    enum kind kind;
    size_t at, text_at; /* text_at: where a text goes in place of a number; 0: none is allowed */
} members[] = {
    {"device", TEXT, AT(device), 0},
    {"op", TEXT, AT(op), 0},
    {"dtype", TEXT, AT(dtype), 0},
    {"size", TEXT, AT(size), 0},
    {"placed", TEXT, AT(placed), 0},
    {"name", TEXT, AT(name), 0},
    {"version", TEXT, AT(version), 0},
    {"file", TEXT, AT(file), 0},
    {"error_type", TEXT, AT(error_type), 0},
    {"error_text", TEXT, AT(error_text), 0},
    {"growth_error", TEXT, AT(growth_error), 0},
    {"ms", NUMBER, AT(ms), 0},
    {"gpus", NUMBER, AT(gpus), 0},
    {"cc", NUMBER, AT(cc), 0},
    {"runs", NUMBER, AT(runs), 0},
    {"flops", NUMBER, AT(flops), 0},
    {"first_us", NUMBER, AT(first_us), 0},
    {"last_us", NUMBER, AT(last_us), 0},
    {"async_us", NUMBER, AT(async_us), 0},
    {"sync_us", NUMBER, AT(sync_us), 0},
    {"tolerance", NUMBER, AT(tolerance), 0},
    {"max_error", NUMBER, AT(max_error), AT(max_error_text)},
    {"cpu_error", NUMBER, AT(cpu_error), AT(cpu_error_text)},
    {"cuda_build", TRI, AT(cuda_build), 0},
    {"tf32", TRI, AT(tf32), 0},
    {"growth", TRI, AT(growth), 0},
};
#undef AT

static bool take(const struct member *m, json_t *v, struct arena *a, struct proofline *ret)
{
    char *base = (char *)ret;
    bool text_fits = m->kind == TEXT || m->text_at;
    if (json_is_null(v))
        return true;
    if (json_is_string(v) && text_fits) {
        const char **to = (const char **)(void *)(base + (m->kind == TEXT ? m->at : m->text_at));
        if (strcmp(json_string_value(v), "None") != 0) /* Python's word for nothing */
            *to = arena_strdup(a, json_string_value(v));
        return true;
    }
    if (m->kind == NUMBER && json_is_number(v)) {
        double x = json_number_value(v);
        if (!(x >= 0 && x <= NUMBER_MAX))
            return false;
        *(struct proofnum *)(void *)(base + m->at) = (struct proofnum){true, x};
        return true;
    }
    if (m->kind == TRI && json_is_boolean(v)) {
        *(enum tri *)(void *)(base + m->at) = json_is_true(v) ? TRI_YES : TRI_NO;
        return true;
    }
    return false;
}

static bool find_event(const char *text, enum proofline_event *ret)
{
    static const char *const ids[] = {"begin", "end", "error", "skip"};
    for (size_t i = 0; text && i < TG_COUNT(ids); i++)
        if (strcmp(text, ids[i]) == 0) {
            *ret = (enum proofline_event)i;
            return true;
        }
    return false;
}

static bool from_object(json_t *o, struct arena *a, struct proofline *ret)
{
    struct proofline l = {0};
    const char *stage = json_string_value(json_object_get(o, "stage"));
    if (!stage || !*stage || !find_event(json_string_value(json_object_get(o, "event")), &l.event))
        return false;
    for (size_t i = 0; i < TG_COUNT(members); i++) {
        json_t *v = json_object_get(o, members[i].key);
        if (v && !take(&members[i], v, a, &l))
            return false;
    }
    l.stage = arena_strdup(a, stage);
    *ret = l;
    return true;
}

bool proofline_parse(const char *p, size_t n, struct arena *a, struct proofline *ret)
{
    if (n == 0 || n > PROOFLINE_MAX_BYTES)
        return false;
    json_t *o = json_loadb(p, n, JSON_REJECT_DUPLICATES, NULL);
    bool fine = json_is_object(o) && from_object(o, a, ret);
    json_decref(o);
    return fine;
}

void proofline_parse_all(const char *p, size_t n, struct arena *a, struct proofrecord *ret)
{
    struct str line;
    for (size_t pos = 0; str_line(p, n, &pos, &line);) {
        struct proofline l;
        if (line.n == 0)
            continue;
        if (ret->n_lines >= PROOFLINE_MAX_LINES || !proofline_parse(line.p, line.n, a, &l)) {
            ret->malformed++;
            continue;
        }
        struct proofline *to = ARENA_PUSH(a, ret->lines, ret->n_lines);
        *to = l;
    }
}

static bool get_end(const char *text, enum proofline_exit *ret)
{
    static const char *const ids[] = {"exited", "signaled", "timeout", "flood", "undead", "not-started"};
    for (size_t i = 0; text && i < TG_COUNT(ids); i++)
        if (strcmp(text, ids[i]) == 0) {
            *ret = (enum proofline_exit)i;
            return true;
        }
    return !text;
}

static bool get_u32(json_t *o, const char *key, uint32_t *ret)
{
    json_t *v = json_object_get(o, key);
    if (!v)
        return true;
    if (!json_is_integer(v) || json_integer_value(v) < 0 || json_integer_value(v) > INT32_MAX)
        return false;
    *ret = (uint32_t)json_integer_value(v);
    return true;
}

static bool get_text(json_t *o, const char *key, struct arena *a, const char **ret)
{
    json_t *v = json_object_get(o, key);
    if (v && !json_is_string(v))
        return false;
    *ret = arena_strdup(a, json_string_value(v));
    return true;
}

int proofrecord_parse(const char *p, size_t n, struct arena *a, struct proofrecord *ret, struct err *e)
{
    struct proofrecord r = {0};
    json_error_t je;
    uint32_t code = 0, signal = 0;
    size_t i;
    json_t *v, *o = json_loadb(p, n, JSON_REJECT_DUPLICATES, &je);
    if (!json_is_object(o)) {
        json_decref(o);
        return err_set(e, -EBADMSG, "proof: no JSON object");
    }
    json_t *lines = json_object_get(o, "lines"), *quick = json_object_get(o, "quick");
    const char *end = NULL;
    bool fine = (!lines || json_is_array(lines)) && (!quick || json_is_boolean(quick)) && get_text(o, "end", a, &end) && get_end(end, &r.end) &&
                get_u32(o, "code", &code) && get_u32(o, "signal", &signal) && get_u32(o, "ms", &r.ms) && get_u32(o, "deadline_ms", &r.deadline_ms) &&
                get_u32(o, "peak_mib", &r.peak_mib) && get_text(o, "why", a, &r.why) && get_text(o, "output", a, &r.output);
    r.quick = json_is_true(quick);
    r.code = (int)code;
    r.signal = (int)signal;
    json_array_foreach(lines, i, v) {
        struct proofline l;
        if (r.n_lines < PROOFLINE_MAX_LINES && from_object(v, a, &l)) {
            struct proofline *to = ARENA_PUSH(a, r.lines, r.n_lines);
            *to = l;
        } else {
            r.malformed++;
        }
    }
    json_decref(o);
    if (!fine)
        return err_set(e, -EBADMSG, "proof: a member has the wrong type (docs/formats/root-manifest.md)");
    *ret = r;
    return 0;
}
