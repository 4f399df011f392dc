/* SPDX-License-Identifier: Apache-2.0 */
/* codes - collects what the formats match, and reads numbers at the end, when the versions that the log states are known. */
#include "explain/codes.h"
#include <string.h>
#include "base/i18n.h"
#include "base/places.h"
#include "base/util.h"

enum { PENDING_MAX = 16, ROUNDS_MAX = 16, HITS_MAX = 8, NONE = -1 };

/* One code as it was printed: a row that a name or a text names, or a number to be read in the way of a family. */
struct tally {
    uint8_t family;
    int32_t row, number;
    uint64_t last;          /* the ordinal of its last line, from 1 */
    struct sightings seen;
    const char *gpu;
    uint32_t hits[HITS_MAX]; size_t n_hits; /* regexes of causes that matched on its lines */
};

struct codes {
    struct arena *a;
    const struct explain_catalog *k;
    struct tally *tallies; size_t n;
    const struct line *line;
    uint64_t ordinal;
    struct { struct tally key; struct str gpu; size_t start; } pending[PENDING_MAX]; size_t n_pending;
    uint32_t hits[HITS_MAX]; size_t n_hits;
    size_t ends[EXPLAIN_N_FORMATS + 1];     /* of each format's last match on this line */
    size_t after; unsigned rounds; bool again;
    const char *driver;                     /* the first version of the driver that it states, or NULL */
    uint32_t cuda, cudnn;                   /* versions that the log states, major * 100 + minor; 0: none */
};

struct codes *codes_new(struct arena *a, const struct explain_catalog *k)
{
    struct codes *c = ARENA_NEW(a, struct codes);
    c->a = a;
    c->k = k;
    return c;
}

void codes_begin(struct codes *c, const struct line *line, uint64_t ordinal)
{
    c->line = line;
    c->ordinal = ordinal;
    c->n_pending = c->n_hits = 0;
    c->rounds = 0;
    c->again = false;
    memset(c->ends, 0, sizeof c->ends);
}

void codes_hit(struct codes *c, uint32_t regex)
{
    if (c->n_hits < HITS_MAX)
        c->hits[c->n_hits++] = regex;
}

static struct str group(const struct match *m, const char *name)
{
    for (size_t i = 0; i < m->n_groups; i++)
        if (str_eq(m->groups[i].name, name))
            return m->groups[i].value;
    return (struct str){0};
}

static bool number_of(struct str s, uint32_t *ret)
{
    char text[12];
    if (s.n == 0 || s.n >= sizeof text)
        return false;
    memcpy(text, s.p, s.n);
    text[s.n] = '\0';
    return str_to_u32(text, ret) == 0;
}

static bool is_text(struct str s, uint32_t text) /* Go leaves the library's own name away: ERROR_UNKNOWN */
{
    const char *t = text ? explain_str(text) : "", *cut = s.n > 6 && memcmp(s.p, "ERROR_", 6) == 0 ? strchr(t, '_') : NULL;
    return s.n > 0 && s.n == strlen(cut ? cut + 1 : t) && memcmp(s.p, cut ? cut + 1 : t, s.n) == 0;
}

/* How many bytes of the text the library's own words are, when it begins with them; else 0. The case does not count. */
static size_t says(struct str s, uint32_t text)
{
    const char *t = text ? explain_str(text) : "";
    size_t n = strlen(t);
    for (size_t i = 0; i < n; i++)
        if (i >= s.n || (s.p[i] | 0x20) != (t[i] | 0x20))
            return 0;
    return n;
}

static int32_t row_named(struct str name, unsigned family)
{
    for (size_t i = 0; i < EXPLAIN_N_CODES; i++)
        if (explain_codes[i].family == family && (is_text(name, explain_codes[i].name) || is_text(name, explain_codes[i].name2)))
            return (int32_t)i;
    return NONE;
}

static int32_t row_saying(struct str text, unsigned family)
{
    size_t best = 0;
    int32_t row = NONE;
    for (size_t i = 0; i < EXPLAIN_N_CODES; i++) {
        size_t n1 = says(text, explain_codes[i].says), n2 = says(text, explain_codes[i].says2), n = n1 > n2 ? n1 : n2;
        if (explain_codes[i].family == family && n > best) {
            best = n;
            row = (int32_t)i;
        }
    }
    return row;
}

