/* SPDX-License-Identifier: Apache-2.0 */
/* tags - which conditions of fix steps the machine and the environment fulfil. */
#include "rules/judge.h"

static bool is_one_of(const char *s, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(s, list[i]))
            return true;
    return false;
}

static unsigned machine_tags(const struct fact_machine *m)
{
    /* ID of os-release: os-release(5); the package manager is the distribution's own. */
    static const char *const apt[] = {"debian", "ubuntu", "linuxmint", "pop", "kali", "raspbian", "elementary", "zorin", "neon"};
    static const char *const dnf[] = {"fedora", "rhel", "centos", "rocky", "almalinux", "ol", "amzn"};
    unsigned t = is_one_of(m->distro_id, apt, TG_COUNT(apt))   ? FIX_APT
                 : is_one_of(m->distro_id, dnf, TG_COUNT(dnf)) ? FIX_DNF
                                                               : 0;
    if (m->container != FACT_CONTAINER_KIND_NONE)
        return t | FIX_CONTAINER;
    bool wsl = m->kind == FACT_MACHINE_KIND_WSL1 || m->kind == FACT_MACHINE_KIND_WSL2;
    return t | (wsl ? FIX_WSL : FIX_BARE);
}

/* Who installed TensorFlow; without one, whose environment it is. */
static unsigned engine_tag(const struct facts *f)
{
    const char *installer = NULL;
    for (size_t i = 0; i < f->n_packages && f->tensorflow.dist; i++)
        if (str_eq(f->packages[i].name, f->tensorflow.dist) && !f->packages[i].shadowed_by)
            installer = f->packages[i].installer;
    if (str_eq(installer, "conda"))
        return FIX_CONDA;
    if (str_eq(installer, "uv"))
        return FIX_UV;
    if (installer)
        return FIX_PIP;
    return f->python.kind == FACT_ENV_KIND_CONDA ? FIX_CONDA : f->python.kind == FACT_ENV_KIND_UV ? FIX_UV : FIX_PIP;
}

static unsigned env_tags(enum fact_env_kind kind)
{
    switch (kind) {
    case FACT_ENV_KIND_SYSTEM: return FIX_SYSTEM_PYTHON;
    case FACT_ENV_KIND_VENV: return FIX_VENV;
    case FACT_ENV_KIND_UV: return FIX_VENV;
    case FACT_ENV_KIND_USER: return FIX_USER;
    case FACT_ENV_KIND_KERNEL: return FIX_KERNEL;
    case FACT_ENV_KIND_CONDA:
    case FACT_ENV_KIND_PYENV:
    case FACT_ENV_KIND_OTHER: break;
    }
    return 0;
}

unsigned judge_tags(const struct facts *f)
{
    return machine_tags(&f->machine) | engine_tag(f) | env_tags(f->python.kind);
}
