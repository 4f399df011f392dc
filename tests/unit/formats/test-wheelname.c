/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"
#include "formats/wheelname.h"

int main(void)
{
    static const struct { const char *file; bool good; uint32_t pythons; unsigned glibc; } cases[] = {
        {"numpy-2.2.0-cp312-cp312-manylinux_2_17_x86_64.manylinux2014_x86_64.whl", true, 1u << 12, 17},
        {"numpy-1.21.6-cp37-cp37m-manylinux_2_12_x86_64.manylinux2010_x86_64.whl", true, 1u << 7, 12},
        {"nvidia_cudnn_cu12-9.3.0.75-py3-none-manylinux2014_x86_64.whl", true, UINT32_MAX, 17},
        {"nvidia_cublas-13.1.0-1-py3-none-manylinux_2_27_x86_64.whl", true, UINT32_MAX, 27},
        {"protobuf-5.29.1-cp38-abi3-manylinux2014_x86_64.whl", true, UINT32_MAX << 8, 17},
        {"jax-0.6.2-py3-none-any.whl", true, UINT32_MAX, 0},
        {"six-1.17.0-py2.py3-none-any.whl", true, UINT32_MAX, 0},
        {"x-1-py310-none-any.whl", true, UINT32_MAX << 10, 0},
        {"x-1-cp310.cp311-none-linux_x86_64.whl", true, 3u << 10, 0},
        {"x-1-cp313-cp313t-manylinux_2_28_x86_64.whl", false, 0, 0},
        {"x-1-cp312-cp311-manylinux_2_28_x86_64.whl", false, 0, 0},
        {"x-1-cp27-cp27mu-manylinux1_x86_64.whl", false, 0, 0},
        {"x-1-py2-none-any.whl", false, 0, 0},
        {"x-1-py3-none-musllinux_1_2_x86_64.whl", false, 0, 0},
        {"x-1-py3-none-manylinux_2_17_aarch64.whl", false, 0, 0},
        {"x-1-py3-none-win_amd64.whl", false, 0, 0},
        {"x-1-py3-none.whl", false, 0, 0},
        {"x-1-2-3-py3-none-any.whl", false, 0, 0},
        {"x--py3-none-any.whl", false, 0, 0},
        {"x-1-py3-none-any.tar.gz", false, 0, 0},
        {"x-1-cp399-abi3-any.whl", false, 0, 0},
        {".whl", false, 0, 0},
        {"", false, 0, 0},
    };
    for (size_t i = 0; i < TG_COUNT(cases); i++) {
        struct wheelname w = {0};
        bool is = wheelname_parse(cases[i].file, &w);
        ok(is == cases[i].good && w.pythons == cases[i].pythons && w.glibc_minor == cases[i].glibc, "%s", cases[i].file);
    }
    struct wheelname w;
    ok(wheelname_parse("nvidia_cudnn_cu12-9.3.0.75-py3-none-manylinux2014_x86_64.whl", &w) && w.name.n == 17 && w.version.n == 8, "name and version");
    return tap_done();
}
