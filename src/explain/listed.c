/* SPDX-License-Identifier: Apache-2.0 */
/* listed - a small set in the order in which it was filled. */
#include "explain/listed.h"
#include <string.h>

static bool has(const struct listed *l, struct str value)
{
    for (size_t i = 0; i < l->n; i++)
        if (strlen(l->values[i]) == value.n && memcmp(l->values[i], value.p, value.n) == 0)
            return true;
    return false;
}

bool listed_wants(struct listed *l, const char *group, struct str value)
{
    if (!str_eq(group, "soname") || value.n == 0 || has(l, value))
        return false;
    l->more |= l->n == LISTED_MAX;
    return l->n < LISTED_MAX;
}

void listed_add(struct arena *a, struct listed *l, const char *group, const char *value)
{
    if (l->n == LISTED_MAX)
        return;
    l->name = arena_strdup(a, group);
    l->values[l->n++] = value;
}

void listed_merge(struct arena *a, struct listed *to, const struct listed *from)
{
    to->more |= from->more;
    for (size_t i = 0; i < from->n; i++)
        if (listed_wants(to, from->name, (struct str){from->values[i], strlen(from->values[i])}))
            listed_add(a, to, from->name, from->values[i]);
}

const char *listed_join(struct arena *a, const struct listed *l)
{
    const char *out = "";
    for (size_t i = 0; i < l->n; i++)
        out = arena_printf(a, "%s%s%s", out, i ? ", " : "", l->values[i]);
    return l->more ? arena_printf(a, "%s, …", out) : out;
}
