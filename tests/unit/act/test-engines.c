/* SPDX-License-Identifier: Apache-2.0 */
/* test-engines - what is typed for each engine, versions out of what they print, environment.yml and explicit files. What the programs print is
 * reconstructed from their documentation and sources; uv's alone was seen. */
#include "act/engines.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "act/condafiles.h"
#include "act/engine_get.h"
#include "base/util.h"
#include "tap.h"

static void test_versions(struct arena *a)
{
    static const struct { const char *output, *version; } cases[] = {
        {"uv 0.9.5 (d5f39331a 2025-10-21)\n", "0.9.5"}, {"conda 24.11.3\n", "24.11.3"}, {"mamba 1.5.8\nconda 24.3.0\n", "1.5.8"}, {"2.3.2\n", "2.3.2"},
        {"WARNING: x\nconda 4.12.0\n", "4.12.0"}, {"", NULL}, {"pyenv: uv: command not found\n", NULL}, {"uv\n", NULL}, {"a1.2\n", NULL}, {".5\n", NULL}, {"1.\n", NULL},
        {"7\n", NULL}, {"1234567890.1234567890.1234567890.1234567890\n", NULL}};
    for (size_t i = 0; i < TG_COUNT(cases); i++)
        ok_str(engine_version(a, cases[i].output), cases[i].version, arena_printf(a, "version %zu", i));
}

static const char *typed(struct arena *a, enum engine e, const struct engine_job *job, size_t i)
{
    struct plan p = {.command = "c", .subject = "s"};
    const char *t = "";
    engine_steps(a, e, job, &p);
    if (p.n_steps != 2 || p.steps[1].again != 0 || !str_eq(p.steps[0].path, job->dir) || p.steps[1].path)
        return "not two steps, of which the first makes the folder";
    for (size_t k = 1; k < p.steps[i].n_env; k++) /* the first is PYTHONNOUSERSITE */
        t = arena_printf(a, "%s%s ", t, p.steps[i].env[k]);
    for (size_t k = 0; k < p.steps[i].n_argv; k++)
        t = arena_printf(a, "%s%s%s", t, k ? " " : "", p.steps[i].argv[k]);
    return t;
}

static void test_commands(struct arena *a)
{
    static const char *const pins[] = {"tensorflow[and-cuda]==2.20.0", "numpy<2"};
    struct engine_job job = {.dir = "/w/e", .program = "/b/x", .python = "3.11", .interpreter = "/p/python3.11", .cuda = "12.5.1", .pins = pins, .n_pins = 2};
    ok_str(typed(a, ENGINE_UV, &job, 0), "/b/x venv --no-project --python /p/python3.11 /w/e --seed", "uv makes");
    ok_str(typed(a, ENGINE_UV, &job, 1), "/b/x pip install --python /w/e/bin/python tensorflow[and-cuda]==2.20.0 numpy<2", "uv fills");
    ok_str(typed(a, ENGINE_VENV, &job, 0), "/p/python3.11 -m venv /w/e", "venv makes");
    ok_str(typed(a, ENGINE_VENV, &job, 1), "/w/e/bin/python -m pip install --disable-pip-version-check --no-input tensorflow[and-cuda]==2.20.0 numpy<2", "pip fills");
    ok_str(typed(a, ENGINE_CONDA, &job, 0), "/b/x create --yes --prefix /w/e --override-channels --channel conda-forge python=3.11 pip cuda-version=12.5", "conda makes");
    job.elsewhere = true;
    ok(str_starts(typed(a, ENGINE_CONDA, &job, 0), "CONDA_OVERRIDE_CUDA=12.5 /b/x create "), "conda makes it for another machine");
    job.cuda = NULL;
    ok(str_ends(typed(a, ENGINE_CONDA, &job, 0), " python=3.11 pip") && str_starts(typed(a, ENGINE_CONDA, &job, 0), "/b/x"), "conda makes one without CUDA");
    ok_str(engine_use(a, ENGINE_UV, &(struct engine_job){.dir = "/w/my env"}), "source '/w/my env/bin/activate'", "uv is used");
    ok_str(engine_use(a, ENGINE_CONDA, &(struct engine_job){.dir = "/w/e", .program = "/b/mamba"}), "mamba activate /w/e", "mamba is used");
}

static void test_environment(void)
{
    static const char *const specs[] = {"python=3.11", "cuda-version=12.5"}, *const pins[] = {"a\"b\\c"};
    struct buf b;
    buf_init(&b, 0);
    condafiles_environment(specs, 2, pins, 1, &b);
    ok_str(b.p, "channels:\n  - conda-forge\n  - nodefaults\ndependencies:\n  - \"python=3.11\"\n  - \"cuda-version=12.5\"\n  - pip:\n      - \"a\\\"b\\\\c\"\n", "environment.yml");
    buf_done(&b);
}

static void put(const char *dir, const char *name, const char *text)
{
    char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    if (!f || fputs(text, f) < 0 || fclose(f) != 0)
        abort();
}

