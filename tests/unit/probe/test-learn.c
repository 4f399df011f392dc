/* SPDX-License-Identifier: Apache-2.0 */
/* learn: names of shared objects, patterns of the distributions that are known, a row of a distribution in memory. */
#include "probe/learn.h"
#include <errno.h>
#include "../tap.h"
#include "knowledge/tf_loader.h"
#include "knowledge/wheel_kinds.h"

struct entry { const char *path, *text; };
static const struct entry files[] = {
    {"torch/version.py", "__version__ = '2.9'\ncuda : Optional[str] = \"12.8\" \n"},
    {"torch-2.9.dist-info/METADATA", "Name: Torch\nVersion: 2.9\nRequires-Dist: numpy\n\n"},
    {"torch/lib/script.so", "INPUT(-lx)\n"},
};
static struct memsrc mem;

static int open_entry(void *ctx, const char *path, struct open_file *ret, struct err *e)
{
    (void)ctx;
    for (size_t i = 0; i < TG_COUNT(files); i++)
        if (strcmp(files[i].path, path) == 0) {
            mem = (struct memsrc){(const unsigned char *)files[i].text, strlen(files[i].text)};
            *ret = (struct open_file){.src = bytesrc_mem(&mem)};
            return 0;
        }
    return err_set(e, -ENOENT, "%s: not there", path);
}

int main(void)
{
    static const char *const objects[] = {"a/b.so", "libx.so.1", "libx.so.1.2.3", "x.cpython-311-x86_64-linux-gnu.so", "a.so.b/c.so"};
    static const char *const others[] = {".so", "a/.so", "x.so.txt", "x.sox", "x.some.py", "x.py", "x.so.1a", "a.so/b.py", ""};
    for (size_t i = 0; i < TG_COUNT(objects); i++)
        ok(learn_is_object(objects[i]), "%s is a shared object", objects[i]);
    for (size_t i = 0; i < TG_COUNT(others); i++)
        ok(!learn_is_object(others[i]), "'%s' is none", others[i]);
    ok(wheel_kind_match("a*c", "abc") && wheel_kind_match("a*c", "ac") && !wheel_kind_match("a*a", "a") && !wheel_kind_match("a*c", "abd"), "patterns with one star");
    ok(wheel_kind_find("nvidia-cublas-cu12")->kind == FACT_WHEEL_KIND_NVIDIA && wheel_kind_find("jax-cuda12-plugin")->kind == FACT_WHEEL_KIND_JAX, "distributions by a beginning");
    ok(wheel_kind_find("torch") && !wheel_kind_find("torchvision") && !wheel_kind_find("nvidia"), "and by the whole name");
    const char *list[] = {"torch/lib/script.so"};
    struct files f = {.open = open_entry};
    struct learn_in in = {.files = &f, .info = "torch-2.9.dist-info", .objects = list, .n_objects = 1};
    struct fact_wheel w;
    struct err e = {0};
    struct arena a;
    arena_init(&a, 0);
    ok(learn_distribution(&in, &a, &w, &e) == 0, "a distribution without any ELF file: %s", e.msg);
    ok_str(w.name, "torch", "its name is normalised");
    ok_str(w.cuda, "12.8", "CUDA version from version.py");
    ok(w.elf_files == 0 && w.n_libraries == 0 && w.n_requires == 1 && !w.has_bytes && !w.sha256, "a linker script is no library");
    in.info = "other.dist-info";
    ok(learn_distribution(&in, &a, &w, &e) == -ENOENT, "no METADATA: %s", e.msg);
    in.info = "torch-2.9.dist-info";
    list[0] = "torch/lib/gone.so";
    ok(learn_distribution(&in, &a, &w, &e) == -ENOENT && strstr(e.msg, "gone.so"), "a listed library that is not there is named: %s", e.msg);
    const struct tf_learned *row = tf_learned_find("mIR8bwRIMIFZ9tP_VeE6npKXhZjH-7NM3mOq3zXG_oQ");
    ok(row && row->n == 14 && tf_learned_needs(row)[0].mandatory, "a shipped row by the hash of its library");
    ok(!tf_learned_find("mIR8bwRIMIFZ9tP_VeE6npKXhZjH-7NM3mOq3zXG_oq"), "another hash");
    arena_done(&a);
    return tap_done();
}
