/* SPDX-License-Identifier: Apache-2.0 */
/* condafiles - what conda needs to make an environment again. Source: conda, "Managing environments"; rattler_conda_types, explicit_environment_spec.rs. */
#include "act/condafiles.h"
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "base/i18n.h"
#include "base/util.h"

enum { RECORDS_MAX = 5000, RECORD_MAX = 16 << 20 };

/* A double-quoted scalar of YAML 1.2; control characters cannot be in a plan's words. */
static void item(struct buf *out, const char *indent, const char *text)
{
    buf_addf(out, "%s- \"", indent);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            buf_addc(out, '\\');
        buf_addc(out, *text);
    }
    buf_adds(out, "\"\n");
}

void condafiles_environment(const char *const *specs, size_t n_specs, const char *const *pins, size_t n_pins, struct buf *out)
{
    buf_adds(out, "channels:\n  - conda-forge\n  - nodefaults\ndependencies:\n");
    for (size_t i = 0; i < n_specs; i++)
        item(out, "  ", specs[i]);
    if (n_pins)
        buf_adds(out, "  - pip:\n");
    for (size_t i = 0; i < n_pins; i++)
        item(out, "      ", pins[i]);
}

static bool is_address(const char *url)
{
    bool good = str_starts(url, "https://") || str_starts(url, "http://") || str_starts(url, "file://");
    for (; good && *url; url++)
        good = (unsigned char)*url > ' ' && *url != '#' && *url != 0x7f;
    return good;
}

static bool is_hex(const char *s, size_t n)
{
    return s && strlen(s) == n && strspn(s, "0123456789abcdef") == n;
}

static int add_record(struct arena *a, struct root *root, const char *path, struct buf *out, struct err *e)
{
    enum { MD5_HEX = 32, SHA256_HEX = 64 };
    const char *text;
    size_t len;
    int r = root_read(root, path, RECORD_MAX, a, &text, &len);
    if (r < 0)
        return err_set(e, r, "%s: %s", path, strerror(-r));
    json_t *j = json_loadb(text, len, 0, NULL);
    const char *url = json_string_value(json_object_get(j, "url")), *md5 = json_string_value(json_object_get(j, "md5")), *sha256 = json_string_value(json_object_get(j, "sha256"));
    if (!is_address(url))
        r = err_set(e, -EBADMSG, _("%s is no record of an installed package: it has no address"), path);
    else if (is_hex(md5, MD5_HEX))
        buf_addf(out, "%s#%s\n", url, md5);
    else if (is_hex(sha256, SHA256_HEX))
        buf_addf(out, "%s#sha256:%s\n", url, sha256);
    else
        r = err_set(e, -EBADMSG, _("%s is no record of an installed package: it has no checksum"), path);
    json_decref(j);
    return r;
}

static int by_name(const void *x, const void *y)
{
    return strcmp(((const struct root_dirent *)x)->name, ((const struct root_dirent *)y)->name);
}

int condafiles_explicit(struct arena *a, struct root *root, const char *dir, struct buf *out, struct err *e)
{
    const char *meta = path_join(a, dir, "conda-meta");
    struct root_dirent *ents;
    size_t n;
    int r = root_readdir(root, meta, RECORDS_MAX, a, &ents, &n);
    if (r < 0)
        return err_set(e, r, "%s: %s", meta, strerror(-r));
    qsort(ents, n, sizeof *ents, by_name);
    buf_adds(out, "@EXPLICIT\n");
    for (size_t i = 0; r == 0 && i < n; i++)
        if (str_ends(ents[i].name, ".json"))
            r = add_record(a, root, path_join(a, meta, ents[i].name), out, e);
    return r;
}
