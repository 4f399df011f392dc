/* SPDX-License-Identifier: Apache-2.0 */
/* metadata - METADATA (PKG-INFO) and WHEEL of an installed Python distribution. */
#include "formats/metadata.h"
#include <errno.h>
#include <string.h>

static bool key_is(struct str k, const char *name)
{
    if (k.n != strlen(name))
        return false;
    for (size_t i = 0; i < k.n; i++) {
        char c = k.p[i] >= 'A' && k.p[i] <= 'Z' ? (char)(k.p[i] | 0x20) : k.p[i];
        if (c != name[i])
            return false;
    }
    return true;
}

/* Next "Key: value" of the head. 1, 0 at its end, -EBADMSG on a NUL byte. */
static int next_field(const char *buf, size_t len, size_t *pos, struct str *key, struct str *value)
{
    struct str l;
    if (*pos == 0 && len >= 3 && !memcmp(buf, "\xef\xbb\xbf", 3))
        *pos = 3;
    while (str_line(buf, len, pos, &l)) {
        if (!l.n)
            return 0;
        if (memchr(l.p, 0, l.n))
            return -EBADMSG;
        const char *colon = memchr(l.p, ':', l.n);
        if (!colon || l.p[0] == ' ' || l.p[0] == '\t')
            continue;
        *key = (struct str){l.p, (size_t)(colon - l.p)};
        *value = str_trim((struct str){colon + 1, l.n - key->n - 1});
        return 1;
    }
    return 0;
}

static int push(struct arena *a, const char ***list, size_t *n, struct str v, struct err *e)
{
    if (*n == METADATA_MAX_LIST)
        return err_set(e, -E2BIG, "metadata: more than %d entries of one kind", METADATA_MAX_LIST);
    const char **grown = arena_grow(a, (void *)*list, *n, sizeof **list);
    grown[(*n)++] = arena_strndup(a, v.p, v.n);
    *list = grown;
    return 0;
}

static void set_once(struct arena *a, const char **field, struct str v)
{
    if (!*field)
        *field = arena_strndup(a, v.p, v.n);
}

int metadata_parse(const char *buf, size_t len, struct arena *a, struct metadata *ret, struct err *e)
{
    struct metadata m = {0};
    struct str k, v;
    size_t pos = 0, fields = 0;
    int r;
    while ((r = next_field(buf, len, &pos, &k, &v)) > 0) {
        fields++;
        if (key_is(k, "name"))
            set_once(a, &m.name, v);
        else if (key_is(k, "version"))
            set_once(a, &m.version, v);
        else if (key_is(k, "requires-python"))
            set_once(a, &m.requires_python, v);
        else if (key_is(k, "requires-dist"))
            r = push(a, &m.requires_dist, &m.n_requires_dist, v, e);
        else if (key_is(k, "provides-extra"))
            r = push(a, &m.provides_extra, &m.n_provides_extra, v, e);
        if (r < 0)
            return r;
    }
    if (r < 0 || !fields)
        return err_set(e, -EBADMSG, "metadata: %s at offset %zu", r < 0 ? "NUL byte" : "no field", pos);
    *ret = m;
    return 0;
}

bool metadata_head_complete(const char *buf, size_t len)
{
    for (const char *p = buf, *end = buf + len; p < end && (p = memchr(p, '\n', (size_t)(end - p))); p++) {
        size_t left = (size_t)(end - p);
        if ((left > 1 && p[1] == '\n') || (left > 2 && p[1] == '\r' && p[2] == '\n'))
            return true;
    }
    return false;
}

int metadata_parse_wheel(const char *buf, size_t len, struct arena *a, const char ***ret_tags, size_t *ret_n, struct err *e)
{
    const char **tags = NULL;
    size_t n = 0, pos = 0, fields = 0;
    struct str k, v;
    int r;
    while ((r = next_field(buf, len, &pos, &k, &v)) > 0) {
        fields++;
        if (key_is(k, "tag") && (r = push(a, &tags, &n, v, e)) < 0)
            return r;
    }
    if (r < 0 || !fields)
        return err_set(e, -EBADMSG, "WHEEL: %s at offset %zu", r < 0 ? "NUL byte" : "no field", pos);
    *ret_tags = tags;
    *ret_n = n;
    return 0;
}

const char *metadata_normal_name(struct arena *a, const char *name, size_t n)
{
    char *out = arena_alloc(a, n + 1);
    size_t len = 0;
    for (size_t i = 0; i < n; i++) {
        char c = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] | 0x20) : name[i];
        if (c == '_' || c == '.')
            c = '-';
        if (c == '-' && len && out[len - 1] == '-')
            continue;
        out[len++] = c;
    }
    return out;
}
