/* SPDX-License-Identifier: Apache-2.0 */
/* driver_errors - look-ups in the tables of codes. */
#include "knowledge/driver_errors.h"
#include "base/i18n.h"
#include "base/util.h"
#include "driver_errors_gen.h"

static const struct driver_error_row *find(const struct driver_error_row *rows, size_t n, int32_t code)
{
    for (size_t i = 0; i < n; i++)
        if (rows[i].code == code)
            return &rows[i];
    return NULL;
}

static const char *meaning(const struct driver_error_row *r)
{
    return r ? _(r->meaning) : _("an error without a name here");
}

const char *cuda_error_name(int32_t code)
{
    const struct driver_error_row *r = find(cuda_errors, TG_COUNT(cuda_errors), code);
    return r ? r->name : NULL;
}

const char *nvml_error_name(int32_t code)
{
    const struct driver_error_row *r = find(nvml_errors, TG_COUNT(nvml_errors), code);
    return r ? r->name : NULL;
}

const char *cuda_error_meaning(int32_t code)
{
    return meaning(find(cuda_errors, TG_COUNT(cuda_errors), code));
}

const char *nvml_error_meaning(int32_t code)
{
    return meaning(find(nvml_errors, TG_COUNT(nvml_errors), code));
}

uint32_t tf_list_min_cc(void)
{
    return tf_min_cc;
}

uint32_t tf_list_min_multiprocessors(void)
{
    return tf_min_multiprocessors;
}
