/* SPDX-License-Identifier: Apache-2.0 */
/* GPU and driver tables: look-ups by id, by chip, by capability. */
#include "tap.h"
#include "knowledge/drivers.h"
#include "knowledge/gpus.h"

static bool chip(const char *text, struct gpu_info *g)
{
    return gpu_by_chip((struct str){text, strlen(text)}, g);
}

int main(void)
{
    struct gpu_info g = {0};
    ok(gpu_by_device(0x2684, &g) && g.cc == 89 && !strcmp(g.chip, "AD102"), "RTX 4090: sm_89");
    ok_str(g.name, "GeForce RTX 4090", "its name");
    ok(gpu_by_device(0x06c0, &g) && g.cc == 20, "first row");
    ok(gpu_by_device(0x2335, &g) && g.cc == 90, "H200: sm_90");
    ok(gpu_by_device(0x2b85, &g) && g.cc == 120, "RTX 5090: sm_120");
    ok(gpu_by_device(0x31fe, &g) && g.cc == 103 && !g.name, "last row; a row without a product's name");
    ok(gpu_by_device(0x2b90, &g) && !g.name && g.cc == 120, "an unknown id between those of one chip");
    ok(!gpu_by_device(0x0001, &g) && !gpu_by_device(0xffff, &g), "unknown ids");
    ok(chip("AD102GL", &g) && g.cc == 89, "variant letters");
    ok(chip("GB100", &g) && g.cc == 100 && chip("GB10B", &g) && g.cc == 110, "chips with one head");
    ok(!chip("GB1000", &g) && !chip("XY1", &g) && !chip("", &g), "unknown chips");
    ok_str(driver_floor(12)->linux_min, "525.60.13", "CUDA 12 on Linux");
    ok_str(driver_floor(12)->windows_min, "528.33", "CUDA 12 on Windows");
    ok(driver_floor(10) == NULL && driver_floor(14) == NULL, "majors without a row");
    ok_str(driver_max_cuda("550.54.14"), "12.4", "branch 550");
    ok_str(driver_max_cuda("552.22"), "12.4", "a branch between rows");
    ok_str(driver_max_cuda("440.33"), NULL, "below all rows");
    ok(driver_last_branch(61) == 580 && driver_last_branch(37) == 470 && driver_last_branch(75) == 0, "last branches");
    ok(driver_first_branch(120) == 570 && driver_first_branch(75) == 0, "first branches");
    ok(driver_lacks_forward_compat("GeForce RTX 3090") && !driver_lacks_forward_compat("A100 PCIe 40GB") && !driver_lacks_forward_compat(NULL), "forward compatibility");
    return tap_done();
}
