/* SPDX-License-Identifier: Apache-2.0 */
/* kerasjson - keras.json as Keras reads it. */
#include "formats/kerasjson.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "base/util.h"

static bool is_one_of(const json_t *v, const char *const *words, size_t n)
{
    for (size_t i = 0; json_is_string(v) && i < n; i++)
        if (str_eq(json_string_value(v), words[i]))
            return true;
    return false;
}

static bool is_floatx(const json_t *v)
{
    static const char *const words[] = {"float16", "float32", "float64"};
    return is_one_of(v, words, TG_COUNT(words));
}

static bool is_format(const json_t *v)
{
    static const char *const words[] = {"channels_last", "channels_first"};
    return is_one_of(v, words, TG_COUNT(words));
}

static bool is_epsilon(const json_t *v)
{
    return json_is_real(v);
}

static const char *as_json(struct arena *a, const json_t *v)
{
    char *text = json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6));
    const char *ret = text ? arena_strndup(a, text, strlen(text)) : "?";
    free(text);
    return ret;
}

/* Python takes NaN, Infinity and -Infinity for numbers: written as such, in the same place. */
static char *plain_numbers(const char *p, size_t n, struct arena *a)
{
    static const struct { const char *word, *number; } words[] = {{"NaN", "1.0"}, {"Infinity", "1.000000"}};
    char *out = arena_alloc(a, n + 1);
    bool inside = false;
    memcpy(out, p, n);
    out[n] = '\0';
    for (size_t i = 0; i < n; i++) {
        if (inside && out[i] == '\\')
            i++;
        else if (out[i] == '"')
            inside = !inside;
        for (size_t k = 0; !inside && i < n && k < TG_COUNT(words); k++)
            if (str_starts(out + i, words[k].word))
                memcpy(out + i, words[k].number, strlen(words[k].number));
    }
    return out;
}

static void read_settings(const json_t *doc, struct arena *a, struct kerasjson *ret)
{
    static const struct { const char *key; bool (*is_good)(const json_t *v); } rows[] = { /* in the order in which they are looked at */
        {"floatx", is_floatx}, {"epsilon", is_epsilon}, {"image_data_format", is_format}};
    const json_t *b = json_object_get(doc, "backend");
    if (b)
        ret->backend = json_is_string(b) ? arena_strndup(a, json_string_value(b), json_string_length(b)) : as_json(a, b);
    for (size_t i = 0; i < TG_COUNT(rows) && !ret->key; i++) {
        const json_t *v = json_object_get(doc, rows[i].key);
        if (!v || rows[i].is_good(v))
            continue;
        ret->key = rows[i].key;
        ret->value = as_json(a, v);
        ret->number = json_is_integer(v) && rows[i].is_good == is_epsilon;
    }
}

void kerasjson_read(const char *p, size_t n, struct arena *a, struct kerasjson *ret)
{
    json_t *doc = json_loadb(plain_numbers(p, n, a), n, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    *ret = (struct kerasjson){0};
    if (json_is_object(doc)) {
        read_settings(doc, a, ret);
    } else if (doc) {
        ret->key = "";
        ret->value = as_json(a, doc);
    }
    json_decref(doc);
}
