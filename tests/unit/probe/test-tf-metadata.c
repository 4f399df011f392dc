/* SPDX-License-Identifier: Apache-2.0 */
/* Owner of tensorflow/, requirements, tags: on small trees in a temporary folder. */
#include "probe/probe.h"
#include "probe/tf_record.h"
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tap.h"

static char top[64];

static void put(const char *path, const char *text)
{
    char full[512];
    snprintf(full, sizeof full, "%s%s", top, path);
    for (char *s = full + strlen(top) + 1; (s = strchr(s, '/')); s++) {
        *s = 0;
        mkdir(full, 0700);
        *s = '/';
    }
    FILE *f = fopen(full, "w");
    if (f) {
        fputs(text, f);
        fclose(f);
    }
}

#define HASH "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

static void make_tree(void)
{
    put("/sp/tensorflow/__init__.py", "12345");
    put("/sp/tensorflow/libtensorflow_framework.so.2", "1234567890");
    put("/sp/tensorflow-2.9.1.dist-info/RECORD",
        "tensorflow/__init__.py,sha256=" HASH ",5\ntensorflow/include/x.h,sha256=" HASH ",1\ntensorflow/python/deep/er.py,sha256=" HASH ",1\n"
        "tensorflow/libtensorflow_framework.so.2,sha256=" HASH ",10\nother/x.so,sha256=" HASH ",1\n");
    put("/sp/tensorflow-2.9.1.dist-info/METADATA",
        "Name: tensorflow\nRequires-Python: >=3.9\nProvides-Extra: and-cuda\nProvides-Extra: gcs\nRequires-Dist: numpy>=1.26\nRequires-Dist: six\n"
        "Requires-Dist: absl-py; sys_platform == 'win32'\nRequires-Dist: wrapt>=1; python_version < '3.12'\nRequires-Dist: nvidia-a==1; extra == 'and-cuda'\n"
        "Requires-Dist: nvidia-b==1; extra == 'and-cuda'\nRequires-Dist: g; extra == 'gcs'\n\nbody");
    put("/sp/tensorflow-2.9.1.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: cp311-cp311-manylinux_2_27_x86_64\n");
    put("/sp/tensorflow_cpu-2.9.0.dist-info/RECORD", "tensorflow/__init__.py,sha256=" HASH ",5\ntensorflow/libtensorflow_framework.so.2,sha256=" HASH ",9\n");
    put("/sp/tensorflow_gpu-2.12.0.dist-info/RECORD", "tensorflow_gpu-2.12.0.dist-info/METADATA,sha256=" HASH ",1\n");
}

static struct fact_package packages[] = {
    {.name = "numpy", .version = "1.24.0", .dir = "/sp", .info = "/sp/numpy-1.24.0.dist-info"},
    {.name = "nvidia-b", .version = "1", .dir = "/sp", .info = "/sp/x"},
    {.name = "tensorflow-cpu", .version = "2.9.0", .dir = "/sp", .info = "/sp/tensorflow_cpu-2.9.0.dist-info"},
    {.name = "tensorflow", .version = "2.9.1", .dir = "/sp", .info = "/sp/tensorflow-2.9.1.dist-info"},
    {.name = "tensorflow-gpu", .version = "2.12.0", .dir = "/sp", .info = "/sp/tensorflow_gpu-2.12.0.dist-info"},
    {.name = "wrapt", .version = "1.14", .dir = "/sp", .info = "/sp/y"},
};

static const struct fact_requirement *req(const struct fact_tensorflow *t, const char *name)
{
    for (size_t i = 0; i < t->n_requirements; i++)
        if (str_eq(t->requirements[i].name, name))
            return &t->requirements[i];
    return NULL;
}

static void test_owner(struct probe *p)
{
    struct fact_tensorflow *t = &p->f->tensorflow;
    t->package_dir = "/sp/tensorflow";
    probe_tf_metadata(p);
    ok_str(t->dist, "tensorflow", "the owner is the one whose files are there");
    ok_str(t->version, "2.9.1", "its version");
    ok(t->n_other_dists == 1 && str_eq(t->other_dists[0], "tensorflow-cpu==2.9.0"), "the other one that lists the folder is named, the empty one is not");
    ok(p->record && p->record->n_files == 2 && !tf_record_find(p->record, "include/x.h"), "only shared objects and early Python files are kept");
    const struct tf_file *f = tf_record_find(p->record, "libtensorflow_framework.so.2");
    ok(f && f->has_size && f->size == 10 && str_eq(f->sha256, HASH), "size and hash of the framework library");
    ok_str(t->requires_python, ">=3.9", "requires-python");
    ok(t->n_wheel_tags == 1 && str_eq(t->wheel_tags[0], "cp311-cp311-manylinux_2_27_x86_64"), "tag");
}

static void test_requirements(const struct fact_tensorflow *t)
{
    const struct fact_requirement *n = req(t, "numpy"), *s = req(t, "six"), *w = req(t, "wrapt"), *a = req(t, "nvidia-a"), *b = req(t, "nvidia-b");
    ok(n && n->met == TRI_NO && str_eq(n->installed, "1.24.0"), "an old NumPy is not met");
    ok(s && s->met == TRI_NO && !s->installed, "a missing one is not met");
    ok(w && w->met == TRI_YES, "a marker that holds");
    ok(!req(t, "absl-py"), "a marker that does not hold leaves it out");
    ok(a && a->met == TRI_NO && str_eq(a->extra, "and-cuda") && b && b->met == TRI_YES && t->cuda_extra_in_use, "one package of the extra brings all of it in");
    ok(!req(t, "g"), "an extra that is not in use is left out");
}

int main(void)
{
    struct arena a;
    struct root *r;
    struct err e = {0};
    snprintf(top, sizeof top, "/tmp/tfgpu-test-XXXXXX");
    if (!mkdtemp(top))
        return 1;
    make_tree();
    arena_init(&a, 0);
    if (!ok(!root_open_tree(&a, top, &r, &e), "tree %s", e.msg))
        return tap_done();
    struct facts f = {.packages = packages, .n_packages = TG_COUNT(packages), .python = {.major = 3, .minor = 11, .version = "3.11.9"}};
    struct probe p = {.root = r, .a = &a, .f = &f};
    test_owner(&p);
    test_requirements(&f.tensorflow);
    f.tensorflow = (struct fact_tensorflow){0};
    probe_tf_metadata(&p);
    ok(f.tensorflow.dist != NULL && !f.tensorflow.package_dir, "without the folder the distribution is still named");
    root_close(r);
    arena_done(&a);
    char cmd[128];
    snprintf(cmd, sizeof cmd, "rm -rf '%s'", top);
    return tap_done() | (system(cmd) != 0);
}
