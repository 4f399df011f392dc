/* SPDX-License-Identifier: Apache-2.0 */
/* tf_build - build_info.py and the cuDNN header of a TensorFlow. */
#include "probe/tf_build.h"
#include <errno.h>
#include "formats/buildinfo.h"
#include "formats/cdefine.h"
#include "knowledge/layout.h"

enum { BUILD_INFO_MAX = 1 << 16, HEADER_MAX = 1 << 16 };

void tf_build_info(const struct files *files, const char *package, struct arena *a, struct fact_build_info *ret)
{
    const char *path = path_join(a, package, "python/platform/build_info.py"), *text;
    size_t len;
    struct buildinfo bi;
    *ret = (struct fact_build_info){.source = path};
    int rc = files_read(files, path, BUILD_INFO_MAX, a, &text, &len, NULL);
    if (rc < 0) {
        ret->state = rc == -ENOENT ? FACT_ABSENT : rc == -EACCES ? FACT_DENIED : FACT_UNKNOWN;
        return;
    }
    if (buildinfo_parse(text, len, a, &bi, NULL) < 0) {
        ret->state = FACT_MALFORMED;
        return;
    }
    *ret = (struct fact_build_info){.state = FACT_PRESENT, .source = path, .is_cuda = bi.is_cuda, .is_rocm = bi.is_rocm,
                                    .is_tensorrt = bi.is_tensorrt, .cuda_version = bi.cuda_version, .cudnn_version = bi.cudnn_version,
                                    .capabilities = bi.capabilities, .n_capabilities = bi.n_capabilities};
}

const char *tf_build_cudnn_header(const struct files *files, const char *package, struct arena *a)
{
    static const char *const names[] = {"CUDNN_MAJOR", "CUDNN_MINOR", "CUDNN_PATCHLEVEL"};
    for (const char *const *h = layout_cudnn_headers(); *h; h++) {
        const char *text;
        size_t len, n = 0;
        uint32_t v[3];
        if (files_read(files, path_join(a, package, *h), HEADER_MAX, a, &text, &len, NULL) < 0)
            continue;
        while (n < 3 && cdefine_number(text, len, names[n], &v[n]))
            n++;
        if (n == 3)
            return arena_printf(a, "%u.%u.%u", v[0], v[1], v[2]);
    }
    return NULL;
}
