/* SPDX-License-Identifier: Apache-2.0 */
/* kmodidx - one look-up in modules.dep.bin, the index that depmod(8) writes.
 * format: kmod libkmod/libkmod-index.c: magic 0xB007F457, version 2.x, root; all numbers big-endian. A node reference's top bits say what
 * the node holds, in this order: a prefix string, a range of children, a list of values. */
#ifndef TG_FORMATS_KMODIDX_H
#define TG_FORMATS_KMODIDX_H
#include "base/arena.h"
#include "base/bytesrc.h"
#include "base/err.h"

/* First value of `key` ("nvidia" gives "updates/dkms/nvidia.ko.zst: …").
 * returns: 1 found, 0 not, or a negative errno: -EBADMSG not such an index, or one whose references run in a circle; those of the source
 * cost:    one read of 1 KiB for each part of the key, values apart (at most 16 KiB) */
int kmodidx_find(const struct bytesrc *s, const char *key, struct arena *a, const char **ret, struct err *e);
#endif
