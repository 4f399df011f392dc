/* SPDX-License-Identifier: Apache-2.0 */
/* text - fills the {key} places of a cause's texts and picks the fix steps that apply. */
#include <string.h>
#include "base/places.h"
#include "rules/judge.h"

static const char *value_of(const void *ctx, const char *key, size_t n)
{
    const struct finding *f = ctx;
    for (size_t i = 0; i < f->n_bindings; i++)
        if (strncmp(f->bindings[i].key, key, n) == 0 && f->bindings[i].key[n] == '\0')
            return f->bindings[i].value;
    return n == 7 && memcmp(key, "subject", n) == 0 ? f->subject : NULL;
}

const char *finding_text(struct arena *a, const struct finding *f, const char *text)
{
    return places_fill(a, text, false, value_of, f, NULL);
}

const char *finding_command(struct arena *a, const struct finding *f, const char *command)
{
    return places_fill(a, command, true, value_of, f, NULL);
}

bool fix_applies(const struct fix_step *step, unsigned tags)
{
    unsigned want = step->when & ~(unsigned)FIX_ALWAYS;
    return (want & tags) == want;
}
