/* SPDX-License-Identifier: Apache-2.0 */
/* tfcode-list - prints what probe/tf_code and formats/buildinfo make of a folder tensorflow/, as JSON, for tests/truth/run-tfcode.
 * usage: tfcode-list PACKAGE_DIR [FRAMEWORK_SHA256] */
#include <stdio.h>
#include <time.h>
#include "base/root.h"
#include "formats/buildinfo.h"
#include "probe/tf_code.h"

static long cpu_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1000000L + t.tv_nsec / 1000;
}

static void read_build(struct root *r, struct arena *a, const char *dir, struct fact_build_info *b)
{
    struct buildinfo bi;
    struct err e;
    const char *text;
    size_t len;
    if (root_read(r, path_join(a, dir, "python/platform/build_info.py"), 65536, a, &text, &len) < 0)
        return;
    if (buildinfo_parse(text, len, a, &bi, &e)) {
        fprintf(stderr, "%s\n", e.msg);
        return;
    }
    *b = (struct fact_build_info){.state = FACT_PRESENT, .is_cuda = bi.is_cuda, .is_rocm = bi.is_rocm, .is_tensorrt = bi.is_tensorrt,
                                  .cuda_version = bi.cuda_version, .cudnn_version = bi.cudnn_version,
                                  .capabilities = bi.capabilities, .n_capabilities = bi.n_capabilities};
}

int main(int argc, char **argv)
{
    struct arena a;
    struct root *r;
    struct err e = {0};
    struct root_stat st;
    arena_init(&a, 0);
    if (argc < 2 || root_open_live(&a, &r, &e)) {
        fprintf(stderr, "usage: tfcode-list PACKAGE_DIR [SHA256]\n%s\n", e.msg);
        return 2;
    }
    struct fact_tensorflow t = {.state = FACT_PRESENT};
    struct fact_build_info b = {0};
    struct files files = files_of_root(r);
    struct tf_code_in in = {.files = &files, .framework = path_join(&a, argv[1], "libtensorflow_framework.so.2"),
                            .cc = path_join(&a, argv[1], "libtensorflow_cc.so.2"), .framework_sha256 = argc > 2 ? argv[2] : NULL, .build = &b};
    if (root_stat(r, in.cc, &st) < 0)
        in.cc = path_join(&a, argv[1], "python/_pywrap_tensorflow_internal.so");
    read_build(r, &a, argv[1], &b);
    struct rfile *f;
    struct elf elf;
    if (root_open(r, in.framework, &f, &e) == 0) { /* as in a run, where the loader has read it before */
        struct bytesrc s = rfile_src(f);
        in.framework_elf = elf_read(&s, false, &a, &elf, &e) == 0 ? &elf : NULL;
        rfile_close(f);
    }
    long t0 = cpu_us();
    tf_code_find(&in, &a, &t);
    long t1 = cpu_us();
    struct buf out;
    struct jw w;
    buf_init(&out, 0);
    jw_init(&w, &out);
    jw_obj(&w, NULL);
    jw_i64(&w, "cpu_us", t1 - t0);
    jw_str(&w, "needs_source", fact_needs_source_id(t.needs_source));
    jw_str(&w, "needs_conflict", t.needs_conflict);
    jw_arr(&w, "needs");
    for (size_t i = 0; i < t.n_needs; i++)
        fact_need_json(&w, NULL, &t.needs[i]);
    jw_arr_end(&w);
    fact_build_info_json(&w, "build", &b);
    jw_obj_end(&w);
    puts(out.p);
    buf_done(&out);
    root_close(r);
    arena_done(&a);
    return 0;
}
