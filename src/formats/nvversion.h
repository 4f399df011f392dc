/* SPDX-License-Identifier: Apache-2.0 */
/* nvversion - NVIDIA driver numbers in the texts that carry them. */
#ifndef TG_FORMATS_NVVERSION_H
#define TG_FORMATS_NVVERSION_H
#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"

/* A driver number such as "535.104.05" or "580.82" at the start of `s`: two or three dotted decimal parts, the first of three digits,
 * ended by a blank or the end. Returns its length, 0 when there is none. */
size_t nvversion_len(const char *s, size_t n);

/* /proc/driver/nvidia/version: the first line names the module, whether it is the open one, and its version.
 * "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 …"
 * "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  565.57.01  Release Build  (…)"
 * Returns the version, or NULL when the text is not of this kind. */
const char *nvversion_proc(const char *text, size_t len, struct arena *a, bool *ret_open);

/* Version behind "<stem>.so." in a file's name ("libcuda.so.535.104.05"); NULL when there is none (".so.1", ".so.1.1"). */
const char *nvversion_name(const char *file, struct arena *a);

/* Windows driver's version from the head of its .inf file (any encoding): "DriverVer = 08/15/2023, 31.0.15.3713" is 537.13: the last
 * five digits. NULL when there is no such line. */
const char *nvversion_inf(const char *p, size_t len, struct arena *a);
#endif
