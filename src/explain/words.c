/* SPDX-License-Identifier: Apache-2.0 */
/* words - the texts of an entry with the values of the log. */
#include <string.h>
#include "base/i18n.h"
#include "base/places.h"
#include "base/util.h"
#include "explain/explain.h"

struct source { struct arena *a; const struct explained *x; bool shell; };

static const char *value_of(const void *ctx, const char *key, size_t n)
{
    const struct source *s = ctx;
    if (n == 6 && memcmp(key, "python", 6) == 0)
        return "python"; /* whichever the user calls */
    if (!s->x)
        return s->shell ? NULL : arena_printf(s->a, "<%.*s>", (int)n, key);
    for (size_t i = 0; i < s->x->n_values; i++)
        if (strncmp(s->x->values[i].name, key, n) == 0 && s->x->values[i].name[n] == '\0')
            return s->x->values[i].all && !s->shell ? s->x->values[i].all : s->x->values[i].value;
    return n == 7 && memcmp(key, "subject", n) == 0 && s->x->n_values ? s->x->values[0].value : NULL;
}

/* On a code's own page: every name and number that it has. */
static const char *code_headline(struct arena *a, const struct explain_entry *entry)
{
    const struct explain_code *row = &explain_codes[entry->code - 1];
    const struct explained_reading r = {.row = row};
    const char *label = explain_code_label(a, &r);
    if (row->family == FAMILY_XID)
        label = arena_printf(a, "%s (%s)", label, explain_str(row->name));
    else if (row->name2)
        label = arena_printf(a, "%s, %s", label, explain_str(row->name2));
    if (row->family == FAMILY_CUDA && row->number2 && row->number2 != row->number)
        label = arena_printf(a, _("%s (in the runtime up to CUDA 10.0: %d)"), label, row->number2);
    return arena_printf(a, _("%s: %s"), label, explain_code_meaning(a, row));
}

const char *explain_headline(struct arena *a, const struct explain_catalog *k, const struct explain_entry *entry, const struct explained *x)
{
    const struct source s = {.a = a, .x = x};
    const char *text = catalog_text(k, entry->text ? entry->text : entry->title);
    if (x && x->code)
        return explain_code_text(a, x->code);
    if (entry->code)
        return code_headline(a, entry);
    return places_fill(a, _(text), false, value_of, &s, NULL);
}

/* Length of the first sentence of a text, its end and the blanks behind it included. */
static size_t sentence(const char *p)
{
    for (size_t i = 0; p[i]; i++) {
        if (memcmp(p + i, "\xe3\x80\x82", 3 < strlen(p + i) ? 3 : strlen(p + i)) == 0) /* ideographic full stop */
            return i + 3;
        if ((p[i] == '.' || p[i] == ';') && p[i + 1] == ' ')
            return i + 2;
    }
    return strlen(p);
}

const char *explain_why(struct arena *a, const struct explain_catalog *k, const struct explain_entry *entry, const struct explained *x)
{
    const struct source s = {.a = a, .x = x};
    const char *text = catalog_text(k, entry->why), *out = "";
    if (!text)
        return NULL;
    for (const char *p = _(text); *p;) {
        size_t n = sentence(p), unbound = 0;
        const char *one = places_fill(a, arena_strndup(a, p, n), false, value_of, &s, &unbound);
        if (!unbound)
            out = arena_printf(a, "%s%s", out, one);
        p += n;
    }
    return *out ? out : NULL;
}

const char *explain_confirm(struct arena *a, const struct explain_catalog *k, const struct explain_entry *entry, const struct explained *x)
{
    const struct source s = {.a = a, .x = x, .shell = true};
    size_t unbound = 0;
    const char *out = places_fill(a, catalog_text(k, entry->confirm), true, value_of, &s, &unbound);
    return x && unbound ? NULL : out;
}

static size_t fill_steps(struct arena *a, const struct explain_catalog *k, const struct explain_entry *entry, const struct explained *x, bool variants, struct explain_fix *out)
{
    const struct source words = {.a = a, .x = x}, shell = {.a = a, .x = x, .shell = true};
    size_t n = 0;
    for (size_t i = 0; i < entry->n_steps; i++) {
        const struct explain_step *s = &k->steps[entry->first_step + i];
        size_t u1 = 0, u2 = 0;
        const char *note = catalog_text(k, s->note);
        if (x && variants != !!(s->when & (FIX_A | FIX_B | FIX_C)))
            continue;
        struct explain_fix f = {.step = s, .command = places_fill(a, catalog_text(k, s->command), true, value_of, &shell, &u1),
                                .note = places_fill(a, note ? _(note) : NULL, false, value_of, &words, &u2)};
        if (!x || u1 + u2 == 0)
            out[n++] = f;
    }
    return n;
}

size_t explain_steps(struct arena *a, const struct explain_catalog *k, const struct explain_entry *entry, const struct explained *x, const struct explain_fix **ret)
{
    struct explain_fix *out = arena_array(a, entry->n_steps + 1, sizeof *out);
    size_t n = fill_steps(a, k, entry, x, false, out);
    if (n == 0 && x)
        n = fill_steps(a, k, entry, x, true, out);
    *ret = out;
    return n;
}
