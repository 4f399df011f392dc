/* SPDX-License-Identifier: Apache-2.0 */
/* driver_setup - the distribution's own driver packages, the module, Secure Boot. */
#include "solve/driver_setup.h"
#include <string.h>
#include "base/i18n.h"
#include "base/places.h"
#include "base/util.h"
#include "knowledge/driver_packages.h"
#include "knowledge/drivers.h"

static const char *value_of(const void *ctx, const char *key, size_t n)
{
    const struct fact_machine *m = ctx;
    if (n == strlen("kernel") && memcmp(key, "kernel", n) == 0)
        return m->kernel ? m->kernel : "$(uname -r)";
    return n == strlen("major") && memcmp(key, "major", n) == 0 ? m->distro_version : NULL;
}

static const char *filled(struct arena *a, const struct fact_machine *m, const char *command)
{
    struct fact_machine own = *m;
    own.distro_version = m->distro_version ? arena_strndup(a, m->distro_version, strcspn(m->distro_version, ".")) : "";
    return places_fill(a, command, true, value_of, &own, NULL);
}

static void add(struct arena *a, struct driver_setup *d, const struct fact_machine *m, const char *title, const char *const *commands, const char *note)
{
    if (!*commands)
        return;
    struct driver_step *s = ARENA_PUSH(a, d->steps, d->n_steps);
    *s = (struct driver_step){.title = title, .note = note};
    for (; *commands; commands++)
        *ARENA_PUSH(a, s->commands, s->n_commands) = filled(a, m, *commands);
}

/* A GPU that the open kernel modules do not know. */
static bool is_old(const struct facts *f)
{
    for (size_t i = 0; i < f->n_gpus; i++)
        if (f->gpus[i].has_cc && f->gpus[i].cc < driver_open_module_min_cc())
            return true;
    return false;
}

static const char *why_not(struct arena *a, const struct facts *f, const struct driver_packages *p, bool *is_there)
{
    const struct fact_machine *m = &f->machine;
    if (m->kind == FACT_MACHINE_KIND_WSL1)
        return _("WSL 1 has no GPU: 'wsl --set-version DISTRIBUTION 2' on Windows comes first");
    if (m->kind == FACT_MACHINE_KIND_WSL2)
        return _("in WSL the driver is the one of Windows: install or update NVIDIA's driver there. A Linux driver in here would take the place of its libraries and break CUDA");
    if (m->container != FACT_CONTAINER_KIND_NONE)
        return _("a container uses the driver of its host: install it there, with the NVIDIA Container Toolkit, and start the container with the GPU");
    *is_there = f->driver.loaded == TRI_YES && f->driver.version;
    if (*is_there)
        return arena_printf(a, _("driver %s is installed and loaded; 'tfgpu solve' says whether a newer one would gain anything"), f->driver.version);
    if (f->n_gpus == 0)
        return _("no NVIDIA GPU is on the PCI bus of this machine");
    if (!str_eq(m->arch, "x86_64"))
        return arena_printf(a, _("the packages for %s are not in the table"), m->arch ? m->arch : "?");
    if (!p)
        return arena_printf(a, _("the packages of %s are not in the table: see its own documentation for its NVIDIA driver package"),
                            m->distro_name ? m->distro_name : m->distro_id ? m->distro_id : _("this distribution"));
    if (is_old(f) && !*p->closed)
        return _("this GPU needs the closed kernel module, and the distribution has no package with it; take the 580 branch from NVIDIA");
    return NULL;
}

void driver_setup(struct arena *a, const struct facts *f, struct driver_setup *ret)
{
    static const char *const restart[] = {"reboot", NULL};
    const struct fact_machine *m = &f->machine;
    const struct driver_packages *p = driver_packages_of(m->distro_id, m->distro_version);
    *ret = (struct driver_setup){0};
    ret->why_not = why_not(a, f, p, &ret->is_there);
    if (ret->why_not)
        return;
    add(a, ret, m, _("make the packages known"), p->repository, NULL);
    add(a, ret, m, _("headers of the running kernel, for which the module is built"), p->headers, NULL);
    add(a, ret, m, _("install the driver; the packages build its kernel module"), is_old(f) ? p->closed : p->open, NULL);
    if (m->secure_boot == TRI_YES && *p->enrol)
        add(a, ret, m, _("Secure Boot is on: enrol the key that signs the module"), p->enrol,
            _("it asks for a password; at the next start choose \"Enroll MOK\" and type it"));
    add(a, ret, m, _("restart: only then does nouveau let the GPU go"), restart, NULL);
}
