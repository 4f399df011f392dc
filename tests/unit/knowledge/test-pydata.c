/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of Python packages: rows of extension modules by version. */
#include <string.h>
#include "tap.h"
#include "base/util.h"
#include "knowledge/pydata.h"

static const struct extension_module *module(const struct extension_row *r, const char *name)
{
    for (size_t i = 0; r && i < r->n_modules; i++)
        if (str_eq(r->modules[i].name, name))
            return &r->modules[i];
    return NULL;
}

int main(void)
{
    const struct extension_row *old = pydata_extensions("numpy", "1.26.4"), *new = pydata_extensions("numpy", "2.2.6");
    ok(module(old, "numpy/core/_multiarray_umath") && module(old, "numpy/random/mtrand"), "NumPy 1 imports numpy.random with it");
    ok(module(new, "numpy/_core/_multiarray_umath") && !module(new, "numpy/random/mtrand"), "NumPy 2 does not");
    ok(module(new, "numpy/_core/_multiarray_umath") && module(new, "numpy/_core/_multiarray_umath")->fails, "nothing works without its core");
    ok(pydata_extensions("numpy", "1.0") == pydata_extensions("numpy", NULL), "before the first row, and of no known version: the first");
    ok(pydata_extensions("numpy", "99.1") != old && pydata_extensions("numpy", "2.0.0rc1") != old, "behind the last: the last; a candidate counts as its release");
    ok(module(pydata_extensions("h5py", "3.14.0"), "h5py/h5i") && module(pydata_extensions("h5py", "3.14.0"), "h5py/h5i")->fails, "h5py.h5i is missed");
    ok(module(pydata_extensions("h5py", "3.14.0"), "h5py/_errors") && !module(pydata_extensions("h5py", "3.14.0"), "h5py/_errors")->fails, "h5py._errors is not");
    const struct extension_module *strings = module(pydata_extensions("h5py", "3.16.0"), "h5py/_npystrings");
    ok(strings && strcmp(strings->with, "numpy") == 0 && strcmp(strings->with_since, "2") == 0, "h5py._npystrings is loaded beside NumPy 2 only");
    ok(!pydata_extensions("pandas", "2.2.0"), "a package that is not imported");
    return tap_done();
}
