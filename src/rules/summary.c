/* SPDX-License-Identifier: Apache-2.0 */
/* summary - what there is on a layer that is ok, in one line. */
#include "base/i18n.h"
#include "rules/judge_priv.h"

/* Where no version is written down, what CUDA says of the driver. */
static const char *driver_text(struct arena *a, const struct facts *f)
{
    const char *version = f->driver.version ? f->driver.version : f->nvml.driver_version;
    if (version || !f->cuda.has_driver_api || !f->cuda.driver_api)
        return version ? version : _("of unknown version");
    return arena_printf(a, _("for CUDA %u.%u"), f->cuda.driver_api / 1000, f->cuda.driver_api % 1000 / 10);
}

static const char *machine_summary(struct arena *a, const struct facts *f)
{
    const char *version = driver_text(a, f);
    if (f->n_gpus == 0)
        return arena_printf(a, _("driver %s"), version);
    const char *name = f->gpus[0].name ? f->gpus[0].name : _("NVIDIA GPU");
    if (f->n_gpus == 1)
        return arena_printf(a, _("driver %s, %s"), version, name);
    return arena_printf(a, _("driver %s, %s and %zu more"), version, name, f->n_gpus - 1);
}

static const struct fact_library *find_role(const struct facts *f, enum fact_lib_role role)
{
    for (size_t i = 0; i < f->n_libraries; i++)
        if (f->libraries[i].role == role && f->libraries[i].version)
            return &f->libraries[i];
    return NULL;
}

static const char *cuda_summary(struct arena *a, const struct facts *f)
{
    const struct fact_library *cuda = find_role(f, FACT_LIB_ROLE_CUDA), *dnn = find_role(f, FACT_LIB_ROLE_CUDNN);
    if (cuda && dnn)
        return arena_printf(a, _("CUDA %s, cuDNN %s"), cuda->version, dnn->version);
    if (cuda)
        return arena_printf(a, _("CUDA %s"), cuda->version);
    return _("nothing wrong with them");
}

static const char *python_summary(struct arena *a, const struct facts *f)
{
    const char *py = f->python.version ? f->python.version : _("of unknown version");
    if (!f->tensorflow.version)
        return arena_printf(a, _("Python %s"), py);
    return arena_printf(a, _("Python %s, %s %s"), py, f->tensorflow.dist ? f->tensorflow.dist : "tensorflow", f->tensorflow.version);
}

/* The driver's own libraries are layer 1's business. */
static const char *loader_summary(struct arena *a, const struct facts *f)
{
    size_t wanted = 0, found = 0;
    for (size_t i = 0; i < f->n_libraries; i++) {
        const struct fact_library *l = &f->libraries[i];
        if (l->role == FACT_LIB_ROLE_DRIVER || l->role == FACT_LIB_ROLE_NVML)
            continue;
        wanted += l->mandatory;
        found += l->mandatory && l->outcome == FACT_OUTCOME_FOUND;
    }
    return arena_printf(a, _("%zu of %zu needed libraries are found"), found, wanted);
}

const char *judge_default_summary(struct arena *a, const struct facts *f, unsigned layer)
{
    switch (layer) {
    case 1: return machine_summary(a, f);
    case 2: return cuda_summary(a, f);
    case 3: return python_summary(a, f);
    default: return loader_summary(a, f);
    }
}
