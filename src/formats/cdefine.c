/* SPDX-License-Identifier: Apache-2.0 */
/* cdefine - "#define NAME 123" in a C header. */
#include "formats/cdefine.h"
#include <string.h>
#include "base/util.h"

/* Next blank-separated word of the line; false at its end. */
static bool word(struct str *line, struct str *ret)
{
    *line = str_trim(*line);
    size_t n = 0;
    while (n < line->n && line->p[n] != ' ' && line->p[n] != '\t')
        n++;
    *ret = (struct str){line->p, n};
    line->p += n;
    line->n -= n;
    return n > 0;
}

static bool is(struct str s, const char *text)
{
    return s.n == strlen(text) && memcmp(s.p, text, s.n) == 0;
}

bool cdefine_number(const char *text, size_t len, const char *name, uint32_t *ret)
{
    struct str line, w;
    for (size_t pos = 0; str_line(text, len, &pos, &line);) {
        if (!word(&line, &w))
            continue;
        if (is(w, "#") ? !word(&line, &w) || !is(w, "define") : !is(w, "#define"))
            continue;
        uint64_t v;
        if (!word(&line, &w) || !is(w, name) || !word(&line, &w))
            continue;
        if (str_to_u64(w.p, w.n, 10, &v) < 0 || v > UINT32_MAX)
            return false;
        *ret = (uint32_t)v;
        return true;
    }
    return false;
}
