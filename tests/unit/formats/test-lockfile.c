/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"
#include <errno.h>
#include <stdlib.h>
#include "base/util.h"
#include "formats/jdoc.h"
#include "formats/lockexport.h"
#include "formats/lockfile.h"
#include "solve/floor.h"

static struct arena a;
#define H1 "286e71c82c1a38e75bbcf185f9b37d0305ad7786535107cb49bf4df9ff2e1f95"
#define H2 "721200f2f0e9960f2ca9dc3a2a706b201f5f75d812c158f059cbbe29eeafbdb8"
#define HEAD "{\n\"schema\": \"tfgpu.lock/1\",\n\"python\": \"3.11.2\",\n\"engine\": {\"name\": \"uv\", \"version\": null},\n"
#define FLOOR "\"floor\": {\"machine\": \"x86_64\", \"glibc\": \"2.17\", \"cpu\": [\"avx\"], \"cuda\": \"12.5.1\", \"driver_linux\": \"525.60.13\", " \
    "\"driver_windows\": null, \"sass\": [60, 80], \"sass_exact\": [], \"ptx\": [90], \"ptx_isa\": \"8.3\"},\n"
#define REPAIRS "\"repairs\": [{\"path\": \"lib/a/libx.so\", \"target\": \"../b/libx.so\"}],\n"
#define PACKAGE(name, version, sha) "{\"name\": \"" name "\", \"version\": \"" version "\", \"sha256\": [" sha "]}"
#define ONE PACKAGE("numpy", "2.1.0", "\"" H2 "\", \"" H1 "\"")
#define LOCK(packages) HEAD FLOOR REPAIRS "\"packages\": [\n" packages "\n]\n}\n"

static int read_it(const char *text, struct lockfile *l, struct err *e)
{
    *e = (struct err){0};
    return lockfile_read(text, strlen(text), &a, l, e);
}

static void test_good(void)
{
    struct lockfile l;
    struct err e;
    struct buf out, twice;
    ok(read_it(LOCK(ONE ",\n" PACKAGE("six", "1!2.0.post1+cu124", "\"" H1 "\"")), &l, &e) == 0, "it is read");
    ok(l.n_packages == 2 && l.n_repairs == 1 && l.floor.n_sass == 2 && !l.engine_version && !l.floor.driver_windows, "all of it");
    ok_str(l.packages[0].sha256[0], H1, "checksums are sorted");
    ok(lockfile_find(&l, "six") == &l.packages[1] && !lockfile_find(&l, "seven"), "a package is found by its name");
    buf_init(&out, 0);
    buf_init(&twice, 0);
    lockfile_write(&l, &out);
    ok(read_it(out.p, &l, &e) == 0, "what is written is read");
    lockfile_write(&l, &twice);
    ok_str(twice.p, out.p, "and written the same");
    buf_reset(&out);
    lockfile_requirements(&l, &out);
    ok_str(out.p, "numpy==2.1.0 \\\n    --hash=sha256:" H1 " \\\n    --hash=sha256:" H2 "\nsix==1!2.0.post1+cu124 \\\n    --hash=sha256:" H1 "\n", "as requirements");
    buf_done(&out);
    buf_done(&twice);
}

