/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"
#include "base/arena.h"
#include "formats/distname.h"

static struct arena a;

static const char *dist(const char *entry)
{
    struct distname d;
    if (distname_parse(entry, &d) == DIST_NONE)
        return "none";
    return arena_printf(&a, "%s %.*s %.*s%s", d.form == DIST_INFO ? "info" : "egg", (int)d.name.n, d.name.p, (int)d.version.n,
                        d.version.n ? d.version.p : "", d.unsure ? " unsure" : "");
}

static const char *conda(const char *entry)
{
    struct condaname c;
    if (!condaname_parse(entry, &c))
        return "none";
    return arena_printf(&a, "%.*s %.*s %.*s", (int)c.name.n, c.name.p, (int)c.version.n, c.version.p, (int)c.build.n, c.build.p);
}

int main(void)
{
    arena_init(&a, 0);
    ok_str(dist("numpy-1.26.4.dist-info"), "info numpy 1.26.4", "dist-info");
    ok_str(dist("nvidia_cudnn_cu12-9.1.0.70.dist-info"), "info nvidia_cudnn_cu12 9.1.0.70", "underscores stay");
    ok_str(dist("PyYAML-6.0-py3.11.egg-info"), "egg PyYAML 6.0", "egg-info with a Python tag");
    ok_str(dist("six-1.16.0.egg-info"), "egg six 1.16.0", "egg-info without a tag");
    ok_str(dist("cryptography.egg-info"), "egg cryptography  unsure", "no version in the name: the file decides");
    ok_str(dist("foo-bar-1.0.dist-info"), "info foo bar unsure", "a name that was not escaped");
    ok_str(dist("x-1.0-beta.dist-info"), "info x 1.0 unsure", "a version that was not escaped");
    ok_str(dist("tf_nightly-2.23.0.dev20261026.dist-info"), "info tf_nightly 2.23.0.dev20261026", "development version");
    ok_str(dist("~umpy-1.26.4.dist-info"), "none", "left over from an uninstall that was cut short");
    ok_str(dist("X-1.DIST-INFO"), "info X 1", "the ending in any case, as importlib.metadata reads it");
    ok_str(dist(".dist-info"), "none", "no name at all");
    ok_str(dist("numpy"), "none", "a package is no distribution");
    ok_str(conda("libcublas-12.4.5.8-0.json"), "libcublas 12.4.5.8 0", "conda-meta");
    ok_str(conda("python-3.11.7-h955ad1f_0_cpython.json"), "python 3.11.7 h955ad1f_0_cpython", "conda-meta, build with underscores");
    ok_str(conda("cuda-cudart_linux-64-12.4.127-0.json"), "cuda-cudart_linux-64 12.4.127 0", "the name may hold hyphens");
    ok_str(conda("history"), "none", "not a package");
    ok_str(conda("a-1.json"), "none", "no build");
    ok_str(conda("-1-0.json"), "none", "no name");
    arena_done(&a);
    return tap_done();
}