static int32_t row_numbered(uint32_t number, unsigned family, bool second)
{
    for (size_t i = 0; number && i < EXPLAIN_N_CODES; i++)
        if (explain_codes[i].family == family && number == (uint32_t)(second ? explain_codes[i].number2 : explain_codes[i].number))
            return (int32_t)i;
    return NONE;
}

/* A version in one of the ways of data/tables/code_formats.yaml: two numbers, or packed as 100, 8902 or 90300. */
static void version(struct codes *c, unsigned family, const struct match *m)
{
    struct str text = group(m, "text");
    if (family == FAMILY_DRIVER) {
        if (!c->driver && text.n && text.n < 24)
            c->driver = arena_strndup(c->a, text.p, text.n);
        return;
    }
    uint32_t major = 0, minor = 0, packed = 0, *at = family == FAMILY_CUDNN ? &c->cudnn : &c->cuda;
    if (number_of(group(m, "packed"), &packed)) {
        major = family == FAMILY_CUDNN ? packed / (packed >= 10000 ? 10000 : 1000) : packed < 100 ? packed : packed / 10;
        minor = family == FAMILY_CUDNN || packed < 100 ? 0 : packed % 10;
    } else if (!number_of(group(m, "major"), &major)) {
        return;
    }
    (void)number_of(group(m, "minor"), &minor); /* some name the major version only */
    if (*at == 0 && major > 0 && major < 100 && minor < 100)
        *at = major * 100 + minor;
}

void codes_match(struct codes *c, uint32_t regex, const struct match *m)
{
    size_t i = 0;
    for (size_t v = 0; v < EXPLAIN_N_VERSIONS; v++)
        if (explain_versions[v].regex == regex)
            version(c, explain_versions[v].family, m);
    while (i < EXPLAIN_N_FORMATS && explain_formats[i].regex != regex)
        i++;
    if (i == EXPLAIN_N_FORMATS || m->start < c->ends[i] || m->end <= c->ends[i] || c->n_pending == PENDING_MAX)
        return;
    c->ends[i] = m->end;
    c->after = c->again && c->after < m->end ? c->after : m->end;
    c->again = true;
    unsigned family = explain_formats[i].family;
    struct str name = group(m, "name"), text = group(m, "text"), gpu = group(m, "gpu");
    struct tally t = {.family = (uint8_t)family, .row = NONE, .number = NONE};
    uint32_t number;
    if (name.n)
        t.row = row_named(name, family);
    else if (text.n)
        t.row = row_saying(text, family);
    else if (number_of(group(m, "code"), &number) && number > 0 && number < 10000)
        t.number = (int32_t)number;
    if (t.row == NONE && t.number == NONE)
        return;
    c->pending[c->n_pending].key = t;
    c->pending[c->n_pending].gpu = gpu;
    c->pending[c->n_pending++].start = m->start;
}

bool codes_again(struct codes *c, size_t *ret_after)
{
    bool again = c->again && ++c->rounds < ROUNDS_MAX;
    *ret_after = c->after;
    c->again = false;
    return again;
}

static struct tally *tally_of(struct codes *c, const struct tally *key)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->tallies[i].family == key->family && c->tallies[i].row == key->row && c->tallies[i].number == key->number)
            return &c->tallies[i];
    if (c->n == CODES_MAX)
        return NULL;
    struct tally *t = ARENA_PUSH(c->a, c->tallies, c->n);
    *t = *key;
    return t;
}

static void add_hits(struct tally *t, const struct codes *c)
{
    for (size_t i = 0; i < c->n_hits; i++) {
        bool have = t->n_hits == HITS_MAX;
        for (size_t k = 0; k < t->n_hits; k++)
            have |= t->hits[k] == c->hits[i];
        if (!have)
            t->hits[t->n_hits++] = c->hits[i];
    }
}

void codes_end(struct codes *c, struct places *places, const char *(*shown)(struct arena *a, const struct line *l, size_t start), struct arena *a)
{
    for (size_t i = 0; i < c->n_pending; i++) {
        struct tally *t = tally_of(c, &c->pending[i].key);
        if (!t || t->last == c->ordinal + 1)
            continue;
        t->last = c->ordinal + 1;
        add_hits(t, c);
        struct sighting *s = sightings_add(places, &t->seen, c->line->p, c->line->n, c->line->number, c->ordinal);
        if (!s)
            continue;
        s->line = shown(a, c->line, c->pending[i].start);
        struct str gpu = c->pending[i].gpu;
        if (!t->gpu && gpu.n && gpu.n < 32)
            t->gpu = arena_strndup(c->a, gpu.p, gpu.n);
    }
}

