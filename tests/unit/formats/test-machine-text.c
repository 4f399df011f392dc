/* SPDX-License-Identifier: Apache-2.0 */
/* Small texts of layer 1: driver numbers, settings files, os-release, modprobe.d, the PCI list. */
#include "tap.h"
#include "formats/ini.h"
#include "formats/modprobe.h"
#include "formats/nvversion.h"
#include "formats/pcidev.h"

static struct arena a;

static const char *proc(const char *text, bool *open)
{
    *open = false;
    return nvversion_proc(text, strlen(text), &a, open);
}

static void driver_numbers(void)
{
    bool open;
    ok_str(proc("NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023\nGCC version:  gcc 12\n", &open), "535.104.05", "closed module");
    ok(!open, "closed module is not open");
    ok_str(proc("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  565.57.01  Release Build  (dvs-builder@U16-T02)  \n", &open), "565.57.01", "open module");
    ok(open, "open module is open");
    ok_str(proc("NVRM version: NVIDIA UNIX x86_64 Kernel Module  390.157  Wed Oct 12 09:19:07 UTC 2022", &open), "390.157", "two parts, no newline");
    ok_str(proc("GCC version:  gcc version 12.3.0\n", &open), NULL, "another text");
    ok_str(proc("", &open), NULL, "empty");
    ok_str(nvversion_name("libcuda.so.535.104.05", &a), "535.104.05", "file name");
    ok_str(nvversion_name("libcuda.so.580.82", &a), "580.82", "file name of two parts");
    ok_str(nvversion_name("libcuda.so.1", &a), NULL, "soname");
    ok_str(nvversion_name("libcuda.so.1.1", &a), NULL, "WSL's file");
    ok_str(nvversion_name("libcuda.so", &a), NULL, "no number");
    ok_str(nvversion_name("libcuda.so.535.104.05.bak", &a), NULL, "something behind the number");
}

static const char *inf(const char *text)
{
    return nvversion_inf(text, strlen(text), &a);
}

static void windows_numbers(void)
{
    ok_str(inf("[Version]\r\nDriverVer = 08/15/2023, 31.0.15.3713\r\n"), "537.13", "last five digits");
    ok_str(inf("DriverVer=12/01/2022,31.0.15.2833"), "528.33", "no blanks, no newline");
    ok_str(inf("driverver = 01/01/2025, 32.0.15.6094\n"), "560.94", "any case");
    ok_str(inf("DriverVer = 01/01/2021, 27.21.14.6192\n"), "461.92", "older scheme");
    ok_str(inf("; DriverVer = 08/15/2023, 31.0.15.3713\n"), NULL, "comment");
    ok_str(inf("DriverVer = 08/15/2023, 31.0\n"), NULL, "too few parts");
    ok_str(inf("DriverVer = 08/15/2023\n"), NULL, "no number");
    static const char wide[] = "\xff\xfe" "D\0r\0i\0v\0e\0r\0V\0e\0r\0=\0" "0\0001\0/\0002\0,\0" "3\0001\0.\0000\0.\0001\0005\0.\0003\0007\0001\0003\0\n\0";
    ok_str(nvversion_inf(wide, sizeof wide - 1, &a), "537.13", "UTF-16");
}

static const char *wsl(const char *text, const char *section, const char *key)
{
    return ini_get(text, strlen(text), section, key, &a);
}

