/* SPDX-License-Identifier: Apache-2.0 */
/* probe - runs the probes whose facts are needed, in order. */
#include "probe/probe.h"

struct step {
    unsigned needs;                 /* runs when one of these is asked for */
    void (*run)(struct probe *p);
};

/* Where TensorFlow is when it is not in the judged environment. */
static void list_when_missing(struct probe *p)
{
    if (!p->f->tensorflow.version && !p->f->tensorflow.package_dir && p->f->n_environments == 0)
        probe_list_envs(p);
}

/* The driver answers while the files are read further. */
static void driver_known(struct probe *p)
{
    if (p->driver_known)
        p->driver_known(p);
}

/* A probe may rely on what the rows above it filled in. */
static const struct step steps[] = {
    {NEED_MACHINE | NEED_DRIVER, probe_machine},
    {NEED_TITLES, probe_cpu_model},
    {NEED_PYTHON | NEED_PACKAGES | NEED_TENSORFLOW | NEED_DRIVER | NEED_SHELL | NEED_ENVS, probe_python},
    {NEED_PACKAGES | NEED_TENSORFLOW, probe_packages},
    {NEED_TENSORFLOW | NEED_DRIVER, probe_tensorflow},
    {NEED_TENSORFLOW, probe_libpython},
    {NEED_TENSORFLOW, probe_libraries},
    {NEED_DRIVER, probe_driver_libs}, /* asks the process that TensorFlow's probes set up */
    {NEED_DRIVER, probe_gpu_env},
    {NEED_DRIVER, driver_known},
    {NEED_TENSORFLOW, probe_gpu_code},
    {NEED_TENSORFLOW, probe_integrity},
    {NEED_TENSORFLOW, probe_import_symbols},
    {NEED_TENSORFLOW, probe_tf_flags},
    {NEED_TENSORFLOW, probe_keras_config},
    {NEED_SHELL, probe_shell},
    {NEED_ENVS, probe_list_envs},
    {NEED_TENSORFLOW, list_when_missing},
    {NEED_DRIVER, probe_nccl},
    {NEED_DRIVER, probe_pcie},
    {NEED_DRIVER, probe_limits},
};

enum fact_outcome probe_outcome(enum ldso_outcome o)
{
    switch (o) {
    case LDSO_FOUND:
        return FACT_OUTCOME_FOUND;
    case LDSO_MISSING:
        return FACT_OUTCOME_MISSING;
    case LDSO_FAILED:
        return FACT_OUTCOME_FAILS;
    case LDSO_KILLED:
        return FACT_OUTCOME_KILLS;
    case LDSO_UNDETERMINED:
        break;
    }
    return FACT_OUTCOME_UNDETERMINED;
}

int probe_run(struct probe *p, unsigned needs, struct err *e)
{
    int rc = 0;
    if (needs & (NEED_PYTHON | NEED_PACKAGES | NEED_TENSORFLOW | NEED_DRIVER | NEED_SHELL | NEED_ENVS))
        rc = probe_select(p, e);
    for (size_t i = 0; rc == 0 && i < TG_COUNT(steps); i++)
        if (steps[i].needs & needs)
            steps[i].run(p);
    return rc;
}