static void test_refused(void)
{
    static const struct { const char *text, *says, *name; } cases[] = {
        {"", "line 1: the file ends too early", "empty"},
        {"numpy==2.1.0\n", "not a lock", "a requirements file"},
        {"{\n\"schema\" \"tfgpu.lock/1\"}", "line 2: this is not JSON", "not JSON"},
        {"{\"schema\": \"tfgpu.facts/1\"}", "not a lock", "another file of ours"},
        {"{\"schema\": \"tfgpu.lock/2\"}", "another format", "a later format"},
        {HEAD, "line 4: the file ends too early", "cut"},
        {HEAD "\"python\": \"3.12\"}", "line 5: the same key twice", "a key twice"},
        {LOCK(PACKAGE("-r", "1", "\"" H1 "\"")), "line 8: \"name\" may not be", "a name that is an option"},
        {LOCK(PACKAGE("Numpy", "1", "\"" H1 "\"")), "line 8: \"name\" may not be", "a name that is not normal"},
        {LOCK(PACKAGE("num py", "1", "\"" H1 "\"")), "line 8: \"name\" may not be", "a name with a blank"},
        {LOCK(PACKAGE("numpy", "1 --pre", "\"" H1 "\"")), "line 8: \"version\" may not be", "a version with an option behind it"},
        {LOCK(PACKAGE("numpy", "1;python_version<'3'", "\"" H1 "\"")), "line 8: \"version\" may not be", "a version with a marker"},
        {LOCK(PACKAGE("numpy", "-1", "\"" H1 "\"")), "line 8: \"version\" may not be", "a version that is an option"},
        {LOCK(PACKAGE("numpy", "https://x/y.whl", "\"" H1 "\"")), "line 8: \"version\" may not be", "a version that is a URL"},
        {LOCK(PACKAGE("numpy", "1.0\\nevil", "\"" H1 "\"")), "line 8: a control character", "a version of two lines"},
        {LOCK(PACKAGE("numpy", "*", "\"" H1 "\"")), "line 8: \"version\" may not be", "a version that is any"},
        {LOCK(PACKAGE("numpy", "1", "\"286e71\"")), "line 8: \"sha256\" may not be", "a short checksum"},
        {LOCK(PACKAGE("numpy", "1", "\"" "286E71C82c1a38e75bbcf185f9b37d0305ad7786535107cb49bf4df9ff2e1f95" "\"")), "line 8: \"sha256\" may not be", "a checksum in capitals"},
        {LOCK(PACKAGE("numpy", "1", "")), "line 8: numpy has no checksum", "no checksum"},
        {LOCK(PACKAGE("numpy", "1", "17")), "line 8: \"sha256\" may not be", "a checksum that is a number"},
        {LOCK(ONE ",\n" ONE), "line 9: numpy stands behind numpy", "a package twice"},
        {LOCK(PACKAGE("six", "1", "\"" H1 "\"") ",\n" ONE), "line 9: numpy stands behind six", "not sorted"},
        {LOCK(""), "there are no packages", "no packages"},
        {HEAD FLOOR "\"repairs\": [{\"path\": \"../x\", \"target\": \"y\"}], \"packages\": [" ONE "]}", "line 6: \"path\" may not be", "a link outside"},
        {HEAD FLOOR "\"repairs\": [{\"path\": \"/x\", \"target\": \"y\"}], \"packages\": [" ONE "]}", "line 6: \"path\" may not be", "an absolute link"},
        {HEAD FLOOR "\"repairs\": [{\"path\": \"a/x\", \"target\": \"/etc/passwd\"}], \"packages\": [" ONE "]}", "line 6: \"target\" may not be", "a link to a place outside"},
        {HEAD FLOOR "\"repairs\": [{\"path\": \"a/x\", \"target\": \"../../y\"}], \"packages\": [" ONE "]}", "line 6: a link that leaves", "a link that climbs out"},
        {HEAD FLOOR "\"repairs\": [{\"path\": \"a/x\", \"target\": \"b/../../../y\"}], \"packages\": [" ONE "]}", "line 6: \"target\" may not be", "a link that climbs out later"},
        {HEAD FLOOR "\"repairs\": [{\"path\": \"a/b/c\", \"target\": \"../../lib\"}, {\"path\": \"a/b/c/d\", \"target\": \"../../../x\"}], \"packages\": [" ONE "]}", "line 6: a/b/c and a/b/c/d: two links", "a link through a link climbs out"},
        {HEAD FLOOR "\"repairs\": [{\"path\": \"a/b/c\", \"target\": \"x\"}, {\"path\": \"a/b\", \"target\": \"../x\"}], \"packages\": [" ONE "]}", "line 6: a/b/c and a/b: two links", "in any order"},
        {HEAD FLOOR "\"repairs\": [{\"path\": \"a/x\", \"target\": \"y\"}, {\"path\": \"a/x\", \"target\": \"z\"}], \"packages\": [" ONE "]}", "line 6: a/x and a/x: two links", "the same link twice"},
        {HEAD FLOOR "\"packages\": [" ONE "]}", "\"repairs\" is missing", "a part is missing"},
        {"{\"schema\": \"tfgpu.lock/1\", \"python\": \"3.11; rm\"}", "line 1: \"python\" may not be", "a Python that is none"},
        {"{\"schema\": \"tfgpu.lock/1\", \"python\": 3.11}", "line 1: \"python\" may not be", "a Python that is a number"},
        {"{\"schema\": \"tfgpu.lock/1\", \"python\": \"3.11\", \"engine\": {\"name\": \"/bin/sh\", \"version\": null}}", "line 1: \"name\" may not be", "an engine that is none"},
    };
    for (size_t i = 0; i < TG_COUNT(cases); i++) {
        struct lockfile l;
        struct err e;
        int r = read_it(cases[i].text, &l, &e);
        if (!ok(r < 0 && strstr(e.msg, cases[i].says), "%s", cases[i].name))
            printf("# %d: %s\n", r, e.msg);
    }
}

static void test_jdoc_limits(void)
{
    struct ydoc d;
    struct err e = {0};
    uint32_t line;
    char deep[64] = {0};
    memset(deep, '[', 40);
    ok(jdoc_parse(deep, 40, &a, &d, &line, &e) == -E2BIG, "too deep");
    static const char text[] = "{\"a\": [1, true, \"\\u00e4\"]}";
    ok(jdoc_parse(text, strlen(text), &a, &d, &line, &e) == 0 && ydoc_get(&d, "a")->n == 3 && ydoc_get(&d, "a")->of[1].plain && !ydoc_get(&d, "a")->of[2].plain, "a document");
    char *many = malloc(JDOC_MAX_NODES * 2 + 4);
    size_t n = 0;
    many[n++] = '[';
    for (size_t i = 0; i <= JDOC_MAX_NODES; i++) {
        many[n++] = '1';
        many[n++] = ',';
    }
    many[n - 1] = ']';
    ok(jdoc_parse(many, n, &a, &d, &line, &e) == -E2BIG, "too many");
    free(many);
}

