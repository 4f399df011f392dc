/* SPDX-License-Identifier: Apache-2.0 */
/* A site's cause: from the bytes of its file to an answer. Mistakes are one clean line on a line of the file; what is good goes into the
 * catalogue, whose rows all lie in it, and is tried; an expression has literals that each of its samples that match contains. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/util.h"
#include "explain/required.h"
#include "explain/site.h"
#include "formats/ydoc.h"

static void check_mistakes(const struct site_mistakes *m, size_t lines)
{
    for (size_t i = 0; i < m->n; i++) {
        if (m->of[i].line < 1 || m->of[i].line > lines + 1 || !*m->of[i].what)
            abort();
        for (const char *s = m->of[i].what; *s; s++)
            if (*s == '\r')
                abort();
    }
}

static void check_catalog(struct arena *a, const struct site_cause *c)
{
    struct explain_catalog k;
    if (catalog_add(a, c, 1, false, &k) != 1)
        return;
    const struct explain_entry *e = catalog_find(&k, c->id);
    size_t n = 0;
    if (!e || (!c->extends && !str_eq(catalog_origin(&k, e), c->file)))
        abort();
    for (size_t i = 0; i < k.n_patterns; i++) {
        const struct explain_pattern *p = &k.patterns[i];
        if (p->entry >= k.n_entries || p->re >= k.n_regexes || p->also >= (int)k.n_regexes || p->unless >= (int)k.n_regexes || (i && p->entry < p[-1].entry))
            abort();
        n += &k.entries[p->entry] == e;
    }
    if (n < c->n_patterns)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    size_t lines = 1;
    arena_init(&a, 0);
    char *text = arena_strndup(&a, (const char *)data, size);
    struct site_mistakes m = {.a = &a}, tried = {.a = &a};
    struct site_cause c = {0};
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n' || text[i] == '\r' || (unsigned char)text[i] >= 0x80; /* NEL and the separators of Unicode end lines of YAML too */
    bool good = site_read(&a, "/x/site-cause.yaml", text, size, &c, &m);
    check_mistakes(&m, lines);
    if (good != (m.n == 0))
        abort();
    if (size < 4096) {
        site_try(&c, "portable", &tried);
        check_mistakes(&tried, lines);
    }
    if (good)
        check_catalog(&a, &c);
    const char *const *literals;
    size_t n = 0;
    struct err e = {0};
    if (required_literals(&a, text, REQUIRED_LEAST_MORE, &literals, &n, &e) == 0)
        for (size_t i = 0; i < n; i++)
            if (strlen(literals[i]) < REQUIRED_LEAST_MORE || strlen(literals[i]) > 255)
                abort();
    arena_done(&a);
    return 0;
}
