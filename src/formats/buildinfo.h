/* SPDX-License-Identifier: Apache-2.0 */
/* buildinfo - tensorflow/python/platform/build_info.py: one line `build_info = collections.OrderedDict([...])`. */
#ifndef TG_FORMATS_BUILDINFO_H
#define TG_FORMATS_BUILDINFO_H
#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"

struct buildinfo {
    enum tri is_cuda, is_rocm, is_tensorrt;     /* is_*_build; unknown when not stated */
    const char *cuda_version, *cudnn_version;   /* "12.5.1", "9"; NULL when not stated or empty */
    const char **capabilities; size_t n_capabilities; /* cuda_compute_capabilities: "sm_60" … "compute_90" */
};

/* buildinfo_parse - read the literal that is assigned to build_info: pairs in OrderedDict([...]), or a plain {...}.
 * Strings in either quotes with the usual escapes, True, False, None, numbers; lists and tuples of them, at most 8 deep.
 * Nothing is evaluated; unknown keys are skipped.
 * ret:    strings in `a`; untouched on failure
 * errors: -EBADMSG  no such assignment, or not a literal of that kind; `e` names the byte
 * cost:   O(len) */
int buildinfo_parse(const char *text, size_t len, struct arena *a, struct buildinfo *ret, struct err *e);
#endif