static void settings(void)
{
    ok_str(wsl("[gpu]\nenabled=false\n", "gpu", "enabled"), "false", "value");
    ok_str(wsl("\xef\xbb\xbf[gpu]\r\nenabled = false # off\r\n", "gpu", "enabled"), "false", "mark, CRLF, comment");
    ok_str(wsl("[interop]\nenabled=false\n", "gpu", "enabled"), NULL, "other section");
    ok_str(wsl("[GPU]\nEnabled=False", "gpu", "enabled"), "False", "names without regard to case");
    ok_str(wsl("[gpu]\nenabled=true\nenabled=false\n", "gpu", "enabled"), "false", "the last one counts");
    ok_str(wsl("enabled=false\n[gpu]\n", "gpu", "enabled"), NULL, "before any section");
    ok_str(wsl("[gpu]\n# enabled=false\n;enabled=false\n", "gpu", "enabled"), NULL, "comments");
    ok_str(wsl("[wsl2]\nkernel=\"C:\\\\k#1\"\n", "wsl2", "kernel"), "C:\\\\k#1", "quotes; # inside a word");
    ok(ini_bool("false") == TRI_NO && ini_bool("0") == TRI_NO && ini_bool("FALSE") == TRI_NO, "no");
    ok(ini_bool("true") == TRI_YES && ini_bool("1") == TRI_YES, "yes");
    ok(ini_bool("off") == TRI_UNKNOWN && ini_bool("") == TRI_UNKNOWN && ini_bool(NULL) == TRI_UNKNOWN, "anything else leaves the default");
    static const char os[] = "PRETTY_NAME=\"Ubuntu 22.04.5 LTS\"\nID=ubuntu\nID_LIKE=debian\nVERSION_ID='22.04'\nBAD\n";
    ok_str(osrel_get(os, sizeof os - 1, "ID", &a), "ubuntu", "os-release: plain");
    ok_str(osrel_get(os, sizeof os - 1, "VERSION_ID", &a), "22.04", "os-release: single quotes");
    ok_str(osrel_get(os, sizeof os - 1, "PRETTY_NAME", &a), "Ubuntu 22.04.5 LTS", "os-release: double quotes");
    ok_str(osrel_get(os, sizeof os - 1, "NAME", &a), NULL, "os-release: not the end of another name");
}

static bool blocks(const char *text, const char *module)
{
    return modprobe_blocks(text, strlen(text), module);
}

static bool line_blocks(const char *text, const char *module)
{
    return cmdline_blocks(text, strlen(text), module);
}

static void bans(void)
{
    ok(blocks("# x\nblacklist nouveau\n", "nouveau"), "blacklist");
    ok(!blocks("# blacklist nouveau\n", "nouveau"), "comment");
    ok(!blocks("blacklist nvidiafb\n", "nvidia"), "longer name");
    ok(blocks("blacklist nvidia-drm", "nvidia_drm"), "dash and underscore");
    ok(blocks("alias nvidia off\n", "nvidia") && !blocks("alias nvidia nvidia-535\n", "nvidia"), "alias off");
    ok(blocks("install nouveau /bin/false\n", "nouveau") && !blocks("install nvidia modprobe -i nvidia-535\n", "nvidia"), "install false");
    ok(!blocks("options nvidia NVreg_X=1\n", "nvidia"), "options do not ban");
    ok(line_blocks("ro quiet modprobe.blacklist=a,nouveau,b\n", "nouveau"), "command line: list");
    ok(line_blocks("rd.driver.blacklist=nouveau", "nouveau"), "command line: dracut");
    ok(line_blocks("nouveau.modeset=0", "nouveau") && !line_blocks("nouveau.modeset=1", "nouveau"), "command line: modeset");
    ok(!line_blocks("root=/dev/nvidia modprobe.blacklist=nvidiafb", "nvidia"), "command line: longer name");
}

static void pci_list(void)
{
    static const char gpu[] = "0100\t10de2204\t9b\t f6000000\t e000000c\t 0\t f000000c\t 0\t e001\t f7000002\t 1000000\t 10000000\t 0\t 2000000\t 0\t 80\t 80000\tnvidia";
    struct pcidev d;
    ok(pcidev_parse((struct str){gpu, sizeof gpu - 1}, &d), "a line");
    ok(d.bus == 1 && d.slot == 0 && d.fn == 0 && d.vendor == 0x10de && d.device == 0x2204, "numbers");
    ok(d.driver.n == 6 && memcmp(d.driver.p, "nvidia", 6) == 0, "driver");
    static const char none[] = "0029\t1af41042\t0\t 1\t 0\t 0\t 0\t 0\t 0\t 0\t 8\t 0\t 0\t 0\t 0\t 0\t 0\t";
    ok(pcidev_parse((struct str){none, sizeof none - 1}, &d) && d.slot == 5 && d.fn == 1 && d.driver.n == 0, "no driver");
    ok(!pcidev_parse((struct str){gpu, 30}, &d), "cut line");
    ok(!pcidev_parse((struct str){"", 0}, &d), "empty line");
}

int main(void)
{
    arena_init(&a, 0);
    driver_numbers();
    windows_numbers();
    settings();
    bans();
    pci_list();
    arena_done(&a);
    return tap_done();
}
