/* SPDX-License-Identifier: Apache-2.0 */
/* test-driver-setup - where a driver is to be installed, with which packages, and where none is. */
#include "solve/driver_setup.h"
#include <string.h>
#include "base/util.h"
#include "tap.h"

static struct facts machine(struct fact_gpu *gpu, const char *distro, const char *version, uint32_t cc)
{
    struct facts f = {0};
    *gpu = (struct fact_gpu){.has_cc = true, .cc = cc};
    f.machine.kind = FACT_MACHINE_KIND_BARE_METAL;
    f.machine.arch = "x86_64";
    f.machine.kernel = "6.1.0-9-amd64";
    f.machine.distro_id = distro;
    f.machine.distro_version = version;
    f.gpus = gpu;
    f.n_gpus = 1;
    return f;
}

static bool has(const struct driver_setup *d, const char *text)
{
    for (size_t i = 0; i < d->n_steps; i++)
        for (size_t k = 0; k < d->steps[i].n_commands; k++)
            if (strstr(d->steps[i].commands[k], text))
                return true;
    return false;
}

static void test_distributions(struct arena *a)
{
    static const struct { const char *id, *version, *command, *headers, *enrol; } cases[] = {
        {"ubuntu", "24.04", "ubuntu-drivers install", "linux-headers-6.1.0-9-amd64", "mokutil"},
        {"debian", "12", "apt install nvidia-driver", "linux-headers-6.1.0-9-amd64", "/var/lib/dkms/mok.pub"},
        {"fedora", "42", "akmod-nvidia", "kernel-devel-6.1.0-9-amd64", "kmodgenca"},
        {"rocky", "9.4", "module enable nvidia-driver:open-dkms", "repos/rhel9/", "mokutil"},
        {"almalinux", "10.0", "dnf install nvidia-open", "repos/rhel10/", "mokutil"},
        {"opensuse-leap", "15.6", "zypper install nvidia-open", "kernel-default-devel", "mokutil"},
        {"arch", NULL, "nvidia-open-dkms", "linux-headers", NULL},
    };
    for (size_t i = 0; i < TG_COUNT(cases); i++) {
        struct fact_gpu gpu;
        struct facts f = machine(&gpu, cases[i].id, cases[i].version, 89);
        struct driver_setup d;
        driver_setup(a, &f, &d);
        ok(!d.why_not && has(&d, cases[i].command) && has(&d, cases[i].headers) && has(&d, "reboot") && !has(&d, "{"), "%s: its packages", cases[i].id);
        ok(!has(&d, "mokutil"), "%s: no key without Secure Boot", cases[i].id);
        f.machine.secure_boot = TRI_YES;
        driver_setup(a, &f, &d);
        ok(cases[i].enrol ? has(&d, cases[i].enrol) : !has(&d, "mokutil"), "%s: the key with Secure Boot", cases[i].id);
    }
    struct fact_gpu gpu;
    struct facts f = machine(&gpu, "almalinux", "10.0", 89);
    struct driver_setup d;
    driver_setup(a, &f, &d);
    ok(!has(&d, "module enable"), "a release without module streams");
}

static void test_none(struct arena *a)
{
    struct fact_gpu gpu;
    struct facts f = machine(&gpu, "debian", "12", 89);
    struct driver_setup d;
    f.machine.kind = FACT_MACHINE_KIND_WSL2;
    driver_setup(a, &f, &d);
    ok(d.why_not && strstr(d.why_not, "Windows") && d.n_steps == 0, "WSL: the driver is Windows'");
    f.machine.kind = FACT_MACHINE_KIND_BARE_METAL;
    f.machine.container = FACT_CONTAINER_KIND_DOCKER;
    driver_setup(a, &f, &d);
    ok(d.why_not && strstr(d.why_not, "host") && d.n_steps == 0, "a container: the driver is the host's");
    f = machine(&gpu, "debian", "12", 89);
    f.driver.loaded = TRI_YES;
    f.driver.version = "580.65.06";
    driver_setup(a, &f, &d);
    ok(d.is_there && d.why_not && strstr(d.why_not, "580.65.06"), "it is there already");
    f = machine(&gpu, "debian", "12", 89);
    f.n_gpus = 0;
    driver_setup(a, &f, &d);
    ok(d.why_not && !d.is_there, "no GPU");
    f = machine(&gpu, "nixos", "24.05", 89);
    driver_setup(a, &f, &d);
    ok(d.why_not && strstr(d.why_not, "nixos"), "a distribution that is not in the table");
    f = machine(&gpu, "rhel", "9.4", 61);
    driver_setup(a, &f, &d);
    ok(d.why_not && strstr(d.why_not, "closed"), "a GPU that the open module does not know");
    f = machine(&gpu, "ubuntu", "24.04", 61);
    driver_setup(a, &f, &d);
    ok(!d.why_not && has(&d, "ubuntu-drivers"), "the same, where the distribution has both");
}

int main(void)
{
    struct arena a;
    arena_init(&a, 0);
    test_distributions(&a);
    test_none(&a);
    arena_done(&a);
    return tap_done();
}
