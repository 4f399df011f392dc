/* SPDX-License-Identifier: Apache-2.0 */
/* Small texts of layer 1: settings, os-release, driver numbers, modprobe.d, the PCI list; any bytes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "formats/ini.h"
#include "formats/modprobe.h"
#include "formats/nvversion.h"
#include "formats/pcidev.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct arena a;
    struct str line;
    size_t pos = 0;
    bool open = false;
    arena_init(&a, 0);
    const char *v = nvversion_proc(text, size, &a, &open), *w = nvversion_inf(text, size, &a);
    if ((v && nvversion_len(v, strlen(v)) != strlen(v)) || (w && nvversion_len(w, strlen(w)) != strlen(w)))
        abort(); /* a version that is given is one */
    if (ini_bool(ini_get(text, size, "gpu", "enabled", &a)) == TRI_YES && ini_bool(ini_get(text, size, "GPU", "ENABLED", &a)) != TRI_YES)
        abort();
    (void)osrel_get(text, size, "ID", &a); /* the rest must only not overrun */
    (void)modprobe_blocks(text, size, "nvidia");
    (void)cmdline_blocks(text, size, "nvidia");
    while (str_line(text, size, &pos, &line)) {
        struct pcidev d;
        if (pcidev_parse(line, &d) && d.driver.n > line.n)
            abort();
    }
    arena_done(&a);
    return 0;
}
