/* SPDX-License-Identifier: Apache-2.0 */
/* libversion - the true version of a CUDA-family library, from the file itself: sonames are shared between CUDA majors
 * (libcusparse.so.12, libcurand.so.10, libnccl.so.2 and libcudnn.so.9 exist for CUDA 12 and for 13). */
#ifndef TG_PROBE_LIBVERSION_H
#define TG_PROBE_LIBVERSION_H
#include "base/root.h"
#include "formats/elf.h"

struct libversion {
    const char *version;  /* "12.9.3.13" from a file name, "9.28.0" from code; NULL when the file does not say */
    const char *source;   /* how it is known: "file name", "cudnnGetVersion", "cudnnGetVersion in libcudnn_graph.so.9"; NULL */
    uint32_t cuda_major;  /* CUDA major that the file belongs to; 0 unknown or not of the CUDA family */
    const char *cuda_source; /* "soname", "needs libcublasLt.so.12", "cudnnGetCudartVersion", "PTX ISA 8.8"; NULL */
};

/* libversion_read - ask one file.
 * path: as the loader opened it; its link names are looked at (libcublas.so.12 -> libcublas.so.12.9.3.13)
 * elf:  of the same file; NULL: read here
 * want_cuda: find out the CUDA major too (more reads where only the GPU code tells)
 * returns false when nothing was found out. Code that was not understood gives no version: never a guess.
 * cost: 1 readlink, 1 open, 4 to 10 reads of 4 kB; up to 20 more where only the PTX tells the CUDA major */
bool libversion_read(struct root *r, struct arena *a, const char *path, const struct elf *elf, bool want_cuda, struct libversion *ret);

/* libversion_of_wheel - the same from the wheel that brought the file, for one that is as it was installed: its code need not be read,
 * which costs more than all else that is asked of a library.
 * package, wheel_version: "nvidia-cudnn-cu12", "9.28.0.42". Its first numbers are what the library's own function states: three, two of
 *      the CUDA runtime (data/tables/cuda_libs.yaml; tests/differential/run-real holds both against each other)
 * returns false when the wheel leaves a part open that libversion_read may find out. */
bool libversion_of_wheel(struct arena *a, const char *file, const char *package, const char *wheel_version, bool want_cuda, struct libversion *ret);
#endif
