/* SPDX-License-Identifier: Apache-2.0 */
/* simpleindex - pages of a package index. */
#include "formats/simpleindex.h"
#include <errno.h>
#include <string.h>
#include <strings.h>
#include "base/i18n.h"
#include "base/util.h"
#include "formats/jsonflow.h"

enum { F_NONE = -1, F_NAME, F_URL, F_PYTHON, N_TEXTS, F_YANKED = N_TEXTS, F_METADATA };
enum { AT_FILES = 2, AT_FILE = 3 }; /* depth of the list, and of one entry */

struct text { char v[SIMPLEINDEX_TEXT]; size_t n; bool too_long; };
struct page {
    simpleindex_fn *fn;
    void *ctx;
    struct text text[N_TEXTS];
    bool yanked, has_metadata;
    unsigned depth;
    bool key_is_files, in_files, seen_files; /* JSON */
    int field;
};

static void begin(struct page *g)
{
    for (size_t i = 0; i < N_TEXTS; i++)
        g->text[i].n = g->text[i].too_long = 0;
    g->yanked = g->has_metadata = false;
    g->field = F_NONE;
}

static void add(struct text *t, const char *p, size_t n)
{
    t->too_long |= n >= SIMPLEINDEX_TEXT - t->n || memchr(p, 0, n);
    if (!t->too_long) {
        memcpy(t->v + t->n, p, n);
        t->n += n;
    }
}

static void hand_out(struct page *g)
{
    bool good = g->text[F_NAME].n > 0;
    for (size_t i = 0; i < N_TEXTS; i++) {
        good &= !g->text[i].too_long;
        g->text[i].v[g->text[i].n] = 0;
    }
    g->text[F_URL].v[strcspn(g->text[F_URL].v, "#")] = 0;
    const struct simpleindex_file f = {g->text[F_NAME].v, g->text[F_URL].v, g->text[F_PYTHON].v, g->yanked, g->has_metadata};
    if (good)
        g->fn(g->ctx, &f);
}

/* -- JSON ---------------------------------------------------------------------------------------------------------------- */

static int field_of(const char *key, size_t n)
{
    static const struct { const char *key; int field; } keys[] = {{"filename", F_NAME}, {"url", F_URL}, {"requires-python", F_PYTHON}, {"yanked", F_YANKED},
                                                                  {"core-metadata", F_METADATA}, {"dist-info-metadata", F_METADATA}, {"data-dist-info-metadata", F_METADATA}};
    for (size_t i = 0; i < TG_COUNT(keys); i++)
        if (strlen(keys[i].key) == n && memcmp(keys[i].key, key, n) == 0)
            return keys[i].field;
    return F_NONE;
}

static void opens(struct page *g, bool object)
{
    g->depth++;
    if (g->depth == AT_FILES && g->key_is_files && !object)
        g->in_files = g->seen_files = true;
    else if (g->in_files && g->depth == AT_FILE && object)
        begin(g);
    else if (g->in_files && g->depth == AT_FILE + 1 && g->field == F_METADATA)
        g->has_metadata = true; /* its checksums */
}

static void closes(struct page *g, bool object)
{
    if (g->in_files && g->depth == AT_FILE && object)
        hand_out(g);
    if (g->depth == AT_FILES)
        g->in_files = false;
    g->depth--;
}

static void on_json(void *ctx, enum jsonflow_event event, const char *p, size_t n)
{
    struct page *g = ctx;
    bool here = g->in_files && g->depth == AT_FILE;
    switch (event) {
    case JSONFLOW_OBJECT: case JSONFLOW_ARRAY: opens(g, event == JSONFLOW_OBJECT); break;
    case JSONFLOW_OBJECT_END: case JSONFLOW_ARRAY_END: closes(g, event == JSONFLOW_OBJECT_END); break;
    case JSONFLOW_KEY_IS:
        if (g->depth == 1)
            g->key_is_files = n == strlen("files") && memcmp(p, "files", n) == 0;
        else if (here)
            g->field = field_of(p, n);
        break;
    case JSONFLOW_TEXT:
        if (here && g->field >= 0 && g->field < N_TEXTS)
            add(&g->text[g->field], p, n);
        break;
    case JSONFLOW_STRING_END:
        if (here && g->field == F_YANKED) /* the reason for it */
            g->yanked = true;
        break;
    case JSONFLOW_SCALAR:
        if (here && g->field >= N_TEXTS && n == 4 && memcmp(p, "true", n) == 0)
            *(g->field == F_YANKED ? &g->yanked : &g->has_metadata) = true;
        break;
    }
}