static const char *exported(const struct lockfile *l, void (*as)(const struct lockfile *, struct buf *))
{
    struct buf b;
    buf_init(&b, 0);
    as(l, &b);
    const char *text = arena_strndup(&a, b.p, b.len);
    buf_done(&b);
    return text;
}

static void test_export(void)
{
    struct lockfile l;
    struct err e;
    ok(read_it(LOCK(ONE), &l, &e) == 0, "a lock");
    ok(strstr(exported(&l, lockexport_dockerfile), "FROM python:3.11-slim\n") && strstr(exported(&l, lockexport_dockerfile), "NVIDIA_VISIBLE_DEVICES=all"), "Dockerfile: Python, GPU");
    ok(strstr(exported(&l, lockexport_dockerfile), "RUN [\"ln\", \"-s\", \"../b/libx.so\", \"/opt/tfgpu/env/lib/a/libx.so\"]\n"), "Dockerfile: links");
    ok(strstr(exported(&l, lockexport_compose), "driver: nvidia"), "Compose: GPUs are reserved");
    ok(strstr(exported(&l, lockexport_devcontainer), "--gpus=all"), "devcontainer: GPUs");
    ok(strstr(exported(&l, lockexport_first_boot), "\nneed=525.60.13\n") && strstr(exported(&l, lockexport_first_boot), "ln -sfn ../b/libx.so /opt/tfgpu/env/lib/a/libx.so\n"), "first boot: driver, links");
    ok(strstr(exported(&l, lockexport_environment), "      - \"numpy==2.1.0 --hash=sha256:" H1 " --hash=sha256:" H2 "\"\n"), "environment.yml: checksums");
    l.floor.cuda = l.floor.driver_linux = NULL;
    ok(!strstr(exported(&l, lockexport_dockerfile), "NVIDIA") && !strstr(exported(&l, lockexport_compose), "nvidia") && !strstr(exported(&l, lockexport_devcontainer), "gpu\"") &&
       !strstr(exported(&l, lockexport_first_boot), "nvidia"), "for the CPU nothing of GPUs is in them");
}

/* reasons, as ids */
static const char *unmet(const struct lock_floor *f, const struct solve_ask *ask, size_t *notes)
{
    struct solve_reason *why;
    const char **n, *out = "";
    size_t n_why;
    floor_unmet(&a, f, ask, &why, &n_why, &n, notes);
    for (size_t i = 0; i < n_why; i++)
        out = arena_printf(&a, "%s%s%s", out, i ? " " : "", solve_part_id(why[i].part));
    return out;
}

static void test_floor(void)
{
    static const char *const cpu[] = {"sse2", "avx"}, *const old_cpu[] = {"sse2"};
    struct solve_gpu gpu = {"GPU", 80};
    struct solve_ask ask = {.machine = "x86_64", .glibc = "2.36", .driver = "535.104", .gpus = &gpu, .n_gpus = 1, .cpu = cpu, .n_cpu = 2};
    struct lockfile l;
    struct err e;
    size_t notes;
    ok(read_it(LOCK(ONE), &l, &e) == 0, "a lock");
    ok_str(unmet(&l.floor, &ask, &notes), "", "a machine that fits");
    ok(notes == 0, "all is known");
    ask.glibc = "2.16";
    ok_str(unmet(&l.floor, &ask, &notes), "glibc", "glibc too old");
    ask.glibc = "2.17";
    ask.driver = "525.60.12";
    ok_str(unmet(&l.floor, &ask, &notes), "driver", "driver too old");
    ask.driver = "525.60.13";
    ok_str(unmet(&l.floor, &ask, &notes), "", "the very driver");
    gpu.cc = 52;
    ok_str(unmet(&l.floor, &ask, &notes), "gpu", "a GPU without code");
    gpu.cc = 120;
    ask.driver = "580.65";
    ok_str(unmet(&l.floor, &ask, &notes), "", "a GPU that the driver compiles for");
    ask.driver = "550.54";
    ok_str(unmet(&l.floor, &ask, &notes), "driver", "a driver that does not know the GPU");
    gpu.cc = 86;
    ask.cpu = old_cpu;
    ask.n_cpu = 1;
    ok_str(unmet(&l.floor, &ask, &notes), "cpu", "a processor without AVX");
    ask = (struct solve_ask){.machine = "aarch64"};
    ok_str(unmet(&l.floor, &ask, &notes), "machine", "another machine");
    ok(notes == 3, "what is not known is told, and held against nothing");
    l.floor.cuda = NULL;
    ask = (struct solve_ask){.machine = "x86_64", .gpus = &gpu, .n_gpus = 1, .driver = "390.1", .glibc = "2.17", .cpu = cpu, .n_cpu = 2};
    ok_str(unmet(&l.floor, &ask, &notes), "", "a TensorFlow for the CPU asks for no driver");
}

int main(void)
{
    arena_init(&a, 0);
    test_good();
    test_refused();
    test_jdoc_limits();
    test_export();
    test_floor();
    arena_done(&a);
    return tap_done();
}
