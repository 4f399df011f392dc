/* SPDX-License-Identifier: Apache-2.0 */
/* Modules from unexpected places: the working folder, small and too large to be listed, and kinds of entries. */
#include "probe/shadows.h"
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "probe/syspath.h"
#include "tap.h"

static char top[64];

static void put(const char *path)
{
    char full[512];
    snprintf(full, sizeof full, "%s%s", top, path);
    for (char *s = full + strlen(top) + 1; (s = strchr(s, '/')); s++) {
        *s = 0;
        mkdir(full, 0700);
        *s = '/';
    }
    FILE *f = fopen(full, "w");
    if (f)
        fclose(f);
}

static const struct fact_shadow *find(const struct facts *f, const char *module)
{
    for (size_t i = 0; i < f->tensorflow.n_shadows; i++)
        if (str_eq(f->tensorflow.shadows[i].module, module))
            return &f->tensorflow.shadows[i];
    return NULL;
}

static void look(struct probe *p, const char *cwd)
{
    static struct sysdir dirs[3];
    static struct syspath sys;
    dirs[0] = (struct sysdir){.dir = cwd, .origin = "script-dir", .exists = true, .is_dir = true};
    dirs[1] = (struct sysdir){.dir = "/lib", .origin = "stdlib", .exists = true, .is_dir = true};
    dirs[2] = (struct sysdir){.dir = "/sp", .origin = "site", .exists = true, .is_dir = true};
    sys = (struct syspath){.dirs = dirs, .n_dirs = 3};
    p->sys = &sys;
    p->f->tensorflow = (struct fact_tensorflow){.package_dir = "/sp/tensorflow"};
    shadows_find(p);
}

int main(void)
{
    struct arena a;
    struct root *r;
    struct err e = {0};
    snprintf(top, sizeof top, "/tmp/tfgpu-test-XXXXXX");
    if (!mkdtemp(top))
        return 1;
    static const char *const files[] = {
        "/lib/random.py", "/sp/tensorflow/__init__.py", "/sp/numpy/__init__.py", "/w/random.py", "/w/numpy/readme", "/w/tensorflow/__init__.py",
        "/w/types.txt", "/w/enum.cpython-311-x86_64-linux-gnu.so", "/w/absl.py/x", "/big/random.py", "/big/numpy/__init__.py",
    };
    for (size_t i = 0; i < TG_COUNT(files); i++)
        put(files[i]);
    for (int i = 0; i < 1500; i++) {
        char path[64];
        snprintf(path, sizeof path, "/big/file-%d", i);
        put(path);
    }
    arena_init(&a, 0);
    if (!ok(!root_open_tree(&a, top, &r, &e), "tree %s", e.msg))
        return tap_done();
    struct fact_package packages[] = {{.name = "numpy", .dir = "/sp"}, {.name = "absl-py", .dir = "/sp"}};
    struct facts f = {.packages = packages, .n_packages = 2, .python = {.stdlib = "/lib"}};
    struct probe p = {.root = r, .a = &a, .f = &f};
    look(&p, "/w");
    const struct fact_shadow *s = find(&f, "random");
    ok(s && str_eq(s->path, "/w/random.py") && str_eq(s->expected, "/lib") && str_eq(s->origin, "script-dir"), "a file of a standard module's name");
    ok(find(&f, "tensorflow") != NULL, "a package of TensorFlow's name");
    ok(find(&f, "enum") != NULL, "an extension module");
    ok(!find(&f, "numpy"), "a folder without __init__.py hides nothing");
    ok(!find(&f, "types") && !find(&f, "absl"), "a text file and a folder named like a file are no modules");
    ok(f.tensorflow.n_shadows == 3, "nothing else");
    look(&p, "/big");
    ok(find(&f, "random") && find(&f, "numpy") && f.tensorflow.n_shadows == 2, "a folder too large to list is asked for each name");
    look(&p, "/sp");
    ok(f.tensorflow.n_shadows == 0, "the working folder is the right place itself");
    root_close(r);
    arena_done(&a);
    char cmd[128];
    snprintf(cmd, sizeof cmd, "rm -rf '%s'", top);
    return tap_done() | (system(cmd) != 0);
}
