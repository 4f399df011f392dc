/* SPDX-License-Identifier: Apache-2.0 */
/* vendored - setuptools' own copies of other packages. Sources: setuptools/__init__.py (since 71), _distutils_hack/__init__.py. */
#include "probe/vendored.h"
#include <string.h>
#include "base/util.h"

enum { TEXT_MAX = 1 << 20, FIRST_WITHOUT_DISTUTILS = 12 };

static bool has_line(struct probe *p, const char *path, const char *const *begins)
{
    const char *text;
    size_t len, pos = 0;
    struct str line;
    if (root_read(p->root, path, TEXT_MAX, p->a, &text, &len) < 0)
        return false;
    while (str_line(text, len, &pos, &line))
        for (size_t i = 0; begins[i]; i++)
            if (line.n >= strlen(begins[i]) && memcmp(line.p, begins[i], strlen(begins[i])) == 0)
                return true;
    return false;
}

static bool exists(struct probe *p, const char *dir, const char *name)
{
    struct root_stat st;
    return root_stat(p->root, path_join(p->a, dir, name), &st) == 0;
}

/* SETUPTOOLS_USE_DISTUTILS=stdlib switches the hook off. */
static bool hooked(struct probe *p, const char *site)
{
    const char *use = root_getenv(p->root, "SETUPTOOLS_USE_DISTUTILS");
    return exists(p, site, "distutils-precedence.pth") && !str_eq(use, "stdlib");
}

const char *vendored_dir(struct probe *p)
{
    static const char *const imports[] = {"import distutils", "from distutils", NULL}, *const extends[] = {"sys.path.extend(", NULL};
    const struct fact_python *py = &p->f->python;
    const char *tf = p->f->tensorflow.package_dir;
    if (!tf || !has_line(p, path_join(p->a, tf, "__init__.py"), imports))
        return NULL;
    for (size_t i = 0; i < py->n_sys_path; i++) {
        const char *site = py->sys_path[i].dir;
        if (!site || !py->sys_path[i].exists || !exists(p, site, "setuptools/__init__.py"))
            continue;
        const char *dir = path_join(p->a, site, "setuptools/_vendor");
        bool loaded = hooked(p, site) || (py->major == 3 && py->minor >= FIRST_WITHOUT_DISTUTILS);
        return loaded && exists(p, site, "setuptools/_vendor") && has_line(p, path_join(p->a, site, "setuptools/__init__.py"), extends) ? dir : NULL;
    }
    return NULL;
}
