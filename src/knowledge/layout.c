/* SPDX-License-Identifier: Apache-2.0 */
/* layout - where CUDA libraries lie and which belong together. */
#include "knowledge/layout.h"
#include <string.h>
#include "base/buf.h"
#include "base/util.h"
#include "layout_gen.h"

const char *layout_cudnn_part(struct arena *a, unsigned major, unsigned i)
{
    for (size_t k = 0; k < TG_COUNT(cudnn_parts); k++)
        if (cudnn_parts[k].major == major && i-- == 0)
            return arena_printf(a, "libcudnn_%s.so.%u", cudnn_parts[k].name, major);
    return NULL;
}

static const char *value_of(const struct layout_vars *v, const char *name, size_t n)
{
    const struct { const char *name, *value; } vars[] = {{"site", v->site}, {"prefix", v->prefix}, {"cuda", v->cuda}, {"major", v->major}};
    for (size_t i = 0; i < TG_COUNT(vars); i++)
        if (strlen(vars[i].name) == n && memcmp(vars[i].name, name, n) == 0)
            return vars[i].value;
    return NULL;
}

const char *layout_dir(struct arena *a, enum layout_list list, const struct layout_vars *v, unsigned i)
{
    const char *const *rows = list == LAYOUT_TOOLKIT_DIRS ? toolkit_dirs : xla_roots;
    for (unsigned k = 0; k <= i; k++)
        if (!rows[k])
            return NULL;
    struct buf b;
    buf_init(&b, 8192);
    const char *p = rows[i], *ret = "";
    for (const char *open; (open = strchr(p, '{')); p = strchr(open, '}') + 1) {
        const char *value = value_of(v, open + 1, strcspn(open + 1, "}"));
        if (!value || !*value)
            goto out;
        buf_add(&b, p, (size_t)(open - p));
        buf_adds(&b, value);
    }
    buf_adds(&b, p);
    ret = arena_strndup(a, b.p, b.len);
out:
    buf_done(&b);
    return ret;
}

const char *const *layout_cudnn_headers(void)
{
    return cudnn_headers;
}

const char *const *layout_import_chain(void)
{
    return import_chain;
}