/* What a number can mean. */
static void reading(struct explained_code *x, int32_t row, enum explain_numbering numbering)
{
    if (row == NONE)
        return;
    for (size_t i = 0; i < x->n_readings; i++)
        if (x->readings[i].row == &explain_codes[row]) {
            x->readings[i].numbering = NUMBERING_BOTH; /* the same in both */
            return;
        }
    if (x->n_readings < TG_COUNT(x->readings))
        x->readings[x->n_readings++] = (struct explained_reading){&explain_codes[row], numbering};
}

static enum explain_numbering numbering(const struct codes *c, unsigned family)
{
    if (family == FAMILY_CUDNN)
        return c->cudnn == 0 ? NUMBERING_BOTH : c->cudnn < 900 ? NUMBERING_OLD : NUMBERING_NEW;
    return c->cuda == 0 ? NUMBERING_BOTH : c->cuda < 1001 ? NUMBERING_OLD : NUMBERING_NEW;
}

static void read_number(const struct codes *c, const struct tally *t, struct explained_code *x)
{
    uint32_t n = (uint32_t)t->number;
    enum explain_numbering which = numbering(c, FAMILY_CUDA);
    switch (t->family) {
    case FAMILY_CUDART: case FAMILY_ANY: case FAMILY_BARE:
        if (which != NUMBERING_OLD)
            reading(x, row_numbered(n, FAMILY_CUDA, false), NUMBERING_NEW);
        if (which != NUMBERING_NEW && t->family != FAMILY_BARE)
            reading(x, row_numbered(n, FAMILY_CUDA, true), NUMBERING_OLD);
        if (t->family == FAMILY_ANY && n < 100)
            reading(x, row_numbered(n, FAMILY_NVML, false), NUMBERING_BOTH);
        break;
    case FAMILY_CUDNN: /* the two numberings share no number */
        reading(x, row_numbered(n, FAMILY_CUDNN, n < 1000), n < 1000 ? NUMBERING_OLD : NUMBERING_NEW);
        break;
    default:
        reading(x, row_numbered(n, t->family, false), NUMBERING_BOTH);
    }
}

/* The entry that explains a code already: one that its line shows, its own cause, or one that it can stand for. */
static const struct explain_entry *covering(const struct explain_catalog *k, const struct tally *t, const struct explained_code *x, const struct codes_found *found)
{
    for (size_t i = 0; i < t->n_hits; i++) {
        const struct explain_entry *e = found->of_regex(found->ctx, t->hits[i]);
        if (e)
            return e;
    }
    for (size_t i = 0; i < x->n_readings; i++) {
        const struct explain_entry *page = explain_code_page(k, x->readings[i].row);
        for (size_t m = 0; m < page->n_may_be; m++) {
            const struct explain_entry *e = &k->entries[k->may_be[page->first_may_be + m]];
            if (found->has(found->ctx, e))
                return e;
        }
    }
    return NULL;
}

static struct explained_code *same_code(struct explained_code *codes, size_t n, const struct explained_code *x)
{
    for (size_t i = 0; i < n; i++)
        if (x->n_readings == 1 && codes[i].n_readings == 1 && codes[i].readings[0].row == x->readings[0].row)
            return &codes[i];
    return NULL;
}

size_t codes_judge(struct codes *c, const struct codes_found *found, const struct explained_code **ret)
{
    struct explained_code *out = arena_array(c->a, c->n + 1, sizeof *out);
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        const struct tally *t = &c->tallies[i];
        const struct sighting *first = &t->seen.list[0];
        struct explained_code x = {.family = t->family, .number = t->number > 0 ? (uint32_t)t->number : 0, .file = first->place->file, .line = first->line, .gpu = t->gpu,
                                   .line_number = first->line_number, .count = t->seen.count, .seen = t->seen.list, .n_seen = t->seen.n};
        if (t->row == NONE)
            read_number(c, t, &x);
        else
            reading(&x, t->row, t->family == FAMILY_CUDNN ? numbering(c, FAMILY_CUDNN) : NUMBERING_BOTH);
        if (x.n_readings == 0 && t->family != FAMILY_XID)
            continue; /* not a number that the library has: something else was counted */
        x.entry = covering(c->k, t, &x, found);
        struct explained_code *same = same_code(out, n, &x);
        if (!same) {
            out[n++] = x;
            continue;
        }
        same->count = same->count > x.count ? same->count : x.count;
        same->entry = same->entry ? same->entry : x.entry;
        same->family = same->family >= FAMILY_CUDART ? x.family : same->family;
    }
    *ret = out;
    return n;
}

