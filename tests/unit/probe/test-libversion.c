/* SPDX-License-Identifier: Apache-2.0 */
/* What a wheel's name and version say of its libraries; what they leave open has to be read from the code. */
#include "probe/libversion.h"
#include "base/util.h"
#include "tap.h"

static const struct { const char *file, *package, *wheel; bool want_cuda; const char *version; uint32_t cuda; bool found; } cases[] = {
    {"libcudnn.so.9", "nvidia-cudnn-cu12", "9.28.0.42", true, "9.28.0", 12, true},
    {"libcudnn_ops.so.9", "nvidia-cudnn-cu12", "9.28.0.42", false, "9.28.0", 0, true},
    {"libcudart.so.12", "nvidia-cuda-runtime-cu12", "12.9.79", true, "12.9", 12, true},
    {"libnccl.so.2", "nvidia-nccl-cu12", "2.32.3", true, "2.32.3", 12, true},
    {"libcublas.so.12", "nvidia-cublas-cu12", "12.9.3.13", true, NULL, 12, true}, /* its code does not state one either */
    {"libcublasLt.so.13", "nvidia-cublas", "13.1.0.3", true, NULL, 0, false},     /* the name does not say which CUDA */
    {"libcublasLt.so.13", "nvidia-cublas", "13.1.0.3", false, "13.1.0", 0, true},
    {"libcufft.so.11", "nvidia-cufft-cu12", "11.4", true, NULL, 0, false},
    {"libcufft.so.11", "nvidia-cufft-cu12", "11.4.1rc1", true, NULL, 0, false},
    {"libcufft.so.11", "nvidia-cufft-cu12", "dev", true, NULL, 0, false},
    {"libcufft.so.11", "nvidia-cufft-cuda", "11.4.1.4", true, NULL, 0, false},
    {"libfoo.so.1", "nvidia-foo-cu12", "1.2.3", true, NULL, 0, false},
};

int main(void)
{
    struct arena a;
    arena_init(&a, 0);
    for (size_t i = 0; i < TG_COUNT(cases); i++) {
        struct libversion v = {0};
        bool found = libversion_of_wheel(&a, cases[i].file, cases[i].package, cases[i].wheel, cases[i].want_cuda, &v);
        ok(found == cases[i].found && str_eq(v.version, cases[i].version) && v.cuda_major == cases[i].cuda, "%s of %s %s: %s, CUDA %u", cases[i].file,
           cases[i].package, cases[i].wheel, v.version ? v.version : "none", v.cuda_major);
    }
    arena_done(&a);
    return tap_done();
}