static int read_json(struct page *g, const char *p, size_t n)
{
    struct jsonflow j;
    jsonflow_init(&j, on_json, g);
    return jsonflow_feed(&j, p, n) == 0 && jsonflow_end(&j) == 0 && g->seen_files ? 0 : -EBADMSG;
}

/* -- HTML ---------------------------------------------------------------------------------------------------------------- */

static void add_plain(struct text *t, const char *p, size_t n)
{
    static const struct { const char *written, *is; } entities[] = {{"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}, {"&quot;", "\""}, {"&#34;", "\""}, {"&#39;", "'"}, {"&#x27;", "'"}};
    while (n) {
        size_t k = 0;
        while (k < TG_COUNT(entities) && !(n >= strlen(entities[k].written) && memcmp(p, entities[k].written, strlen(entities[k].written)) == 0))
            k++;
        size_t took = k < TG_COUNT(entities) ? strlen(entities[k].written) : 1;
        add(t, k < TG_COUNT(entities) ? entities[k].is : p, 1);
        p += took;
        n -= took;
    }
}

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* One attribute from *pp on; false: there is none, and *pp is at the end of the tag. */
static bool attribute(const char **pp, const char *end, struct str *name, struct str *value)
{
    const char *p = *pp;
    while (p < end && (blank(*p) || *p == '/'))
        p++;
    *pp = p;
    if (p == end || *p == '>')
        return false;
    *name = (struct str){p, 0};
    while (p < end && !blank(*p) && *p != '=' && *p != '>')
        p++;
    name->n = (size_t)(p - name->p);
    *value = (struct str){p, 0};
    if (p < end && *p == '=') {
        char quote = p + 1 < end && (p[1] == '"' || p[1] == '\'') ? p[1] : 0;
        p += quote ? 2 : 1;
        value->p = p;
        while (p < end && (quote ? *p != quote : !blank(*p) && *p != '>'))
            p++;
        value->n = (size_t)(p - value->p);
        p += quote && p < end;
    }
    p += p == *pp; /* a lone "=" */
    *pp = p;
    return true;
}

static void anchor(struct page *g, const char **pp, const char *end)
{
    struct str name, value;
    begin(g);
    while (attribute(pp, end, &name, &value)) {
        int f = name.n == 4 && strncasecmp(name.p, "href", 4) == 0 ? F_URL : name.n > 5 && memcmp(name.p, "data-", 5) == 0 ? field_of(name.p + 5, name.n - 5) : F_NONE;
        if (f >= 0 && f < N_TEXTS)
            add_plain(&g->text[f], value.p, value.n);
        g->yanked |= f == F_YANKED;
        g->has_metadata |= f == F_METADATA && !(value.n == 5 && memcmp(value.p, "false", 5) == 0);
    }
    const char *text = *pp < end ? *pp + 1 : end, *stop = memchr(text, '<', (size_t)(end - text));
    struct str t = {text, (size_t)((stop ? stop : end) - text)};
    while (t.n && blank(*t.p))
        t.p++, t.n--;
    while (t.n && blank(t.p[t.n - 1]))
        t.n--;
    add_plain(&g->text[F_NAME], t.p, t.n);
    *pp = text;
    hand_out(g);
}

static int read_html(struct page *g, const char *p, size_t n)
{
    const char *end = p + n;
    bool any = false;
    while ((p = memchr(p, '<', (size_t)(end - p)))) {
        p++;
        any |= end - p >= 4 && (strncasecmp(p, "html", 4) == 0 || strncasecmp(p, "!doc", 4) == 0);
        if (end - p >= 2 && (*p == 'a' || *p == 'A') && blank(p[1])) {
            p++;
            any = true;
            anchor(g, &p, end);
        }
    }
    return any ? 0 : -EBADMSG;
}

int simpleindex_read(const char *p, size_t n, simpleindex_fn *fn, void *ctx, struct err *e)
{
    struct page g = {.fn = fn, .ctx = ctx, .field = F_NONE};
    size_t i = 0;
    while (i < n && blank(p[i]))
        i++;
    int r = i < n && p[i] == '{' ? read_json(&g, p + i, n - i) : i < n ? read_html(&g, p + i, n - i) : -EBADMSG;
    return r < 0 ? err_set(e, r, "%s", _("that is no page of a package index")) : 0;
}