const char *codes_driver(const struct codes *c)
{
    return c->driver;
}

static bool says_too_little(const struct explained_code *x)
{
    return x->family == FAMILY_BARE && x->number < EXPLAIN_BARE_FROM;
}

bool codes_answer(struct arena *a, const struct explain_catalog *k, const struct explained_code *x, struct explained *ret)
{
    if (x->entry || says_too_little(x))
        return false;
    bool sure = x->n_readings == 1 && x->family != FAMILY_BARE;
    const struct explain_code *row = x->n_readings ? x->readings[0].row : NULL;
    const struct explain_entry *entry = !row ? catalog_find(k, "code-unknown") : !sure ? catalog_find(k, "code-ambiguous")
                                      : row->cause >= 0 ? &k->entries[row->cause] : explain_code_page(k, row);
    struct explain_value *v = NULL;
    size_t n = 0;
    if (row)
        *ARENA_PUSH(a, v, n) = (struct explain_value){"name", explain_str(row->name)};
    uint32_t number = x->number ? x->number : (uint32_t)row->number;
    *ARENA_PUSH(a, v, n) = (struct explain_value){"code", arena_printf(a, "%u", number)};
    if (x->gpu)
        *ARENA_PUSH(a, v, n) = (struct explain_value){"gpu", x->gpu};
    *ret = (struct explained){.entry = entry, .file = x->file, .line = x->line, .line_number = x->line_number, .count = x->count, .seen = x->seen, .n_seen = x->n_seen, .values = v, .n_values = n, .code = x};
    return true;
}

const struct explain_entry *explain_code_page(const struct explain_catalog *k, const struct explain_code *row)
{
    return &k->entries[EXPLAIN_N_CAUSES + (row - explain_codes)];
}

static const char *unit_of(const void *row, const char *key, size_t n)
{
    return n == 4 && memcmp(key, "unit", 4) == 0 ? explain_str(((const struct explain_code *)row)->unit) : NULL;
}

const char *explain_code_meaning(struct arena *a, const struct explain_code *row)
{
    return places_fill(a, _(explain_str(explain_entries[EXPLAIN_N_CAUSES + (row - explain_codes)].text)), false, unit_of, row, NULL);
}

const char *explain_code_label(struct arena *a, const struct explained_reading *r)
{
    const char *name = explain_str(r->row->name), *runtime = explain_str(r->row->name2);
    int number = r->row->number, second = r->row->number2;
    switch ((enum explain_family)r->row->family) {
    case FAMILY_XID:
        return arena_printf(a, "Xid %d", number);
    case FAMILY_CUDNN:
        if (r->numbering == NUMBERING_BOTH && number && second)
            return arena_printf(a, _("%s (%d since cuDNN 9, %d up to cuDNN 8)"), name, number, second);
        return second && (r->numbering == NUMBERING_OLD || !number) ? arena_printf(a, _("%s (%d up to cuDNN 8)"), name, second)
                                                                    : arena_printf(a, _("%s (%d since cuDNN 9)"), name, number);
    case FAMILY_CUDA:
        if (r->numbering == NUMBERING_OLD && second)
            return arena_printf(a, _("%s (%d up to CUDA 10.0)"), runtime ? runtime : name, second);
        break;
    case FAMILY_NVML: case FAMILY_NCCL: case FAMILY_CUBLAS: case FAMILY_CUDART: case FAMILY_ANY: case FAMILY_BARE: case FAMILY_DRIVER:
        break;
    }
    return arena_printf(a, "%s (%d)", name, number);
}

const char *explain_code_text(struct arena *a, const struct explained_code *x)
{
    const char *out = NULL;
    if (x->n_readings == 0)
        return arena_printf(a, _("Xid %u is not in the table of tfgpu"), x->number);
    for (size_t i = 0; i < x->n_readings; i++) {
        const char *one = arena_printf(a, _("%s: %s"), explain_code_label(a, &x->readings[i]), explain_code_meaning(a, x->readings[i].row));
        out = out ? arena_printf(a, _("%s; or %s"), out, one) : one;
    }
    if (x->family == FAMILY_BARE)
        return arena_printf(a, _("the number %u comes without a library's name; if it is CUDA's, it is %s"), x->number, out);
    return x->n_readings > 1 ? arena_printf(a, _("%u has more than one meaning: %s"), x->number, out) : out;
}
