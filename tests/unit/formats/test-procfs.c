/* SPDX-License-Identifier: Apache-2.0 */
/* Single values of the kernel's texts. */
#include <string.h>
#include "base/util.h"
#include "formats/procfs.h"
#include "tap.h"

static struct arena a;

static uint64_t mem(const char *text, const char *key)
{
    uint64_t v = 7;
    return meminfo_get(text, strlen(text), key, &v) ? v : 7;
}

static void memory(void)
{
    static const char text[] = "MemTotal:       32768000 kB\nMemTotalFake: 1 kB\nMemAvailable:\t    5 kB\nHugePages_Total:       3";
    ok(mem(text, "MemTotal") == 32768000ull * 1024, "a number with its unit");
    ok(mem(text, "MemAvailable") == 5 * 1024, "tabs");
    ok(mem(text, "HugePages_Total") == 7, "no unit: not a size");
    ok(mem(text, "Mem") == 7 && mem(text, "SwapTotal") == 7, "not the beginning of another name; absent");
    ok(mem("MemTotal: 18446744073709551615 kB\n", "MemTotal") == 7, "too large");
    ok(mem("MemTotal: -1 kB\n", "MemTotal") == 7 && mem("MemTotal:", "MemTotal") == 7 && mem("", "MemTotal") == 7, "damaged");
}

static void limits(void)
{
    static const char text[] = "Limit                     Soft Limit           Hard Limit           Units     \n"
                               "Max open files            1024                 1048576              files     \n"
                               "Max locked memory         8388608              unlimited            bytes     \n"
                               "Max msgqueue size         unlimited            unlimited            bytes";
    struct proc_limit l;
    ok(proc_limit_get(text, sizeof text - 1, "Max locked memory", &l) && !l.unlimited && l.value == 8388608, "the soft limit");
    ok(proc_limit_get(text, sizeof text - 1, "Max msgqueue size", &l) && l.unlimited, "unlimited, last line without a newline");
    ok(!proc_limit_get(text, sizeof text - 1, "Max locks", &l) && !proc_limit_get(text, sizeof text - 1, "Limit", &l), "absent; not a number");
}

static bool group_is(const char *text, const char *controller, const char *want)
{
    return str_eq(cgroup_path(text, strlen(text), controller, &a), want);
}

static void groups(void)
{
    ok(group_is("0::/user.slice/x.scope\n", NULL, "/user.slice/x.scope"), "unified hierarchy");
    ok(group_is("12:cpu,cpuacct:/docker/ab\n9:hugetlb,memory:/docker/cd\n1:name=systemd:/s\n0::/\n", "memory", "/docker/cd"), "controller in a list");
    ok(group_is("12:cpu,cpuacct:/docker/ab\n0::/\n", "memory", NULL), "not listed");
    ok(group_is("3:memory2:/x\n", "memory", NULL) && group_is("3:mem:/x\n", "memory", NULL), "another name");
    ok(group_is("0::/a:b\n", NULL, "/a:b"), "a colon in the path");
    ok(group_is("0::x", NULL, NULL) && group_is("0::", NULL, NULL) && group_is("::", NULL, NULL) && group_is("", NULL, NULL), "damaged");
}

static void numbers(void)
{
    uint64_t v = 0;
    ok(sysfs_number("9223372036854771712\n", 20, &v) && v == 9223372036854771712ull, "a number with its newline");
    ok(!sysfs_number("max\n", 4, &v) && !sysfs_number("", 0, &v) && !sysfs_number("-1\n", 3, &v), "max, nothing, negative");
}

static uint32_t cpus(const char *list)
{
    uint32_t n = 0;
    const char *text = arena_printf(&a, "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t%s\nMems_allowed_list:\t0\n", list);
    return cpu_list_count(text, strlen(text), "Cpus_allowed_list", &n) ? n : 0;
}

static uint32_t quota(const char *text)
{
    uint32_t n = 0;
    return cpu_quota(text, strlen(text), &n) ? n : 0;
}

static void processors(void)
{
    ok(cpus("0-15") == 16 && cpus("3") == 1 && cpus("0-3,8,10-11") == 7, "lists of processors");
    ok(cpus("") == 0 && cpus("4-2") == 0 && cpus("0-") == 0 && cpus("0,,1") == 0 && cpus("x") == 0, "damaged lists");
    ok(cpus("0-4294967294,0-4294967294") == 0, "more than there can be");
    ok(quota("150000 100000\n") == 150 && quota("400000 100000") == 400, "a quota");
    ok(quota("max 100000\n") == 0 && quota("1 0") == 0 && quota("") == 0 && quota("5") == 0, "none, damaged");
}

static void speeds(void)
{
    ok(pcie_generation("2.5 GT/s PCIe") == 1 && pcie_generation("5.0 GT/s PCIe") == 2 && pcie_generation("8.0 GT/s PCIe") == 3, "generations 1 to 3");
    ok(pcie_generation("16.0 GT/s PCIe") == 4 && pcie_generation("32.0 GT/s PCIe") == 5 && pcie_generation("64.0 GT/s PCIe") == 6, "generations 4 to 6");
    ok(pcie_generation("8 GT/s") == 3 && pcie_generation("2.5 GT/s") == 1, "as older kernels print them");
    ok(pcie_generation("Unknown") == 0 && pcie_generation("") == 0 && pcie_generation(NULL) == 0 && pcie_generation("25 GT/s") == 0, "others");
}

static void sizes(void)
{
    ok(str_eq(bytes_text(&a, 0), "0 bytes") && str_eq(bytes_text(&a, 1023), "1023 bytes"), "bytes");
    ok(str_eq(bytes_text(&a, 64 << 20), "64 MiB") && str_eq(bytes_text(&a, 1536), "1.5 KiB"), "whole and with a rest");
    ok(str_eq(bytes_text(&a, (1ull << 30) - 1), "1024 MiB") && str_eq(bytes_text(&a, UINT64_MAX), "16 EiB"), "rounded up");
}

int main(void)
{
    arena_init(&a, 0);
    memory();
    limits();
    groups();
    numbers();
    processors();
    speeds();
    sizes();
    arena_done(&a);
    return tap_done();
}
