/* SPDX-License-Identifier: Apache-2.0 */
/* wheel_kinds - distributions by their name. */
#include "knowledge/wheel_kinds.h"
#include <string.h>
#include "base/util.h"
#include "wheel_kinds_gen.h"

bool wheel_kind_match(const char *pattern, const char *s)
{
    const char *star = strchr(pattern, '*');
    if (!star)
        return strcmp(pattern, s) == 0;
    size_t head = (size_t)(star - pattern), tail = strlen(star + 1), n = strlen(s);
    return n >= head + tail && memcmp(s, pattern, head) == 0 && memcmp(s + n - tail, star + 1, tail) == 0;
}

const struct wheel_kind *wheel_kind_find(const char *dist)
{
    for (size_t i = 0; i < TG_COUNT(wheel_kinds); i++)
        if (wheel_kind_match(wheel_kinds[i].dist, dist))
            return &wheel_kinds[i];
    return NULL;
}