#define MD5 "0123456789abcdef0123456789abcdef"
#define URL "https://conda.anaconda.org/conda-forge/linux-64/"

static void test_explicit(struct arena *a)
{
    static const struct { const char *record, *says; } bad[] = {
        {"{\"md5\": \"" MD5 "\"}", "has no address"}, {"{\"url\": \"" URL "x.conda\"}", "has no checksum"}, {"{\"url\": \"" URL "x.conda\", \"md5\": \"zz\"}", "has no checksum"},
        {"{\"url\": \"" URL "x.conda\\n@EXPLICIT\", \"md5\": \"" MD5 "\"}", "has no address"}, {"{\"url\": \"" URL "x#y\", \"md5\": \"" MD5 "\"}", "has no address"},
        {"{\"url\": \"ext::sh -c id\", \"md5\": \"" MD5 "\"}", "has no address"}, {"{\"url\": 7, \"md5\": 8}", "has no address"}, {"[]", "has no address"}, {"{", "has no address"}, {"", "has no address"}};
    char dir[] = "/tmp/test-engines-XXXXXX", meta[64];
    struct root *root;
    struct buf b;
    struct err e = {0};
    if (!mkdtemp(dir) || root_open_live(a, &root, &e) < 0)
        abort();
    buf_init(&b, 0);
    ok(condafiles_explicit(a, root, dir, &b, &e) == -ENOENT && strstr(e.msg, "conda-meta"), "no conda environment");
    (void)snprintf(meta, sizeof meta, "%s/conda-meta", dir);
    if (mkdir(meta, 0700) < 0)
        abort();
    put(meta, "history", "==> x <==\n");
    put(meta, "z-1-0.json", "{\"url\": \"" URL "z-1-0.conda\", \"md5\": \"" MD5 "\", \"sha256\": \"" MD5 MD5 "\"}");
    put(meta, "a-1-0.json", "{\"url\": \"" URL "a-1-0.tar.bz2\", \"sha256\": \"" MD5 MD5 "\"}");
    buf_reset(&b);
    ok(condafiles_explicit(a, root, dir, &b, &e) == 0, "explicit");
    ok_str(b.p, "@EXPLICIT\n" URL "a-1-0.tar.bz2#sha256:" MD5 MD5 "\n" URL "z-1-0.conda#" MD5 "\n", "in the order of the names, MD5 first");
    for (size_t i = 0; i < TG_COUNT(bad); i++) {
        root_close(root); /* what it has opened it keeps */
        if (root_open_live(a, &root, &e) < 0)
            abort();
        put(meta, "m-1-0.json", bad[i].record);
        buf_reset(&b);
        ok(condafiles_explicit(a, root, dir, &b, &e) == -EBADMSG && strstr(e.msg, "m-1-0.json") && strstr(e.msg, bad[i].says), "bad record %zu", i);
    }
    buf_done(&b);
    root_close(root);
    static const char *const names[] = {"conda-meta/history", "conda-meta/z-1-0.json", "conda-meta/a-1-0.json", "conda-meta/m-1-0.json", "conda-meta", "."};
    for (size_t i = 0; i < TG_COUNT(names); i++) {
        char path[128];
        (void)snprintf(path, sizeof path, "%s/%s", dir, i + 1 < TG_COUNT(names) ? names[i] : "");
        (void)remove(path);
    }
}

#define SUM MD5 MD5

/* What sha256sum prints, with the folder in which it was run. */
static void test_sums(struct arena *a)
{
    static const struct { const char *text, *sum; } cases[] = {
        {SUM "  x.sh\n", SUM}, {SUM "  build/x.sh", SUM}, {SUM " *x.sh\r\n", SUM}, {"a line\n" SUM "  y.sh\n" SUM "  x.sh\n", SUM}, {SUM "  xx.sh\n", NULL}, {SUM " x.sh\n", NULL},
        {SUM "0  x.sh\n", NULL}, {MD5 "  x.sh\n", NULL}, {SUM "\n", NULL}, {SUM, NULL}, {SUM "  ", NULL}, {"", NULL}, {"<html>", NULL}};
    for (size_t i = 0; i < TG_COUNT(cases); i++)
        ok_str(sum_of(a, cases[i].text, "x.sh"), cases[i].sum, arena_printf(a, "checksum %zu", i));
    const char *url = miniforge_address(a, NULL, "x86_64");
    ok(str_starts(url, "https://github.com/conda-forge/miniforge/releases/download/2") && str_ends(url, "-Linux-x86_64.sh") && !strstr(url, "latest"), "the publisher's address");
    ok(str_starts(miniforge_address(a, "http://m/x", "aarch64"), "http://m/x/2"), "a mirror's address");
}

int main(void)
{
    struct arena a;
    arena_init(&a, 0);
    test_versions(&a);
    test_commands(&a);
    test_environment();
    test_explicit(&a);
    test_sums(&a);
    arena_done(&a);
    return tap_done();
}
