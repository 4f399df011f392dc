/* SPDX-License-Identifier: Apache-2.0 */
/* driver_answer - what the driver's own answers mean. */
#include "rules/driver_answer.h"
#include <string.h>
#include "base/util.h"
#include "knowledge/driver_errors.h"

int32_t answer_cuda_code(const struct facts *f)
{
    if (f->cuda.has_init_code && f->cuda.init_code)
        return f->cuda.init_code;
    return f->cuda.has_count_code ? f->cuda.count_code : 0;
}

bool answer_serves(const struct facts *f)
{
    return f->cuda.has_count && f->cuda.count > 0;
}

bool answer_shows_gpu(const struct facts *f)
{
    return answer_serves(f) || (f->nvml.has_count && f->nvml.count > 0);
}

bool answer_no_device(const struct facts *f)
{
    return answer_cuda_code(f) == CUDA_NO_DEVICE || (f->cuda.has_count && f->cuda.count == 0);
}

bool answer_needs_nvml(const struct facts *f)
{
    for (size_t i = 0; i < f->tensorflow.n_needs; i++)
        if (f->tensorflow.needs[i].role == FACT_LIB_ROLE_NVML && f->tensorflow.needs[i].mandatory)
            return true;
    return false;
}

const char *answer_code_text(struct arena *a, const char *call, int32_t code, bool nvml)
{
    const char *name = nvml ? nvml_error_name(code) : cuda_error_name(code);
    const char *meaning = nvml ? nvml_error_meaning(code) : cuda_error_meaning(code);
    return name ? arena_printf(a, "%s: %s (%d), %s", call, name, code, meaning) : arena_printf(a, "%s: %d, %s", call, code, meaning);
}

/* As C's strtol reads it, blanks before and behind allowed, whole; what is not a number from 0 up counts as not set. */
static bool variable_number(const char *s, uint32_t *ret)
{
    struct str t = {s, s ? strlen(s) : 0};
    t = str_trim(t);
    uint64_t v;
    if (t.n && t.p[0] == '+')
        t = (struct str){t.p + 1, t.n - 1};
    if (!t.n || str_to_u64(t.p, t.n, 10, &v) < 0 || v > INT32_MAX)
        return false;
    *ret = (uint32_t)v;
    return true;
}

uint32_t answer_min_multiprocessors(const struct facts *f)
{
    uint32_t min = tf_list_min_multiprocessors(), max = 0, set;
    if (variable_number(f->gpu_env.tf_min_multiprocessors, &set))
        return set;
    for (size_t i = 0; i < f->n_cuda_devices; i++)
        if (f->cuda_devices[i].multiprocessors > max)
            max = f->cuda_devices[i].multiprocessors;
    return max && max < min ? max : min;
}

enum listed answer_listed(const struct facts *f, const struct fact_cuda_device *d)
{
    if (d->has_cc && d->cc < tf_list_min_cc())
        return LISTED_NOT_OLD;
    if (f->n_cuda_devices > 1 && d->has_multiprocessors && d->multiprocessors < answer_min_multiprocessors(f))
        return LISTED_NOT_SMALL;
    return LISTED;
}

/* TensorFlow asks for handle, name and attributes of each device before it lists any, and gives up when one of them fails. */
const struct fact_cuda_device *answer_fatal_device(const struct facts *f)
{
    static const char *const needed[] = {"cuDeviceGet ", "cuDeviceGetName ", "cuDeviceGetAttribute "};
    for (size_t i = 0; i < f->n_cuda_devices; i++)
        for (size_t k = 0; f->cuda_devices[i].failed_call && k < TG_COUNT(needed); k++)
            if (str_starts(f->cuda_devices[i].failed_call, needed[k]))
                return &f->cuda_devices[i];
    return NULL;
}
