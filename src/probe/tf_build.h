/* SPDX-License-Identifier: Apache-2.0 */
/* tf_build - what TensorFlow's own Python file and headers state of its build. */
#ifndef TG_PROBE_TF_BUILD_H
#define TG_PROBE_TF_BUILD_H
#include "base/files.h"
#include "facts_gen.h"

/* python/platform/build_info.py below `package` (the folder tensorflow/); what cannot be read is a state. */
void tf_build_info(const struct files *files, const char *package, struct arena *a, struct fact_build_info *ret);
/* The cuDNN release that it was compiled against, from a header that the wheel ships; NULL when it ships none. */
const char *tf_build_cudnn_header(const struct files *files, const char *package, struct arena *a);
#endif
